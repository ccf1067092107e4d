#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A file with several levels runs where only its first is there: check_old_processor.py [MODEL...]

qemu-x86_64 -cpu Nehalem has no AVX and traps on any AVX instruction.
"""
import functools
import shutil

import generated
import macec
import zoo
import zoo_table
from report import Report


def check(report, name):
    folder = zoo.folder(name)
    code = generated.generate(folder, "x86-64", tag="-old")
    program, _ = generated.build(code, "run_once", ["-O2"])
    data = generated.data_sets(folder)[0]
    result, have = generated.run_program(code, program, folder, data, prefix=["qemu-x86_64", "-cpu", "Nehalem"], timeout=600)
    worst = generated.worst_difference(have, data[2])
    report.check(f"{name} on Nehalem", result.code == 0 and worst <= zoo_table.limit(name), f"difference {worst:.2e} {result.err.strip()[-300:]}")


def main():
    report = Report()
    if not shutil.which("qemu-x86_64"):
        report.skip("old processor", "no qemu-x86_64")
    else:
        models = zoo.chosen(zoo_table.FEW, full=zoo_table.THIRD)
        zoo.for_each(report, [(m, functools.partial(check, report), m) for m in models])
    report.finish()


if __name__ == "__main__":
    main()
