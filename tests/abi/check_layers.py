#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recomputes the check value that stands in the text of each stub layer.

check_layers.py [--write] [FILE...]   default: runtime_stub/layer*.h
A value is the low 16 bits of the 32-bit FNV-1a hash of the text from BEGIN to END, taken with 0x0000 where the
value stands. Exit 1 if one is wrong; --write corrects it. tests/golden/stub-layers holds the SHA-256 of each layer: from macec 1.0 on, a line
there never changes.
"""
import glob
import hashlib
import os
import re
import sys


def fnv1a(data):
    value = 0x811C9DC5
    for byte in data:
        value = ((value ^ byte) * 0x01000193) & 0xFFFFFFFF
    return value


def main():
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    write = "--write" in sys.argv
    files = [a for a in sys.argv[1:] if a != "--write"]
    files = files or sorted(glob.glob(os.path.join(root, "runtime_stub", "layer*.h")))
    wrong = 0
    sums = []
    for path in files:
        with open(path, encoding="ascii") as f:
            text = f.read()
        layer = re.search(r"/\* BEGIN LAYER (\d+) \*/.*?/\* END LAYER \1 \*/\n", text, re.S)
        if not layer:
            print(f"{path}: no layer in it")
            wrong += 1
            continue
        name = f"MACEC_LAYER_{layer[1]}"
        place = re.compile(rf"({name} (?:!= )?)0x[0-9a-f]{{4}}")
        found = set(re.findall(rf"{name} (?:!= )?(0x[0-9a-f]{{4}})", layer[0]))
        blank, places = place.subn(r"\g<1>0x0000", layer[0])
        value = f"0x{fnv1a(blank.encode()) & 0xFFFF:04x}"
        right = place.sub(rf"\g<1>{value}", blank)
        sums.append(f"{hashlib.sha256(right.encode()).hexdigest()}  layer {layer[1]}\n")
        if places != 2 or found != {value}:
            if write and places == 2:
                text = text.replace(layer[0], right)
                with open(path, "w", encoding="ascii") as f:
                    f.write(text)
                print(f"{path}: {name} is now {value}")
                continue
            print(f"{path}: {name} says {' '.join(sorted(found))}, its text has {value}")
            wrong += 1
    golden = os.path.join(root, "tests", "golden", "stub-layers")
    if write:
        with open(golden, "w", encoding="ascii") as f:
            f.writelines(sums)
    elif open(golden, encoding="ascii").readlines() != sums:
        print("tests/golden/stub-layers: a layer has another text; --write accepts it (before 1.0 only)")
        wrong += 1
    return 1 if wrong else 0


sys.exit(main())
