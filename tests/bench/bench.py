#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Time of generated code beside ONNX Runtime's, one thread, in turns.

    bench.py [MODEL...] [--level N] [--rounds N] [--flags '-O2'] [--target x86-64] [--json FILE] [--check]

For each model of the zoo: macec compiles it, g++ builds it as a library, and both run the first data set in this one process, ten
runs of one, ten of the other, and so on. Printed: the best time of each, the median, their ratio, the share of this machine's peak
of multiply-adds (measured in the same process, between the models), and the difference of the answers. --check: exit 1 when a model
is over its bound below. Onnxruntime's default optimizations are on. Nothing else should run on the machine.
"""
import argparse
import ctypes
import json
import pathlib
import statistics
import sys
import time

import generated
import macec
import numpy as np
import onnx
import onnxruntime
import zoo

HERE = pathlib.Path(__file__).resolve().parent
DEFAULT = ["mobilenetv2_100", "bert_mini", "resnet18"]
# Millions of multiply-adds of the first data set; greatest ratio to onnxruntime's time.
MULTIPLY_ADDS = {"mobilenetv2_100": 301, "mobilenetv1_100": 569, "resnet18": 1814, "squeezenet1_1": 349, "bert_mini": 436,
                 "vit_tiny_patch16_224": 1254, "dscnn_kws": 2.7}
BOUND = {"mobilenetv2_100": 1.5, "bert_mini": 1.5, "resnet18": 1.6}
RUNS = 10
LIMIT = 1e-4


def build_library(command, out):
    result = macec.run(command, cwd=out.parent, timeout=400)
    if result.code != 0:
        sys.exit(f"bench.py: {' '.join(map(str, command))}\n{result.err[-2000:]}")
    return ctypes.CDLL(str(out))


class Ours:
    """The generated code behind shim.cpp."""

    def __init__(self, name, target, flags, level):
        folder = zoo.folder(name)
        code = generated.generate(folder, target, tag="-bench")
        out = (code.folder / "libbench.so").absolute()
        self.library = build_library(
            ["g++", "-std=c++17", *flags, "-shared", "-fPIC", "-I.", f'-DMODEL_HEADER="{name}.h"',
             f"-DMODEL_FUNCTION={generated.model_function(code)}", HERE / "shim.cpp", *[s.name for s in code.sources], "-o", out], out)
        status = self.library.bench_open(level)
        if status != 0:
            sys.exit(f"bench.py: {name}: open gives {status}")
        _, self.inputs, self.wanted = generated.data_sets(folder)[0]
        dims = generated.dim_values(folder, self.inputs)
        self.library.bench_output_bytes.restype = ctypes.c_size_t
        sizes = [self.library.bench_output_bytes(i) for i in range(len(self.wanted))]
        self.buffers = [np.zeros(size, np.uint8) for size in sizes]
        self.arguments = ((ctypes.c_int64 * max(1, len(dims)))(*dims),
                          (ctypes.c_void_p * len(self.inputs))(*[a.ctypes.data for a in self.inputs]),
                          (ctypes.c_size_t * len(self.inputs))(*[a.nbytes for a in self.inputs]),
                          (ctypes.c_void_p * len(self.buffers))(*[b.ctypes.data for b in self.buffers]))

    def run(self):
        status = self.library.bench_run(*self.arguments)
        if status != 0:
            sys.exit(f"bench.py: run gives {status}")

    def outputs(self):
        return [b[: w.nbytes].view(w.dtype).reshape(w.shape) for b, w in zip(self.buffers, self.wanted)]


class Theirs:
    """ONNX Runtime on one thread, as it comes."""

    def __init__(self, name, inputs):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(str(zoo.folder(name) / "model.onnx"), options, providers=["CPUExecutionProvider"])
        self.feeds = {i.name: a for i, a in zip(self.session.get_inputs(), inputs)}
        self.last = None

    def run(self):
        self.last = self.session.run(None, self.feeds)


def time_runs(one):
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        one.run()
        times.append((time.perf_counter() - start) * 1e3)
    return times


def measure_peak(library):
    library.peak_gflops.restype = ctypes.c_double
    return {width: max(library.peak_gflops(width) for _ in range(3)) for width in (16, 32, 64)}


def measure(name, arguments, library, peak):
    ours = Ours(name, arguments.target, arguments.flags.split(), arguments.level)
    theirs = Theirs(name, ours.inputs)
    ours.run(), theirs.run()
    mine, other = [], []
    for _ in range(arguments.rounds):
        mine += time_runs(ours)
        other += time_runs(theirs)
    peak = max(peak, *measure_peak(library).values())  # a busy neighbour makes one measurement too low
    row = {"model": name, "ms": min(mine), "median_ms": statistics.median(mine), "onnxruntime_ms": min(other),
           "onnxruntime_median_ms": statistics.median(other), "ratio": min(mine) / min(other),
           "difference": generated.worst_difference(ours.outputs(), theirs.last), "peak_gflops": peak}
    if name in MULTIPLY_ADDS:
        row["share"] = 2e-3 * MULTIPLY_ADDS[name] / row["ms"] / peak * 1e3
        row["onnxruntime_share"] = row["share"] * row["ratio"]
    return row


def print_row(row):
    share = f"{row['share']:6.0%} {row['onnxruntime_share']:8.0%}" if "share" in row else " " * 15
    print(f"{row['model']:22} {row['ms']:9.3f} {row['median_ms']:9.3f} {row['onnxruntime_ms']:9.3f} {row['onnxruntime_median_ms']:9.3f} "
          f"{row['ratio']:6.2f} {share} {row['difference']:9.1e}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", default=DEFAULT)
    parser.add_argument("--level", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--flags", default="-O2")
    parser.add_argument("--target", default="x86-64")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()

    generated.WORK.mkdir(parents=True, exist_ok=True)
    out = (generated.WORK / "libpeak.so").absolute()
    library = build_library(["g++", "-std=c++17", "-O2", "-shared", "-fPIC", HERE / "peak.cpp", "-o", out], out)
    peaks = measure_peak(library)
    print("peak GFLOP/s of one core: " + ", ".join(f"{8 * w}-bit {g:.1f}" for w, g in peaks.items() if g))
    print(f"{'model':22} {'macec ms':>9} {'median':>9} {'ORT ms':>9} {'median':>9} {'ratio':>6} {'share':>6} {'ORT share':>8} {'differ':>9}")
    rows = []
    for name in arguments.models:
        rows.append(measure(name, arguments, library, max(peaks.values())))
        print_row(rows[-1])
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n")
    bad = [r["model"] for r in rows if r["difference"] > LIMIT]
    over = [r["model"] for r in rows if r["ratio"] > BOUND.get(r["model"], float("inf"))]
    if bad:
        print(f"answers differ: {', '.join(bad)}")
    if over:
        print(f"over the bound: {', '.join(f'{m} ({BOUND[m]})' for m in over)}")
    sys.exit(1 if bad or (over and arguments.check) else 0)


if __name__ == "__main__":
    main()
