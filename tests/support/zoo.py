# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Folders of the models in the cache (tests/models/prepare.py fills them), which of them to take, and work on many at a time."""
import concurrent.futures
import sys

import generated
import macec
from zoo_table import FEW, SMALL


def folder(name):
    path = macec.CACHE / "zoo" / name
    if not (path / "complete.txt").exists():
        sys.exit(f"{path} is not there; tests/models/run.sh fills it")
    return path


def chosen(default, full=None):
    """The models named on the command line, or the default ones; in the quick tier only few of those, in the full one `full`."""
    if sys.argv[1:]:
        return sys.argv[1:]
    if macec.TIER == "full" and full is not None:
        return full
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
