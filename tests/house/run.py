#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules of the house that a program can read: run.py

  * includes point downward, in the order of LAYERS; only compiler/onnx includes protobuf; nothing includes outside its layer's reach
  * every source file says its licence in the first three lines
  * every folder of sources has a README.md (those of codegen_templates and targets share one)
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


def check_includes(report, path, lines):
    bad = []
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        reason = upward(path, match.group(1))
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


def main():
    report = Report()
    files = [f for f in tracked_files() if (macec.ROOT / f).is_file()]
    for path in files:
        if not path.endswith(SOURCES) or path.startswith(("tests/golden/", "tests/abi/", "tests/errors/files/")):
            continue
        lines = (macec.ROOT / path).read_text(errors="replace").split("\n")
        check_text(report, path, lines)
        if path.endswith((".h", ".cpp", ".hpp")):
            check_includes(report, path, lines)
    folders = {f.rsplit("/", 1)[0] for f in files if f.endswith((".cpp", ".h", ".sh", ".py")) and "/" in f}
    for folder in sorted(folders):
        if folder.count("/") <= 1 and not folder.startswith((".ci", "codegen_templates/", "targets/")):
            report.check(f"{folder}/README.md", f"{folder}/README.md" in files, "" if f"{folder}/README.md" in files else "not there")
    report.finish()


if __name__ == "__main__":
    main()
