#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models converted by to_float16.py: check_float16.py [MODEL...]

Values within a bound of each output's greatest magnitude (prepare.py says what the reference is), and an arena of at most 0.6 of the
float32 model's. Storing every value of mobilenetv2_100 in float16 gives about 3e-3, whatever computes it: the roundings of 52 layers add
up. macec keeps the small values between kernels in float32 (passes/widen_small.cpp).
"""
import functools

import generated
import zoo
from check_memory import inspect
from report import Report

ARENA_SHARE = 0.6
LIMIT = {"mobilenetv2_100_float16": 2e-3, "bert_mini_float16": 2e-3}


def check(report, name):
    base = name.rsplit("_", 1)[0]
    folder = zoo.folder(name)
    code = generated.generate(folder, "x86-64")
    program, _ = generated.build(code, "run_once")
    for data in generated.data_sets(folder):
        result, have = generated.run_program(code, program, folder, data)
        worst = generated.worst_difference(have, data[2])
        report.check(name, result.code == 0 and worst <= LIMIT[name], f"greatest difference {worst:.2e}, allowed {LIMIT[name]:.0e} {result.err.strip()[-200:]}")
    half, full = inspect(name, "x86-64", folder)[2], inspect(base, "x86-64", zoo.folder(base))[2]
    report.check(f"{name} arena", half <= ARENA_SHARE * full, f"{half:,} of {full:,} bytes: {half / full:.3f}, allowed {ARENA_SHARE}")


def main():
    report = Report()
    zoo.for_each(report, [(m, functools.partial(check, report), m) for m in LIMIT])
    report.finish()


if __name__ == "__main__":
    main()
