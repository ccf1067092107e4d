#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same model and flags give the same bytes, in whatever folder: check_repeatable.py [MODEL...]"""
import functools

import generated
import zoo
import zoo_table
from report import Report


def check(report, name, target):
    first = generated.generate(zoo.folder(name), target, tag="-first")
    second = generated.generate(zoo.folder(name), target, tag="-second")
    names = sorted(p.name for p in first.folder.iterdir())
    differ = [n for n in names if not (second.folder / n).exists() or (first.folder / n).read_bytes() != (second.folder / n).read_bytes()]
    report.check(f"{name} {target}", not differ, f"{', '.join(differ)} differ" if differ else "")


def main():
    report = Report()
    models = zoo.chosen(zoo_table.THIRD, full=zoo_table.ALL)
    zoo.for_each(report, [(m, functools.partial(check, report), m, t) for m in models for t in ("x86-64", "armv8")])
    report.finish()


if __name__ == "__main__":
    main()
