#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generated code is clean under the sanitizers: check_sanitizers.py [MODEL...]

Address and undefined behaviour; threads with four contexts that share the weights, each with two workers. In the full tier on every data
set of the whole zoo for one level (x86-64-v3), and for the first two levels of a file with several where a third of the zoo is looked at.
"""
import functools

import generated
import macec
import zoo
import zoo_table
from report import Report

KINDS = {
    "address,undefined": ("run_once", ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"], []),
    "thread": ("four_contexts", ["-fsanitize=thread"], ["--threads", "2"]),
}


def check(report, name, kind, target, levels):
    program, flags, arguments = KINDS[kind]
    folder = zoo.folder(name)
    code = generated.generate(folder, target, tag=f"-{kind.split(',')[0]}")
    binary, _ = generated.build(code, program, ["-O1", "-g1", *flags])
    for level in levels:
        for data in generated.data_sets(folder)[: None if macec.TIER == "full" else 1]:
            result, _ = generated.run_program(code, binary, folder, data, ["--level", str(level), *arguments], timeout=400)
            text = (result.err or "no end in time")[:1200] if result.code else ""
            report.check(f"{name} {target} {kind} level {level} set {data[0]}", result.code == 0, text)


def main():
    report = Report()
    models = zoo.chosen(zoo_table.FEW + zoo_table.SMALL, full=zoo_table.ALL)
    if macec.TIER == "full":
        work = [(m, "x86-64-v3", (1,)) for m in models] + [(m, "x86-64", (1, 2)) for m in models if m in zoo_table.THIRD]
    else:
        work = [(m, "x86-64", (0,)) for m in models]  # 0: the best level that the machine has
    zoo.for_each(report, [(f"{m} {k}", functools.partial(check, report), m, k, target, levels) for m, target, levels in work for k in KINDS])
    report.finish()


if __name__ == "__main__":
    main()
