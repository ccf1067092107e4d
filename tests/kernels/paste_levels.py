#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes one C++ file that holds all kernels once per x86-64 level, as generated code does: paste_levels.py > out.cpp

Includes of repository files become their text (once per level), simd.h the level's own file; each level stands in a region for
its instructions, in namespaces. main() runs `check_level` of levels_check.h at every level that this processor has.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
KERNELS = ROOT / "codegen_templates" / "kernels"
LEVELS = [
    ("v1", "sse2.h", "", "true"),
    ("v3", "avx2.h", "avx2,fma,f16c", '__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")'),
    ("v4", "avx512.h", "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c", '__builtin_cpu_supports("avx512bw")'),
]
QUOTED = re.compile(r'#include "([^"]+)"')


def paste(path, simd, seen):
    if path.name == "simd.h":
        path = path.with_name(simd)
    if path.name == "integers.h":
        path = path.with_name(simd.replace(".h", "_integers.h"))
    if path in seen:
        return ""
    seen.add(path)
    text = ""
    for line in path.read_text().splitlines(keepends=True):
        quoted = QUOTED.match(line)
        if quoted:
            text += paste((path.parent / quoted.group(1)).resolve(), simd, seen)
        elif not line.startswith(("#pragma once", "#include <")):
            text += line
    return text


def main():
    headers = sorted(KERNELS.glob("*.h"))
    out = ["#include <immintrin.h>", "#include <math.h>", "#include <stddef.h>", "#include <stdint.h>", "#include <stdio.h>", "#include <string.h>"]
    for name, simd, features, _ in LEVELS:
        if features:
            out += ["#if defined(__clang__)", f'#pragma clang attribute push(__attribute__((target("{features}"))), apply_to = function)']
            out += ["#else", "#pragma GCC push_options", f'#pragma GCC target("{features}")', "#endif"]
        out += ["namespace {", f"namespace {name} {{"]
        seen = set()
        out += [paste(header, simd, seen) for header in headers]
        out += [paste(ROOT / "tests" / "kernels" / "levels_check.h", simd, seen), "}", "}"]
        if features:
            out += ["#if defined(__clang__)", "#pragma clang attribute pop", "#else", "#pragma GCC pop_options", "#endif"]
    out += ["int main() {", "  int failures = 0;"]
    for name, _, _, test in LEVELS:
        out.append(f'  if ({test}) failures += {name}::check_level();')
        out.append(f'  else printf("SKIP {name}: this processor lacks it\\n");')
    out += ['  printf("levels: %s\\n", failures == 0 ? "ok" : "FAILED");', "  return failures;", "}"]
    sys.stdout.write("\n".join(out) + "\n")


if __name__ == "__main__":
    main()
