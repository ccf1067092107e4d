#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random valid graphs against onnxruntime and onnx's reference: run.py [--sanitize] [FIRST COUNT]

Without numbers, the seeds of seeds.txt for the tier. Makes the graphs (make.py), lets `macec verify` build and run them, about fifty
to a program, and asks the other opinions where one differs. Fails when macec agrees with none, unless explained.txt says why, or
when something ends badly. Refusals are counted by reason; more than a share of the graphs is a failure.
--sanitize: the generated code is built with the address and undefined-behaviour sanitizers, for every level of this machine.
"""
import collections
import os
import pathlib
import re
import subprocess
import sys

import macec

HERE = pathlib.Path(__file__).resolve().parent
OUT = pathlib.Path(os.environ.get("MACEC_BUILD", "build")).absolute() / "random"
PYTHON = os.environ.get("MACEC_PYTHON", sys.executable)
MOST_REFUSED = 0.1
FAST = [["--target=x86-64-v3", "--optimize=-O0"]]
# In turn, 100 graphs each.
ALL = [["--target=x86-64-v3"], ["--target=x86-64-v1", "--optimize=-O1"], ["--target=x86-64-v4"], ["--target=portable", "--optimize=-O1"],
       ["--target=armv8", "--optimize=-O1"], ["--target=armv7", "--optimize=-O1"]]
# Every size that make.py may draw; a window has to fit into the smallest.
RANGES = {"n": "2..8", "m": "1..8"}
SANITIZERS = "-fsanitize=address,undefined -fno-sanitize-recover=all -g1"


def table(path):
    """{first word: rest} of a file with comments."""
    lines = [line.split("#")[0].split(None, 1) for line in path.read_text().splitlines()]
    return {words[0]: words[1].strip() if len(words) > 1 else "" for words in lines if words}


def make(seeds):
    """Writes the folders of seeds; {seed: line about it}. A seed that ends an engine's process is left out."""
    waiting, lines, running = collections.deque(seeds[i:i + 25] for i in range(0, len(seeds), 25)), {}, []
    while waiting or running:
        while waiting and len(running) < macec.JOBS:
            part = waiting.popleft()
            running.append((part, subprocess.Popen([PYTHON, HERE / "make.py", OUT, *map(str, part)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)))
        part, process = running.pop(0)
        out, err = process.communicate()
        lines.update((int(line.split()[0]), line) for line in out.splitlines())
        left = [s for s in part if s not in lines]
        if process.returncode > 0:
            sys.exit(f"make.py {left[0]}: {err[-1500:]}")
        if left:
            lines[left[0]] = f"{left[0]} ended an engine's process"
            waiting.append(left[1:])
    return lines


def verify(folders, flags):
    """{folder: (status, text)}; folders: {folder: the names of its dynamic sizes}."""
    groups, results = collections.defaultdict(list), {}
    for folder, symbols in folders.items():
        groups[symbols].append(folder)
    for symbols, group in groups.items():
        dims = [f"--dim={name}={RANGES[name]}" for name in symbols.split(",") if name != "-"]
        results.update(macec.verify_many(group, extra=[*flags, *dims]))
    return results


def judge(seeds, lines, flags):
    """[(seed, status, text)]: status `other` is right by another opinion than the first."""
    folders = {str(OUT / str(s)): lines[s].split()[1] for s in seeds if (OUT / str(s) / "model.onnx").exists()}
    results = verify(folders, flags)
    for number in (1, 2):
        again = {f"{f}/other{number}": folders[f] for f, (status, _) in results.items()
                 if status == "wrong" and (pathlib.Path(f) / f"other{number}").exists()}
        for folder, (status, _) in verify(again, flags).items() if again else ():
            if status == "passed":
                results[str(pathlib.Path(folder).parent)] = ("other", lines[int(pathlib.Path(folder).parent.name)])
    return [(int(pathlib.Path(f).name), *answer) for f, answer in results.items()]


def reason(text):
    operators = macec.refused_operators(text)
    if operators:
        return "operator " + ", ".join(operators)
    line = next((line for line in text.splitlines() if line.strip()), "no text")
    return re.sub(r"'[^']*'", "'...'", re.sub(r"\b\d+\b", "N", line))[:140]


def sanitizing_compiler():
    """A folder for PATH with a g++ that adds the sanitizers."""
    folder = OUT / "compiler"
    folder.mkdir(parents=True, exist_ok=True)
    wrapper = folder / "g++"
    real = subprocess.run(["which", "g++"], capture_output=True, text=True).stdout.strip()
    if pathlib.Path(real) != wrapper:
        wrapper.write_text(f'#!/bin/sh\nexec {real} "$@" {SANITIZERS}\n')
        wrapper.chmod(0o755)
    os.environ["PATH"] = f"{folder}:{os.environ['PATH']}"


def levels():
    flags = pathlib.Path("/proc/cpuinfo").read_text() if pathlib.Path("/proc/cpuinfo").exists() else ""
    return ["x86-64-v1"] + (["x86-64-v3"] if "avx2" in flags else []) + (["x86-64-v4"] if "avx512vl" in flags else [])


def chosen_seeds(sanitize, numbers):
    if numbers:
        return list(range(numbers[0], numbers[0] + numbers[1]))
    ranges = table(HERE / "seeds.txt")
    first, count = map(int, ranges[f"{'sanitize-' if sanitize else ''}{'full' if macec.TIER == 'full' else 'ci'}"].split())
    found = [] if sanitize else [int(s) for s in ranges["found"].split()]
    return sorted({*range(first, first + count), *found})


def main():
    sanitize = "--sanitize" in sys.argv
    numbers = [int(a) for a in sys.argv[1:] if a.isdigit()]
    seeds = chosen_seeds(sanitize, numbers)
    flags = ALL if macec.TIER == "full" else FAST
    if os.environ.get("MACEC_RANDOM_FLAGS"):
        flags = [os.environ["MACEC_RANDOM_FLAGS"].split()]
    if sanitize:
        sanitizing_compiler()
        flags = [[f"--target={level}", "--optimize=-O0"] for level in levels()]
    lines = make(seeds)
    results = []
    for i in range(0, len(seeds), 100):
        part = seeds[i:i + 100]
        for choice in flags if sanitize else [flags[i // 100 % len(flags)]]:
            results += [(s, status, f"{' '.join(choice)}: {text}" if status != "refused" else text) for s, status, text in judge(part, lines, choice)]
    report(results, lines)


def report(results, lines):
    explained = table(HERE / "explained.txt")
    count = collections.Counter(status for _, status, _ in results)
    causes = collections.defaultdict(list)
    for seed, status, text in results:
        if status == "refused":
            causes[reason(text)].append(seed)
    print("refused, by reason:")
    for cause, seeds in sorted(causes.items(), key=lambda item: -len(item[1])):
        print(f"  {len(seeds):4} {cause}  (seed {', '.join(map(str, seeds[:3]))})")
    failed = 0
    for seed, status, text in sorted(results):
        if status in ("wrong", "failed") and str(seed) in explained:
            print(f"explained {seed}: {explained[str(seed)]}")
            count["explained"] += 1
        elif status in ("wrong", "failed"):
            print(f"FAIL random {seed}: {status}: {text.strip()[:400]}")
            failed += 1
    without = [line for line in lines.values() if "nodes, opset" not in line]
    if count["refused"] > MOST_REFUSED * len(results):
        print(f"FAIL refusals: {count['refused']} of {len(results)}")
        failed += 1
    print(f"{len(lines)} graphs, {len(without)} without a model; {count['other']} right by one opinion of two that differ; {count['explained']} explained")
    print(f"{count['passed'] + count['other']} passed, {failed} failed, {count['refused'] + count['explained'] + len(without)} skipped")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
