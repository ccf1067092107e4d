#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What generated code leaves alone: check_heap_and_symbols.py [MODEL...]

No call of the allocator in open, run and close; no byte of .data or .bss; one exported symbol, NAME_model.
"""
import functools
import re

import generated
import macec
import zoo
import zoo_table
from report import Report

WRITABLE = re.compile(r"^\.(data|bss|tdata|tbss|init_array|fini_array|ctors)(?!\.rel\.ro)")


def section_bytes(objects):
    sizes = {}
    for path in objects:
        for line in macec.run(["size", "-A", path]).out.splitlines():
            words = line.split()
            if len(words) == 3 and words[1].isdigit():
                sizes[words[0]] = sizes.get(words[0], 0) + int(words[1])
    return sizes


def exported(objects):
    """Global or weak symbols of default visibility that the objects define."""
    names = set()
    for path in objects:
        for line in macec.run(["readelf", "-sW", path]).out.splitlines():
            words = line.split()
            if len(words) == 8 and words[4] in ("GLOBAL", "WEAK", "UNIQUE") and words[5] == "DEFAULT" and words[6] != "UND":
                names.add(words[7])
    return names


def check(report, name, target):
    folder = zoo.folder(name)
    code = generated.generate(folder, target, tag="-symbols")
    if target == "x86-64":
        program, _ = generated.build(code, "count_heap")
        result, _ = generated.run_program(code, program, folder, generated.data_sets(folder)[0])
        report.check(f"{name} {target} heap", result.code == 0, (result.out + result.err).strip()[-300:])
    objects = []
    for source in code.sources:
        path, result = generated.compile_object(code, source, ["-O2", "-fPIC"], generated.machine(target)[0])
        if result.code != 0:
            raise generated.Refused(result.err[-300:])
        objects.append(path)
    writable = {s: n for s, n in section_bytes(objects).items() if n and WRITABLE.match(s)}
    report.check(f"{name} {target} writable data", not writable, f"{writable or 'none'}")
    names = exported(objects)
    report.check(f"{name} {target} symbols", names == {generated.model_function(code)}, ", ".join(sorted(names)))


def main():
    report = Report()
    models = zoo.chosen(zoo_table.FEW + zoo_table.SMALL, full=zoo_table.ALL)
    targets = [t for t in ("x86-64", "armv8") if not generated.missing_tools(t)]
    zoo.for_each(report, [(f"{m} {t}", functools.partial(check, report), m, t) for m in models for t in targets])
    report.finish()


if __name__ == "__main__":
    main()
