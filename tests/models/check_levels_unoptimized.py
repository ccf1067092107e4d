#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every level of a file with several also works at -O0: check_levels_unoptimized.py [MODEL...]

A functor left outside its level's region, or an inlining that does not happen, shows only there.
"""
import functools

import generated
import macec
import zoo
import zoo_table
from report import Report


def check(report, name):
    folder = zoo.folder(name)
    code = generated.generate(folder, "x86-64", tag="-O0")
    program, _ = generated.build(code, "run_once", ["-O0"])
    data = generated.data_sets(folder)[0]
    for level in range(1, 5):
        result, have = generated.run_program(code, program, folder, data, ["--level", str(level)], timeout=600)
        if result.code == 3 and level > 1 and "open" in result.err:
            break
        worst = generated.worst_difference(have, data[2])
        report.check(f"{name} level {level} -O0", result.code == 0 and worst <= zoo_table.limit(name), f"difference {worst:.2e} {result.err.strip()[-200:]}")


def main():
    report = Report()
    models = zoo.chosen(zoo_table.FEW + zoo_table.SMALL, full=zoo_table.THIRD)
    zoo.for_each(report, [(m, functools.partial(check, report), m) for m in models])
    report.finish()


if __name__ == "__main__":
    main()
