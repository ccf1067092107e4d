#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every folder of shared/cases behaves as its README says.

    run.py CASES [NAME...]

A folder with test data must give those outputs, one with expect_error.txt must be refused, one with may_refuse.txt may be. A
model refused for operators that macec does not have (yet) is skipped, and the operators are named; it never counts as passed.
"""
import os
import pathlib
import sys
import tempfile

import macec
from report import Report

RTOL, ATOL = "1e-4", "1e-5"


def wanted_lines(path):
    return [line.strip().lower() for line in path.read_text().splitlines() if line.strip()] if path.exists() else []


def missing_lines(lines, message):
    return [line for line in lines if line not in message.lower()]


def refuse(report, folder):
    """Compiles a model that must be refused: non-zero exit, every wanted line, nothing written, no crash."""
    wanted = wanted_lines(folder / "expect_error.txt")
    with tempfile.TemporaryDirectory() as scratch:
        result = macec.run([macec.MACEC, folder / "model.onnx"], cwd=scratch, timeout=30, memory_mb=4096)
        left = sorted(os.listdir(scratch))
    message = result.out + result.err
    if result.crashed() or result.code == 70:
        report.fail(folder.name, f"not refused but broken off, exit code {result.code}: {message[-300:].strip()}")
    elif result.code == 0:
        report.fail(folder.name, "compiled, but must be refused")
    elif left:
        report.fail(folder.name, f"refused, but left {', '.join(left)} behind")
    elif missing_lines(wanted, message):
        operators = macec.refused_operators(message)
        if operators:
            report.skip(folder.name, f"needs {', '.join(operators)}")
        else:
            report.fail(folder.name, f"the message lacks {missing_lines(wanted, message)}: {message[-300:].strip()}")
    else:
        report.ok(folder.name)


def judge(report, folder, status, text):
    """What `macec verify` said of a folder with test data."""
    if status == "passed":
        report.ok(folder.name)
        return
    operators = macec.refused_operators(text)
    if status == "refused" and operators:
        report.skip(folder.name, f"needs {', '.join(operators)}")
        return
    allowed = wanted_lines(folder / "may_refuse.txt")
    if status == "refused" and allowed and not missing_lines(allowed, text):
        report.ok(folder.name)
        return
    report.fail(folder.name, f"{status}: {text[-500:].strip()}")


def main():
    cases = pathlib.Path(sys.argv[1])
    names = sys.argv[2:]
    folders = [f for f in sorted(cases.iterdir()) if (f / "model.onnx").exists() and (not names or f.name in names)]
    report = Report()
    with_data = []
    for folder in folders:
        if (folder / "expect_error.txt").exists():
            refuse(report, folder)
        else:
            with_data.append(folder)
    results = macec.verify_many(with_data, extra=["--rtol", RTOL, "--atol", ATOL], timeout_each=60)
    for folder in with_data:
        judge(report, folder, *results[str(folder)])
    report.finish()


if __name__ == "__main__":
    main()
