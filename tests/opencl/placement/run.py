#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What runs where, as `--explain=placement` says, and whether it computes the same: run.py MODELS [NAME...]

Each NAME.txt beside this file is one test: a line `$ macec inspect MODEL.onnx FLAGS`, then the lines that begin with "placement:";
estimated times are N, because every new kernel changes them. `macec verify` with the same flags must pass on the machine's OpenCL device. MACEC_BLESS=1 rewrites the texts.
"""
import os
import pathlib
import re
import shlex
import sys

import macec
from report import Report

HERE = pathlib.Path(__file__).resolve().parent


def first_difference(want, have):
    for i, (a, b) in enumerate(zip(want.split("\n") + [""], have.split("\n") + [""])):
        if a != b:
            return f"line {i + 2}\n    want: {a}\n    have: {b}"
    return "length"


def explained(arguments, models):
    result = macec.run([macec.MACEC, *arguments, "--explain=placement"], cwd=models)
    if result.code != 0:
        return f"exit code {result.code}: {result.err[-300:]}"
    lines = [line + "\n" for line in result.out.split("\n")]
    said = "".join(line for line in lines if line.startswith("placement: ") and " touched at least" not in line)
    return re.sub(r"[0-9.]+ us", "N us", said)


def verified(arguments, models):
    """Empty if the generated code is right; the models' folder has no recorded data, so macec's own evaluator says what is."""
    result = macec.run([macec.MACEC, "verify", *arguments[1:]], cwd=models, timeout=300)
    return "" if result.code == 0 else (result.out + result.err)[-400:].strip()


def main():
    models = pathlib.Path(sys.argv[1])
    report = Report()
    for path in sorted(HERE.glob("*.txt")):
        if sys.argv[2:] and path.stem not in sys.argv[2:]:
            continue
        head, _, want = path.read_text().partition("\n")
        arguments = shlex.split(head[len("$ macec "):])
        have = explained(arguments, models)
        if os.environ.get("MACEC_BLESS") == "1":
            path.write_text(head + "\n" + have)
        elif have != want:
            report.fail(path.stem, first_difference(want, have))
            continue
        wrong = verified(arguments, models)
        report.check(path.stem, not wrong, wrong)
    report.finish()


if __name__ == "__main__":
    main()
