#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generated code compiles without a warning: check_warnings.py [MODEL...]

g++, clang 14, clang 19 and the cross compilers, with -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror, by -fsyntax-only; with
-O2, because some warnings need the optimizer, for small models, and for a third of the zoo in the full tier.
"""
import functools
import shutil

import generated
import macec
import zoo
import zoo_table
from report import Report

COMPILERS = {
    "x86-64": [["g++"], ["clang++-14"], ["clang++-19"]],
    "armv8": [["aarch64-linux-gnu-g++"], ["clang++-19", "--target=aarch64-linux-gnu"]],
    "armv7": [["arm-linux-gnueabihf-g++", "-mfpu=neon"]],
}


def check(report, name, target, compiler, optimized):
    label = f"{name} {target} {' '.join(compiler)}"
    if not shutil.which(compiler[0]):
        report.skip(f"warnings of {compiler[0]}", "not installed")
        return
    code = generated.generate(zoo.folder(name), target, tag="-warn-" + "".join(c for c in "".join(compiler) if c.isalnum()))
    flags = generated.STRICT + (["-O2"] if optimized else ["-fsyntax-only"])
    for source in code.sources[:1]:
        _, result = generated.compile_object(code, source, flags, compiler)
        report.check(label, result.code == 0, result.err.strip()[:600])


def main():
    report = Report()
    work = []
    for model in zoo.chosen(zoo_table.THIRD, full=zoo_table.ALL):
        optimized = model in zoo_table.SMALL or (macec.TIER == "full" and model in zoo_table.THIRD)
        for target, compilers in COMPILERS.items():
            work += [(f"{model} {target}", functools.partial(check, report), model, target, c, optimized) for c in compilers]
    zoo.for_each(report, work)
    report.finish()


if __name__ == "__main__":
    main()
