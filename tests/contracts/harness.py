# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles a model by macec and its code with driver.cpp around it, runs it, and asks ONNX Runtime for the right answer."""
import os
import pathlib

import macec
import numpy as np
import onnx
import onnxruntime

HERE = pathlib.Path(__file__).resolve().parent
WORK = pathlib.Path(os.environ.get("MACEC_BUILD", "build")).resolve() / "contracts"
COMPILER = ["g++", "-O1", "-std=c++17", "-pthread"]


class Broken(Exception):
    """A command that had to work did not."""


def must(command, **more):
    result = macec.run(command, **more)
    if result.code != 0:
        raise Broken(f"{' '.join(str(c) for c in command)}: exit code {result.code}: {(result.err + result.out)[-400:].strip()}")
    return result


class Program:
    """A model as a program. `edit` may change the text of the generated source before it is compiled."""

    def __init__(self, name, model, flags=(), target="x86-64-v3", compiler=None, runner=(), edit=None, static=False):
        self.folder, self.name, self.runner = WORK / name, name, list(runner)
        self.folder.mkdir(parents=True, exist_ok=True)
        onnx.save(model, self.folder / "model.onnx")
        self.source = self.folder / "m.cpp"
        self.answer = must([macec.MACEC, "model.onnx", "-o", "m.cpp", "--force", f"--target={target}", *flags], cwd=self.folder)
        if edit:
            self.source.write_text(edit(self.source.read_text()))
        extra = [p for p in self.folder.glob("*_weights.S")]
        symbol = next(line for line in (self.folder / "m.h").read_text().splitlines() if "_model(void);" in line).split()[-1].split("(")[0].lstrip("*")
        must([*(compiler or COMPILER), *(["-static"] if static else []), f'-DHEADER="m.h"', f"-DMODEL={symbol}", f"-I{self.folder}", HERE / "driver.cpp",
              self.source, *extra, "-o", self.folder / "program"])

    def run(self, *runs, dims=(), level=0, threads=1, dtypes=(np.float32,), unwanted=0, go_on=False):
        """`unwanted`: so many of the last outputs are NULL. Each of `runs` is a list of input arrays. Returns, run by run, the list of outputs,
        or, with `go_on`, the text of the error of a run that failed."""
        for old in self.folder.glob("out_*"):
            old.unlink()
        for r, inputs in enumerate(runs):
            for i, array in enumerate(inputs):
                np.ascontiguousarray(array).tofile(self.folder / f"in_{r}_{i}")
        result = macec.run([*self.runner, self.folder / "program", level, threads, len(runs), self.folder, *dims],
                           env={**os.environ, "UNWANTED": str(unwanted), **({"GO_ON": "1"} if go_on else {})})
        if result.code != 0:
            raise Broken(result.out.strip() + result.err[-300:])
        shapes = iter(result.out.splitlines())
        answers = []
        for r in range(len(runs)):
            outputs = []
            for i, dtype in enumerate(dtypes):
                text = next(shapes)
                if text.startswith("run: "):
                    outputs = text
                    break
                shape = () if text == "scalar" else tuple(int(n) for n in text.split(","))
                outputs.append(np.fromfile(self.folder / f"out_{r}_{i}", dtype).reshape(shape))
            answers.append(outputs)
        return answers

    def error(self, *runs, **more):
        """The text of the error that the run must end with."""
        try:
            self.run(*runs, **more)
        except Broken as broken:
            return str(broken)
        raise Broken("the run succeeded, but must fail")


def right(model, inputs):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, {i.name: a for i, a in zip(session.get_inputs(), inputs)})


def difference(have, want):
    """Greatest difference of any output, as a part of that output's greatest magnitude; infinite when shapes differ."""
    worst = 0.0
    for a, b in zip(have, want):
        if a.shape != b.shape:
            return float("inf")
        if b.size:
            a, b = a.astype(np.float64), b.astype(np.float64)
            worst = max(worst, np.abs(a - b).max() / max(np.abs(b).max(), 1e-30))
    return worst
