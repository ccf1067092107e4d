#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exact texts of macec's errors.

    run.py MODELS [NAME...]       MODELS: the folder that make_models.py wrote

Each NAME.txt beside this file is one test: a line `$ macec ARGUMENTS`, a line `exit N`, then all of stderr. The command runs in
a folder that holds copies of the models, and of what files/ has; it must leave no file behind. MACEC_BLESS=1 rewrites the texts
of commands that refuse.
"""
import os
import pathlib
import shlex
import shutil
import sys
import tempfile

import macec
from report import Report

HERE = pathlib.Path(__file__).resolve().parent


def read_test(path):
    lines = path.read_text().split("\n")
    if not lines[0].startswith("$ macec"):
        raise ValueError(f"{path.name}: the first line must be '$ macec ARGUMENTS'")
    return shlex.split(lines[0][len("$ macec"):]), "\n".join(lines[1:])


def contents(folder):
    return {str(p.relative_to(folder)): p.stat().st_mtime_ns for p in folder.rglob("*")}


def actual(arguments, models):
    """What the command says, and the names of files that it left or changed."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / "here"
        shutil.copytree(models, folder)
        if (HERE / "files").exists():
            shutil.copytree(HERE / "files", folder, dirs_exist_ok=True)
        before = contents(folder)
        result = macec.run([macec.MACEC, *arguments], cwd=folder, timeout=30, memory_mb=4096)
        after = contents(folder)
    changed = sorted(name for name in after if before.get(name) != after[name])
    return result, f"exit {result.code}\n{result.err}", changed


def first_difference(want, have):
    for i, (a, b) in enumerate(zip(want.split("\n") + [""], have.split("\n") + [""])):
        if a != b:
            return f"line {i + 2}\n    want: {a}\n    have: {b}"
    return "length"


def main():
    models = pathlib.Path(sys.argv[1])
    names = sys.argv[2:]
    report = Report()
    for path in sorted(HERE.glob("*.txt")):
        if names and path.stem not in names:
            continue
        arguments, want = read_test(path)
        result, have, changed = actual(arguments, models)
        if result.crashed() or result.code in (0, 70):
            report.fail(path.stem, f"must be refused, but: {have[:400].strip()}")
        elif changed:
            report.fail(path.stem, f"refused, but wrote {', '.join(changed)}")
        elif os.environ.get("MACEC_BLESS") == "1":
            path.write_text(path.read_text().split("\n")[0] + "\n" + have)
            report.ok(path.stem)
        elif have != want:
            report.fail(path.stem, first_difference(want, have))
        else:
            report.ok(path.stem)
    report.finish()


if __name__ == "__main__":
    main()
