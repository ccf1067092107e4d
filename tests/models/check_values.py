#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generated code gives ONNX Runtime's numbers: check_values.py [MODEL...]

Greatest difference at most 1e-4 of each output's greatest magnitude, on every data set: on x86-64 with each level of the file, on
ARMv8 and ARMv7 under qemu. Compared here, by arrays; and `macec verify` must come to the same opinion.
"""
import functools
import sys

import generated
import macec
import zoo
import zoo_table
from report import Report

MAX_LEVELS = 4
VERIFIED = zoo_table.FEW if macec.TIER != "full" else None  # models that `macec verify` builds once more


def check_target(report, name, target):
    label = f"{name} {target}"
    missing = generated.missing_tools(target)
    if missing:
        report.skip(label, f"no {', '.join(missing)}")
        return
    folder = zoo.folder(name)
    code = generated.generate(folder, target)
    program, _ = generated.build(code, "run_once")
    for level in range(1, MAX_LEVELS + 1):
        worst = 0.0
        for data in generated.data_sets(folder):
            result, have = generated.run_program(code, program, folder, data, ["--level", str(level)])
            if result.code != 0:
                break
            worst = max(worst, generated.worst_difference(have, data[2]))
        if result.code == 3 and level > 1 and "open" in result.err:  # the file has no such level, or this machine has not
            break
        if result.code != 0:
            report.fail(label, f"level {level}, set {data[0]}: exit code {result.code}: {result.err.strip()[-300:]}")
            break
        report.check(label, worst <= zoo_table.limit(name), f"level {level}: greatest difference {worst:.2e}, allowed {zoo_table.limit(name):.0e}")


def check_verify(report, name, target):
    if generated.missing_tools(target):
        return
    sizes = [] if name in zoo_table.OTHER_SIZES else zoo_table.free(name)
    # A limit of its own is one for outputs whose greatest magnitude is about 1.
    bound = [f"--atol={zoo_table.LIMIT[name]}"] if name in zoo_table.LIMIT else []
    command = [macec.MACEC, "verify", zoo.folder(name) / "model.onnx", "--data", zoo.folder(name), f"--target={target}", *sizes, *bound]
    result = macec.run(command, timeout=400)
    report.check(f"{name} {target} verify", result.code == 0, f"exit code {result.code}" + (result.out + result.err)[-400:] * (result.code != 0))


def main():
    report = Report()
    models = zoo.chosen(zoo_table.THIRD, full=zoo_table.ALL)
    pairs = [(m, "x86-64") for m in models]
    if macec.TIER != "quick":
        on_arm = zoo_table.ON_ARM if macec.TIER == "full" or sys.argv[1:] else zoo_table.ON_ARM_SOON
        pairs += [(m, t) for m in models if m in on_arm for t in ("armv8", "armv7")]
    work = [(f"{m} {t}", functools.partial(check_target, report), m, t) for m, t in pairs]
    work += [(f"{m} {t} verify", functools.partial(check_verify, report), m, t) for m, t in pairs if VERIFIED is None or m in VERIFIED]
    zoo.for_each(report, work)
    report.finish()


if __name__ == "__main__":
    main()
