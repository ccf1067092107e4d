#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators in portable C++: run.py NODE_TESTS

A spread of ONNX's node tests (every 24th; every 8th with --full) as generated code for no processor in particular. A refusal is no
failure here (tests/conformance counts them), a wrong answer is.
"""
import pathlib
import shutil
import sys

import macec
from report import Report

TARGETS = {"portable": "g++"}


def main():
    report = Report()
    folders = sorted(p for p in pathlib.Path(sys.argv[1]).iterdir() if (p / "model.onnx").exists())
    some = folders[:: 8 if macec.TIER == "full" else 24]
    for target, tool in TARGETS.items():
        if not shutil.which(tool):
            report.skip(target, f"{tool} is not installed")
            continue
        answers = macec.verify_many(some, [f"--target={target}", "--optimize=-O1"])
        for folder, (status, text) in sorted(answers.items()):
            name = f"{target} {pathlib.Path(folder).name}"
            if status == "passed":
                report.ok(name)
            elif status != "refused":
                report.fail(name, f"{status}: {text[-300:]}")
    report.finish()


main()
