# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of the models that tests use, and their folders in the cache (tests/models/prepare.py fills them)."""
import concurrent.futures
import sys

import generated
import macec

MODELS = ["mobilenetv2_100", "mobilenetv1_100", "resnet18", "squeezenet1_1", "bert_mini", "bert_mini_dynamic", "vit_tiny_patch16_224"]
ON_ARM = ["mobilenetv2_100", "mobilenetv1_100", "bert_mini_dynamic"]
SMALL = ["dscnn_kws"]
# What a quick look takes, instead of all.
FEW = ["mobilenetv2_100", "bert_mini_dynamic"]


def folder(name):
    path = macec.CACHE / "zoo" / name
    if not (path / "complete.txt").exists():
        sys.exit(f"{path} is not there; tests/models/run.sh fills it")
    return path


def chosen(default):
    """The models named on the command line, or the default ones; in the quick tier only few of those."""
    if sys.argv[1:]:
        return sys.argv[1:]
    return [m for m in default if m in FEW + SMALL] if macec.TIER == "quick" else default


def for_each(report, work, jobs=macec.JOBS):
    """Calls function(*arguments) for each (name, function, *arguments) of `work`, some at a time; a refusal is a failure of `name`."""

    def one(item):
        name, function, *arguments = item
        try:
            function(*arguments)
        except generated.Refused as refusal:
            report.fail(name, refusal)

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(one, work))
