#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generated code is clean under the sanitizers: check_sanitizers.py [MODEL...]

Address and undefined behaviour on every data set; threads with four contexts that share the weights, each with two workers.
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
LEVELS = (1, 2) if macec.TIER == "full" else (0,)  # 0: the best that the machine has


def check(report, name, kind):
    program, flags, arguments = KINDS[kind]
    folder = zoo.folder(name)
    code = generated.generate(folder, "x86-64", tag=f"-{kind.split(',')[0]}")
    binary, _ = generated.build(code, program, ["-O1", "-g1", *flags])
    for level in LEVELS:
        for data in generated.data_sets(folder)[: None if macec.TIER == "full" else 1]:
            result, _ = generated.run_program(code, binary, folder, data, ["--level", str(level), *arguments], timeout=400)
            text = (result.err or "no end in time")[:1200] if result.code else ""
            report.check(f"{name} {kind} level {level} set {data[0]}", result.code == 0, text)


def main():
    report = Report()
    models = zoo.chosen(zoo_table.FEW + zoo_table.SMALL, full=zoo_table.ALL)
    zoo.for_each(report, [(f"{m} {k}", functools.partial(check, report), m, k) for m in models for k in KINDS])
    report.finish()


if __name__ == "__main__":
    main()
