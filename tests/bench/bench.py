#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Time of generated code beside ONNX Runtime's, in turns.

    bench.py [MODEL...] [--level N] [--rounds N] [--flags '-O2'] [--target x86-64] [--threads N] [--json FILE]
             [--check]

For each model of the zoo (without names: those that PEERS.md has): macec compiles it for the sizes of one data set, g++ builds it as a
library, and both run that set in this one process, on one thread (--threads: on N, ours on the pool of macec_threads.h), ten runs of one, ten of the other, and so on. Printed: the best time of each, the median, their ratio, the share of this machine's peak
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
import zoo_table

HERE = pathlib.Path(__file__).resolve().parent
# Millions of multiply-adds of the data set.
MULTIPLY_ADDS = {"mobilenetv1_100": 569, "mobilenetv2_100": 301, "mobilenetv3_large_100": 217, "mobilenetv4_conv_small": 186,
                 "tf_efficientnet_lite0": 385, "resnet18": 1814, "resnet50": 4089, "squeezenet1_1": 349, "shufflenet_v2_x1_0": 145,
                 "vit_tiny_patch16_224": 1254, "bert_mini": 436, "mobilevit_xs": 1026, "centerface": 494, "ppocr_det": 576,
                 "ppocr_rec": 703, "basic_pitch": 524, "silero_vad_16k_static": 0.7, "dscnn_kws": 2.7}
DATA_SET = {"centerface": 1}  # 256x320; otherwise the first
# Ratio to onnxruntime's time: greatest geometric mean by threads, greatest of one model on one thread.
MEAN_BOUND = {1: 1.1, 2: 1.2}
BOUND = 1.5
RUNS = 10


def build_library(command, out):
    result = macec.run(command, cwd=out.parent, timeout=400)
    if result.code != 0:
        sys.exit(f"bench.py: {' '.join(map(str, command))}\n{result.err[-2000:]}")
    return ctypes.CDLL(str(out))


class Ours:
    """The generated code behind shim.cpp."""

    def __init__(self, name, target, flags, level, threads):
        folder = zoo.folder(name)
        _, self.inputs, self.wanted = generated.data_sets(folder)[DATA_SET.get(name, 0)]
        code = generated.generate(folder, target, tag="-bench", sizes=generated.fixed_sizes(folder, self.inputs))
        out = (code.folder / "libbench.so").absolute()
        self.library = build_library(
            ["g++", "-std=c++17", *flags, "-shared", "-fPIC", "-I.", "-I", macec.ROOT, f'-DMODEL_HEADER="{name}.h"',
             f"-DMODEL_FUNCTION={generated.model_function(code)}", HERE / "shim.cpp", *[s.name for s in code.sources], "-o", out], out)
        status = self.library.bench_open(level, threads)
        if status != 0:
            sys.exit(f"bench.py: {name}: open gives {status}")
        self.library.bench_output_bytes.restype = ctypes.c_size_t
        sizes = [self.library.bench_output_bytes(i) for i in range(len(self.wanted))]
        self.buffers = [np.zeros(size, np.uint8) for size in sizes]
        self.arguments = (None,
                          (ctypes.c_void_p * len(self.inputs))(*[a.ctypes.data for a in self.inputs]),
                          (ctypes.c_size_t * len(self.inputs))(*[a.nbytes for a in self.inputs]),
                          (ctypes.c_void_p * len(self.buffers))(*[b.ctypes.data for b in self.buffers]))

    def run(self):
        status = self.library.bench_run(*self.arguments)
        if status != 0:
            sys.exit(f"bench.py: run gives {status}")

    def outputs(self):
        return [b[: w.nbytes].view(w.dtype).reshape(w.shape) for b, w in zip(self.buffers, self.wanted)]


def fixed_model(folder, inputs):
    """A copy of the model beside it whose inputs have the shapes of these arrays."""
    model = onnx.load(folder / "model.onnx", load_external_data=False)
    for value, array in zip(generated.model_inputs(folder), inputs):
        mine = next(v for v in model.graph.input if v.name == value.name)
        mine.CopyFrom(onnx.helper.make_tensor_value_info(value.name, value.type.tensor_type.elem_type, array.shape))
    for value in model.graph.output:
        value.type.tensor_type.ClearField("shape")
    del model.graph.value_info[:]
    path = folder / "fixed.onnx"
    onnx.save(model, path)
    return path


class Theirs:
    """ONNX Runtime as it comes, with the sizes of the inputs fixed too."""

    def __init__(self, name, inputs, threads):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        options.log_severity_level = 3
        path = fixed_model(zoo.folder(name), inputs)
        self.session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
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
    ours = Ours(name, arguments.target, arguments.flags.split(), arguments.level, arguments.threads)
    theirs = Theirs(name, ours.inputs, arguments.threads)
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
        row["share"] = 2e-3 * MULTIPLY_ADDS[name] / row["ms"] / (peak * arguments.threads) * 1e3
        row["onnxruntime_share"] = row["share"] * row["ratio"]
    return row


def print_row(row):
    share = f"{row['share']:6.0%} {row['onnxruntime_share']:8.0%}" if "share" in row else " " * 15
    print(f"{row['model']:22} {row['ms']:9.3f} {row['median_ms']:9.3f} {row['onnxruntime_ms']:9.3f} {row['onnxruntime_median_ms']:9.3f} "
          f"{row['ratio']:6.2f} {share} {row['difference']:9.1e}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*")
    parser.add_argument("--level", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
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
    for name in arguments.models or MULTIPLY_ADDS:
        rows.append(measure(name, arguments, library, max(peaks.values())))
        print_row(rows[-1])
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n")
    mean = statistics.geometric_mean(r["ratio"] for r in rows)
    print(f"geometric mean of the ratios, {arguments.threads} thread(s): {mean:.2f}")
    sys.exit(judge(rows, mean, arguments))


def judge(rows, mean, arguments):
    """The exit code; says what is wrong."""
    bad = [r["model"] for r in rows if r["difference"] > zoo_table.limit(r["model"])]
    over = [f"{r['model']} ({BOUND})" for r in rows if r["ratio"] > BOUND and arguments.threads == 1]
    bound = MEAN_BOUND.get(arguments.threads, float("inf"))
    if mean > bound and not arguments.models:
        over.append(f"the mean ({bound})")
    if bad:
        print(f"answers differ: {', '.join(bad)}")
    if over:
        print(f"over the bound: {', '.join(over)}")
    return 1 if bad or (over and arguments.check) else 0


if __name__ == "__main__":
    main()
