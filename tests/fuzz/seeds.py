#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the model files that the fuzzer starts from, one a line: seeds.py OUT

Small zoo graphs with their weights inside (written to OUT), the field cases, the models of the error tests, one in twelve of ONNX's
node tests and of its stored ones (old opsets; sequences), and some random graphs, in which operators stand together. What is not there
is left out.
"""
import pathlib
import subprocess
import sys

import macec

SMALL_MODELS = ["dscnn_kws", "espcn_x3", "tcn_dilated", "llama_decode_step"]
MAX_BYTES = 400_000
EVERY = 12
RANDOM_GRAPHS = range(40)


def main():
    out = pathlib.Path(sys.argv[1])
    seeds = []
    fill = macec.SHARED / "zoo/fill.py"
    if fill.exists():
        subprocess.run([sys.executable, str(fill), str(out / "zoo"), *SMALL_MODELS, "--single"], check=True, stdout=subprocess.DEVNULL)
        seeds += sorted((out / "zoo").glob("*/model.onnx"))
    seeds += sorted(macec.SHARED.glob("cases/*/model.onnx"))
    subprocess.run([sys.executable, str(macec.ROOT / "tests/errors/make_models.py"), str(out / "errors")], check=True)
    seeds += sorted((out / "errors").glob("*.onnx"))
    seeds += sorted((macec.CACHE / "node").glob("*/model.onnx"))[::EVERY]
    seeds += sorted((macec.CACHE / "stored").glob("*/*/model.onnx"))[::EVERY]
    seeds += sorted((macec.CACHE / "stored").glob("simple/test_sequence_model*/model.onnx"))
    subprocess.run([sys.executable, str(macec.ROOT / "tests/random/make.py"), str(out / "random"), *map(str, RANDOM_GRAPHS)],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    seeds += sorted((out / "random").glob("*/model.onnx"))
    for seed in seeds:
        if 0 < seed.stat().st_size <= MAX_BYTES:
            print(seed.absolute())


if __name__ == "__main__":
    main()
