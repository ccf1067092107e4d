#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a model costs: check_size_and_time.py [MODEL...]

Code (text and read-only data by `size -A`, less weights) at most 120 KB per level; macec at most 1.5 s and 400 MB; g++ -O2 at most
12 s on one level. The bounds are mobilenetv2_100's; other models are printed. One thing at a time, so that times mean something.
"""
import re

import generated
import macec
import zoo
import zoo_table
from check_heap_and_symbols import section_bytes
from report import Report

BOUND = {"code_kb": 120, "macec_s": 1.5, "macec_mb": 400, "compiler_s": 12}
BOUNDED = "mobilenetv2_100"
ONE_LEVEL = ["x86-64-v3", "armv8"]
CODE_SECTION = re.compile(r"^\.(text|rodata|eh_frame|data\.rel\.ro)")


def weight_symbol_bytes(path):
    """Bytes of symbols named *_weights that stand in .rodata itself."""
    total = 0
    for line in macec.run(["readelf", "-sW", path]).out.splitlines():
        words = line.split()
        if len(words) == 8 and words[3] == "OBJECT" and "weights" in words[7]:
            total += int(words[2], 0)
    return total


def code_bytes(paths):
    total, has_own_section = 0, False
    for section, size in section_bytes(paths).items():
        if "weights" in section:
            has_own_section = True
        elif CODE_SECTION.match(section):
            total += size
    return total if has_own_section else total - sum(weight_symbol_bytes(p) for p in paths)


def check(report, name, target):
    code = generated.generate(zoo.folder(name), target, tag="-cost")
    compiler = generated.machine(target)[0]
    objects, seconds = [], 0.0
    for source in code.sources:
        path, result = generated.compile_object(code, source, ["-O2"], compiler)
        if result.code != 0:
            raise generated.Refused(result.err[-300:])
        objects.append(path)
        seconds += result.seconds
    measured = {"code_kb": code_bytes(objects) / 1024, "macec_s": code.made.seconds, "macec_mb": code.made.max_rss_mb, "compiler_s": seconds}
    over = [k for k, v in measured.items() if v > BOUND[k]] if name == BOUNDED else []
    text = ", ".join(f"{k} {v:.1f}" + (f" (allowed {BOUND[k]})" if k in over else "") for k, v in measured.items())
    report.check(f"{name} {target}", not over, text)


def main():
    report = Report()
    for name in zoo.chosen([BOUNDED], full=zoo_table.ALL):
        for target in ONE_LEVEL:
            if generated.missing_tools(target):
                report.skip(f"{name} {target}", "no cross compiler")
                continue
            try:
                check(report, name, target)
            except generated.Refused as refusal:
                report.fail(f"{name} {target}", refusal)
    report.finish()


if __name__ == "__main__":
    main()
