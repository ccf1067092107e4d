#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts how many of ONNX's node tests pass, are refused, or are wrong.

    run.py NODE_TESTS [NAME...]       NODE_TESTS: the folder that write_node_tests.py filled

Fails when one is wrong or failed (crash, our own error, code that does not compile), or when fewer pass than floor.txt says.
excluded.txt lists tests whose stored outputs cannot be a requirement, each with the reason; they count as skipped.
Lists of names, one a line, go to $MACEC_BUILD/conformance/{passed,refused,wrong,failed}.txt.
"""
import collections
import os
import pathlib
import re
import sys

import macec

HERE = pathlib.Path(__file__).resolve().parent
# One level without optimization takes a minute or two; all levels with -O2, in the full tier, twenty.
FLAGS = [] if macec.TIER == "full" else ["--target=x86-64-v3", "--optimize=-O0"]
SHOWN = 40  # wrong or failed tests printed; all are in the lists


def read_pairs(path):
    """{first word: rest} of a file with comments."""
    lines = [line.split("#")[0].strip() for line in path.read_text().splitlines()]
    return {line.split()[0]: line[len(line.split()[0]):].strip() for line in lines if line}


def reason(text):
    """The first line of a refusal without what is particular to one model, so that equal causes are counted together."""
    operators = macec.refused_operators(text)
    if operators:
        return "operator " + ", ".join(operators)
    lines = [line for line in text.splitlines() if line.strip()]
    first = lines[0] if lines else "no text"
    return re.sub(r"'[^']*'", "'...'", re.sub(r"\b\d+\b", "N", first))[:110]


def write_lists(results, tests):
    out = pathlib.Path(os.environ.get("MACEC_BUILD", "build")) / "conformance"
    out.mkdir(parents=True, exist_ok=True)
    for status in macec.STATUSES:
        names = [f"{t.name}\t{results[str(t)][1].strip().splitlines()[:1]}" if status != "passed" else t.name
                 for t in tests if results[str(t)][0] == status]
        (out / f"{status}.txt").write_text("".join(name + "\n" for name in names))
    return out


def main():
    root = pathlib.Path(sys.argv[1])
    names = sys.argv[2:]
    excluded = read_pairs(HERE / "excluded.txt")
    folders = [f for f in sorted(root.iterdir()) if (f / "model.onnx").exists() and (not names or f.name in names)]
    tests = [f for f in folders if f.name not in excluded]
    results = macec.verify_many(tests, extra=FLAGS)
    out = write_lists(results, tests)
    count = collections.Counter(status for status, _ in results.values())

    causes = collections.Counter(reason(text) for status, text in results.values() if status == "refused")
    print("refused, by cause:")
    for cause, number in causes.most_common():
        print(f"  {number:5} {cause}")
    bad = [(t.name, *results[str(t)]) for t in tests if results[str(t)][0] in ("wrong", "failed")]
    for name, status, text in bad[:SHOWN]:
        print(f"FAIL {name}: {status}: {text.strip()[:300]}")
    print("  ".join(f"{status} {count[status]}" for status in macec.STATUSES), f" excluded {len(folders) - len(tests)};", "lists in", out)

    floor = int(read_pairs(HERE / "floor.txt")["passed"])
    failed = len(bad)
    if not names and count["passed"] < floor:
        print(f"FAIL floor: {count['passed']} passed, floor.txt asks for {floor}")
        failed += 1
    elif not names and count["passed"] > floor:
        print(f"note: {count['passed']} passed, more than the {floor} of floor.txt; raise it")
    skipped = count["refused"] + len(folders) - len(tests)
    print(f"{count['passed']} passed, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
