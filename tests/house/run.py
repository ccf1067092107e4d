#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules of the house that a program can read: run.py

  * includes point downward, in the order of LAYERS, and are written from the root; only compiler/onnx includes protobuf
  * a kernel includes only parameters, vectors, other kernels and a few system headers: KERNEL_SYSTEM
  * every source file says its licence in the first three lines
  * every folder of sources has a README.md (those of codegen_templates share one)
  * no source of macec is longer than MAX_FILE lines, no function than MAX_FUNCTION
  * no tab, no trailing blank, no name of a machine's folder, no TODO without a number
"""
import re
import subprocess

import macec
from report import Report

# Bottom up: a file may include its own folder and those before it.
LAYERS = ["compiler/support", "codegen_templates/params", "compiler/ir", "compiler/ops", "targets", "passes", "compiler/emit", "compiler/driver"]
# compiler/onnx stands beside ops: it sees these, and only the driver sees it.
ONNX_SEES = ["compiler/support", "codegen_templates/params", "compiler/ir", "compiler/ops", "compiler/onnx"]
# What is macec: the rest are tests and examples.
OWN = ("compiler/", "passes/", "targets/", "codegen_templates/", "runtime_stub/")
KERNEL_SYSTEM = {"stdint.h", "stddef.h", "string.h", "math.h", "immintrin.h", "emmintrin.h", "arm_neon.h"}
MAX_FILE, MAX_FUNCTION = 400, 60
SOURCES = (".h", ".cpp", ".hpp", ".c", ".cc", ".cmake", ".sh", ".py")
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]')
PROTOBUF = re.compile(r"google/protobuf|\.pb\.h|^onnx/onnx")
FOREIGN_PATH = re.compile("/" + "work/|/" + "home/[a-z]")
TODO = re.compile(r"\bTODO\b(?!\(?#?\d)")


def tracked_files():
    listed = subprocess.run(["git", "-C", str(macec.ROOT), "ls-files"], capture_output=True, text=True)
    if listed.returncode != 0:
        return [str(p.relative_to(macec.ROOT)) for p in macec.ROOT.rglob("*") if p.is_file() and "build" not in p.parts and ".git" not in p.parts]
    return listed.stdout.split("\n")[:-1]


def layer_of(path):
    return next((layer for layer in [*LAYERS, "compiler/onnx"] if path.startswith(layer + "/")), None)


def upward(path, included):
    """Why `path` must not include `included`; None if it may."""
    mine, theirs = layer_of(path), layer_of(included)
    if mine is None or theirs is None or mine == theirs:
        return None
    if mine == "compiler/onnx":
        return None if theirs in ONNX_SEES else "compiler/onnx sees only ir and ops"
    if theirs == "compiler/onnx":
        return None if mine == "compiler/driver" else "only the driver sees compiler/onnx"
    return None if LAYERS.index(theirs) < LAYERS.index(mine) else f"{theirs} is above {mine}"


def misplaced(path, line, included):
    """Why `path` must not include `included` in this form; None if it may."""
    if path.startswith("codegen_templates/"):
        if "<" in line:
            return None if included in KERNEL_SYSTEM else "kernels do not include this"
        reached = (macec.ROOT / path).parent.joinpath(included).resolve()
        return None if reached.is_relative_to(macec.ROOT / "codegen_templates") else "kernels see only codegen_templates"
    if '"' in line and path.startswith(("compiler/", "passes/", "targets/")) and not included.startswith(OWN):
        return "write it from the root"
    return None


def check_the_checks(report):
    """The rules themselves: an include that must fail, for each, and one that must not."""
    for path, included, is_allowed in [
            ("compiler/ir/graph.h", "passes/pass.h", False), ("passes/pass.h", "compiler/ir/graph.h", True),
            ("targets/target.h", "compiler/emit/emit.h", False), ("compiler/ops/conv.cpp", "targets/target.h", False),
            ("compiler/onnx/import.cpp", "passes/pass.h", False), ("passes/pass.h", "compiler/onnx/model.h", False),
            ("compiler/support/text.h", "compiler/ir/dim.h", False), ("compiler/driver/compile.cpp", "compiler/onnx/import.h", True)]:
        report.check(f"{path} may include {included}: {is_allowed}", (upward(path, included) is None) == is_allowed, "")


def check_includes(report, path, lines):
    bad = []
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        reason = upward(path, match.group(1)) or misplaced(path, line, match.group(1))
        if reason is None and PROTOBUF.search(match.group(1)) and layer_of(path) != "compiler/onnx":
            reason = "only compiler/onnx includes protobuf"
        if reason:
            bad.append(f"line {number}: {match.group(1)}: {reason}")
    report.check(f"includes of {path}", not bad, "") if not bad else report.fail(f"includes of {path}", "; ".join(bad))


def check_text(report, path, lines):
    bad = []
    if not any("SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception" in line for line in lines[:3]):
        bad.append("no licence line at the top")
    for number, line in enumerate(lines, 1):
        if FOREIGN_PATH.search(line):
            bad.append(f"line {number}: a machine's own path")
        if TODO.search(line) and path != "tests/house/run.py":
            bad.append(f"line {number}: TODO")
        if line != line.rstrip() or "\t" in line:
            bad.append(f"line {number}: tab or trailing blank")
    if bad:
        report.fail(f"text of {path}", "; ".join(bad[:5]))
    else:
        report.ok(path)


def long_functions(lines):
    """(line, length, first line) of each function that is too long, as clang-format lays them out: it ends with `}` in the
    column it began in, 0 for a free function and 2 for a method. Tables of data are no functions."""
    for indent in ("", "  "):
        first = None
        for number, line in enumerate(lines):
            begins = line.startswith(indent) and line[len(indent):len(indent) + 1] not in ("", " ", "#", "/", "}")
            if begins and first is None and not re.match(r"\s*(public|private|case|default|if|for|while|switch|do|else|return)\b", line):
                first = number
            if first is None or number < first:
                continue
            if line == indent + "}":
                head = " ".join(lines[first:first + 4]).split("{")[0]
                if "(" in head and not re.match(r"\s*(namespace|struct|class|enum|extern)\b", head) and number - first + 1 > MAX_FUNCTION:
                    yield first + 1, number - first + 1, lines[first].strip()
                first = None
            elif line.endswith(";") and line.startswith(indent) and not line.startswith(indent + " ") and "{" not in line:
                first = None
            elif line.startswith(indent + "}") or (line.startswith(indent) and re.match(r"\s*(namespace|extern)\b.*{$", line)):
                first = None


def check_length(report, path, lines):
    bad = [f"{len(lines) - 1} lines; files end before {MAX_FILE}: split it by idea"] if len(lines) - 1 > MAX_FILE else []
    bad += [f"line {first}: {length} lines of '{text}'" for first, length, text in long_functions(lines)]
    if bad:
        report.fail(f"length of {path}", "; ".join(bad))
    else:
        report.ok(path)


def main():
    report = Report()
    check_the_checks(report)
    files = [f for f in tracked_files() if (macec.ROOT / f).is_file()]
    for path in files:
        if not path.endswith(SOURCES) or path.startswith(("tests/golden/", "tests/abi/", "tests/errors/files/")):
            continue
        lines = (macec.ROOT / path).read_text(errors="replace").split("\n")
        check_text(report, path, lines)
        if path.endswith((".h", ".cpp", ".hpp")):
            check_includes(report, path, lines)
            if path.startswith(OWN):
                check_length(report, path, lines)
    folders = {f.rsplit("/", 1)[0] for f in files if f.endswith((".cpp", ".h", ".sh", ".py")) and "/" in f}
    for folder in sorted(folders):
        if folder.count("/") <= 1 and not folder.startswith((".ci", "codegen_templates/")):
            report.check(f"{folder}/README.md", f"{folder}/README.md" in files, "" if f"{folder}/README.md" in files else "not there")
    report.finish()


if __name__ == "__main__":
    main()
