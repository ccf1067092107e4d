#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether a run does the copies that `inspect` prints, and no others: check.py INSPECT.json COPIES SEGMENTS

COPIES: what copies.cpp printed. SEGMENTS: the devices that must take turns, "gpu,cpu,gpu".
"""
import json
import sys


def main(inspected, copies, segments):
    gpu = json.load(open(inspected, encoding="utf-8"))["gpu"]
    seen = {}
    for line in open(copies, encoding="utf-8"):
        name, *numbers = line.split()
        seen[name] = [int(n) for n in numbers]
    wrong = []

    def expect(what, have, need):
        if have != need:
            wrong.append(f"{what}: {have}, printed {need}")

    devices = ",".join(segment["device"] for segment in gpu["segments"])
    if devices != segments:
        wrong.append(f"segments on {devices}, not {segments}")
    expect("launches", seen["launch"][0], gpu["launches"])
    for kind in ("upload", "download", "map"):
        printed = [t["bytes"] for t in gpu["transfers"] if t["kind"] == kind]
        expect(f"{kind}s and their bytes", seen[kind], [len(printed), sum(printed)])
    expect("unmaps", seen["unmap"][0], sum(t["kind"] == "unmap" for t in gpu["transfers"]))
    expect("images written", seen["other"][0], 0)
    print("; ".join(wrong))
    return 1 if wrong else 0


sys.exit(main(*sys.argv[1:]))
