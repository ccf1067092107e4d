#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts how many of ONNX's own tests pass, are refused, or are wrong.

    run.py NODE_TESTS STORED_TESTS [NAME...]       the folders that write_node_tests.py and write_stored_tests.py filled

Fails when one is wrong or failed (crash, our own error, code that does not compile), when fewer pass than floor.txt says, or
when one of the node tests that pass on x86-64 does not on an ARM; of those every 24th is taken, every tenth in the full tier.
Those that pass are tried once more with their inputs and outputs moved about (moved.py), every sixth, all in the full tier.
excluded.txt lists tests whose stored outputs cannot be a requirement, each with the reason; they count as skipped.
Lists of names, one a line, go to $MACEC_BUILD/conformance/{passed,refused,wrong,failed}.txt, of stored tests to stored_....
"""
import collections
import os
import pathlib
import re
import shutil
import sys

import macec
import moved
from report import Report

HERE = pathlib.Path(__file__).resolve().parent
# One level without optimization takes a minute or two; all levels with -O2, in the full tier, twenty.
FLAGS = [] if macec.TIER == "full" else ["--target=x86-64-v3", "--optimize=-O0"]
SHOWN = 40  # wrong or failed tests printed; all are in the lists
ARMS = {"armv8": "qemu-aarch64", "armv7": "qemu-arm"}
ARM_STEP = 10 if macec.TIER == "full" else 24
MOVED_STEP = 1 if macec.TIER == "full" else 6


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


def write_lists(results, tests, prefix):
    out = pathlib.Path(os.environ.get("MACEC_BUILD", "build")) / "conformance"
    out.mkdir(parents=True, exist_ok=True)
    for status in macec.STATUSES:
        names = [f"{t.name}\t{results[str(t)][1].strip().splitlines()[:1]}" if status != "passed" else t.name
                 for t in tests if results[str(t)][0] == status]
        (out / f"{prefix}{status}.txt").write_text("".join(name + "\n" for name in names))
    return out


def count_up(report, title, tests, results, floor, excluded=0, prefix=""):
    """Prints and counts one suite; returns the tests that passed. floor None: only some of the suite were run."""
    out = write_lists(results, tests, prefix)
    count = collections.Counter(status for status, _ in results.values())
    causes = collections.Counter(reason(text) for status, text in results.values() if status == "refused")
    print(f"{title}, refused, by cause:")
    for cause, number in causes.most_common():
        print(f"  {number:5} {cause}")
    bad = [(t.name, *results[str(t)]) for t in tests if results[str(t)][0] in ("wrong", "failed")]
    for name, status, text in bad[:SHOWN]:
        print(f"FAIL {name}: {status}: {text.strip()[:300]}")
    print(title, "  ".join(f"{status} {count[status]}" for status in macec.STATUSES), f" excluded {excluded};", "lists in", out,
          flush=True)
    report.passed += count["passed"]
    report.failed += len(bad)
    report.skipped += count["refused"] + excluded
    if floor is not None and count["passed"] < floor:
        report.fail(f"floor of {title}", f"{count['passed']} passed, floor.txt asks for {floor}")
    elif floor is not None and count["passed"] > floor:
        print(f"note: {count['passed']} of the {title} passed, more than the {floor} of floor.txt; raise it")
    return [t for t in tests if results[str(t)][0] == "passed"]


def models_in(root, names):
    folders = sorted(p.parent for p in root.rglob("model.onnx"))
    return [f for f in folders if not names or f.name in names]


def run_nodes(report, root, names, floor):
    excluded = read_pairs(HERE / "excluded.txt")
    folders = models_in(root, names)
    tests = [f for f in folders if f.name not in excluded]
    results = macec.verify_many(tests, extra=FLAGS)
    return count_up(report, "node tests", tests, results, floor, len(folders) - len(tests))


def run_stored(report, root, names, floor):
    """Networks one by one: each is a program of its own, and long to run without optimization."""
    networks = models_in(root / "light", names)
    small = [f for f in models_in(root, names) if f not in networks]
    results = macec.verify_many(small, extra=FLAGS)
    for folder in networks:
        results.update(macec.verify_many([folder], extra=["--target=x86-64-v3", "--optimize=-O1"], timeout_each=300))
    count_up(report, "stored tests", small + networks, results, floor, prefix="stored_")


def run_arms(report, passed):
    for target, tool in ARMS.items():
        if not shutil.which(tool):
            report.skip(target, f"{tool} is not installed")
            continue
        some = passed[::ARM_STEP]
        answers = macec.verify_many(some, [f"--target={target}", "--optimize=-O1"])
        for folder, (status, text) in sorted(answers.items()):
            name = f"{target} {pathlib.Path(folder).name}"
            if status == "passed":
                report.ok(name)
            else:
                report.fail(name, f"{status}: {text[-300:].strip()}")
        print(f"{target}: {len(some)} of the node tests that pass on x86-64", flush=True)


def run_moved(report, passed):
    """What passes must not depend on where its operands lie."""
    out = pathlib.Path(os.environ.get("MACEC_BUILD", "build")) / "conformance" / "moved"
    folders = moved.write_moved(passed[::MOVED_STEP], out)
    answers = macec.verify_many(folders, extra=["--target=x86-64-v3", "--optimize=-O0"])
    for folder, (status, text) in sorted(answers.items()):
        name = pathlib.Path(folder).name
        if status == "passed":
            report.ok(name)
        else:
            report.fail(name, f"{status}: {text[-300:].strip()}")
    shutil.rmtree(out, ignore_errors=True)


def main():
    names = sys.argv[3:]
    floors = {suite: int(number) if not names else None for suite, number in read_pairs(HERE / "floor.txt").items()}
    report = Report()
    passed = run_nodes(report, pathlib.Path(sys.argv[1]), names, floors["passed"])
    run_stored(report, pathlib.Path(sys.argv[2]), names, floors["stored"])
    run_moved(report, passed)
    run_arms(report, passed)
    report.finish()


if __name__ == "__main__":
    main()
