#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the ARMv8 instructions of one inference: count.py [MODEL...] [--target armv8] [--level N] [--flags '-O2'] [--check]

Built by aarch64-linux-gnu-g++ without -march, run under qemu-aarch64 -cpu cortex-a76 with the plugin of shared/tools/count. Prints
millions of instructions, of vector multiply-adds, and their ratio to what the model needs at four a vector. --check: exit 1 when a
model is over its bound below.
"""
import argparse
import re
import sys

import generated
import macec
import zoo
from bench import DATA_SET, MULTIPLY_ADDS

# Millions of instructions.
BOUND = {"mobilenetv2_100": 125, "mobilenetv3_large_100": 97, "squeezenet1_1": 134, "shufflenet_v2_x1_0": 76, "centerface": 205,
         "bert_mini": 165, "dscnn_kws": 1.5}
QEMU = ["qemu-aarch64", "-cpu", "cortex-a76", "-L", "/usr/aarch64-linux-gnu"]


def build_plugin():
    generated.WORK.mkdir(parents=True, exist_ok=True)
    plugin = (generated.WORK / "count_plugin.so").absolute()
    source = macec.SHARED.absolute() / "tools/count/count_plugin.c"
    result = macec.run(["gcc", "-O2", "-shared", "-fPIC", source, "-o", plugin])
    if result.code != 0:
        sys.exit(f"count.py: {result.err[-500:]}")
    return plugin


def count(name, arguments, plugin):
    folder = zoo.folder(name)
    data = generated.data_sets(folder)[DATA_SET.get(name, 0)]
    code = generated.generate(folder, arguments.target, tag="-count", sizes=generated.fixed_sizes(folder, data[1]))
    program, _ = generated.build(code, "../../bench/count_main", arguments.flags.split())
    log = (code.folder / "counts.txt").absolute()
    prefix = [*QEMU, "-plugin", plugin, "-d", "plugin", "-D", log]
    result, _ = generated.run_program(code, program, folder, data, ["--level", str(arguments.level)], prefix=prefix, timeout=600)
    match = re.search(r"instructions (\d+) fmas (\d+) loads (\d+) .*stores (\d+)", log.read_text() if log.exists() else "")
    if result.code != 0 or not match:
        sys.exit(f"count.py: {name}: exit code {result.code}: {result.err[-500:]}")
    return [int(n) / 1e6 for n in match.groups()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", default=list(BOUND))
    parser.add_argument("--target", default="armv8")
    parser.add_argument("--level", type=int, default=0)
    parser.add_argument("--flags", default="-O2")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    missing = generated.missing_tools("armv8")
    if missing:
        sys.exit(f"count.py: no {', '.join(missing)}")
    plugin = build_plugin()
    over = []
    print(f"{'model':22} {'M instr':>9} {'M FMAs':>8} {'M loads':>8} {'M stores':>8} {'x needed':>8}")
    for name in arguments.models:
        instructions, fmas, loads, stores = count(name, arguments, plugin)
        needed = f"{instructions / (MULTIPLY_ADDS[name] / 4):8.2f}" if name in MULTIPLY_ADDS else ""
        print(f"{name:22} {instructions:9.1f} {fmas:8.1f} {loads:8.1f} {stores:8.1f} {needed}", flush=True)
        if instructions > BOUND.get(name, float("inf")):
            over.append(f"{name} ({BOUND[name]} M)")
    if over:
        print(f"over the bound: {', '.join(over)}")
    sys.exit(1 if over and arguments.check else 0)


if __name__ == "__main__":
    main()
