# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generated code of a model folder: make it, build a program around it, run it on the folder's data, compare. Needs onnx, numpy."""
import dataclasses
import functools
import os
import pathlib
import re
import shutil

import macec
import numpy as np
import onnx
from onnx import numpy_helper
from zoo_table import OTHER_SIZES, free

PROGRAMS = macec.ROOT / "tests/models/programs"
WORK = pathlib.Path(os.environ.get("MACEC_BUILD", "build")) / "models"
DIM_TABLE, DIM_ENTRY = "constexpr macec_dim kDims[] = {", re.compile(r'^    \{"(.+)", \d+, \d+\},$', re.M)
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
# Target of macec: compiler, its flags, and what runs the program.
MACHINES = {
    "x86-64": (["g++"], []),
    "armv8": (["aarch64-linux-gnu-g++"], ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"]),
    "armv7": (["arm-linux-gnueabihf-g++", "-mfpu=neon"], ["qemu-arm", "-cpu", "cortex-a15", "-L", "/usr/arm-linux-gnueabihf"]),
}


def machine(target):
    return MACHINES[next(name for name in MACHINES if target.startswith(name))]


def missing_tools(target):
    compiler, runner = machine(target)
    return [tool for tool in (compiler[0], *runner[:1]) if not shutil.which(tool)]


@dataclasses.dataclass
class Code:
    """What one run of macec wrote."""
    name: str
    target: str
    folder: pathlib.Path
    sources: list  # the .cpp, and the .S of the weights when there is one
    made: macec.Result

    def header(self):
        return self.folder / f"{self.name}.h"


class Refused(Exception):
    pass


def generate(model_folder, target, flags=(), tag="", sizes=None):
    """Compiles a model folder into WORK/NAME-TARGET-TAG. Raises Refused with macec's text when it does not compile.

    sizes: flags that say the open sizes, instead of those of zoo_table.
    """
    name = model_folder.name
    folder = WORK / f"{name}-{target}{tag}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    command = [macec.MACEC, model_folder / "model.onnx", f"--target={target}", "-o", f"{name}.cpp", *(free(name) if sizes is None else sizes), *flags]
    made = macec.run_measured(command, cwd=folder.absolute())
    if made.code != 0:
        raise Refused(f"exit code {made.code}: {made.err.strip()[-500:]}")
    assembly = folder / f"{name}_weights.S"
    return Code(name, target, folder, [folder / f"{name}.cpp"] + ([assembly] if assembly.exists() else []), made)


def fixed_sizes(model_folder, inputs):
    """Flags that fix the shape of every input to a data set's."""
    return [f"--shape={v.name}={'x'.join(map(str, a.shape))}" for v, a in zip(model_inputs(model_folder), inputs) if a.shape]


def model_function(code):
    """The exported function: the header declares `const macec_model *NAME_model(void)`."""
    for line in code.header().read_text().splitlines():
        if "_model(void);" in line and "const macec_model" in line:
            return line.split("_model(void)")[0].split("*")[-1].strip() + "_model"
    raise Refused(f"{code.header()} declares no model function")


def build(code, program, flags=("-O2",), compiler=None, tag=""):
    """Builds tests/models/programs/PROGRAM.cpp with the generated code. Returns (path of the program, macec.Result)."""
    compiler = compiler or machine(code.target)[0]
    out = (code.folder / f"{pathlib.Path(program).name}{tag}").absolute()
    command = [*compiler, "-std=c++17", *flags, "-I.", f'-DMODEL_HEADER="{code.name}.h"', f"-DMODEL_FUNCTION={model_function(code)}",
               PROGRAMS / f"{program}.cpp", *[s.name for s in code.sources], "-o", out, "-lpthread", "-Wno-psabi"]
    result = macec.run(command, cwd=code.folder.absolute(), timeout=400)
    if result.code != 0:
        raise Refused(f"{compiler[0]} {' '.join(flags)}: {'no end in time' if result.timed_out else result.err.strip()[-700:]}")
    return out, result


def compile_object(code, source, flags, compiler, out=None):
    """Compiles one generated file to an object in its folder. Returns (path, macec.Result)."""
    out = (code.folder / (out or f"{source.stem}.o")).absolute()
    return out, macec.run([*compiler, "-std=c++17", *flags, "-c", source.name, "-o", out], cwd=code.folder.absolute(), timeout=400)


def read_value(path):
    tensor = onnx.TensorProto()
    tensor.ParseFromString(path.read_bytes())
    return numpy_helper.to_array(tensor)


def data_sets(model_folder):
    """[(number, inputs, outputs)] as arrays: the sets that the sizes of zoo_table fit."""
    sets = []
    for folder in sorted(model_folder.glob("test_data_set_*")):
        read = lambda kind: [read_value(folder / f"{kind}_{i}.pb") for i in range(len(list(folder.glob(f"{kind}_*.pb"))))]
        number = int(folder.name.rsplit("_", 1)[1])
        if number not in OTHER_SIZES.get(model_folder.name, []):
            sets.append((number, read("input"), read("output")))
    return sets


@functools.lru_cache(maxsize=None)
def model_inputs(model_folder):
    """The graph's inputs that are no initializers."""
    model = onnx.load(model_folder / "model.onnx", load_external_data=False)
    stored = {t.name for t in model.graph.initializer}
    return [v for v in model.graph.input if v.name not in stored]


def dim_values(code, model_folder, inputs):
    """Sizes in a data set of the dims that the code leaves open, in the order of its table of dims."""
    sizes = {}
    for value, array in zip(model_inputs(model_folder), inputs):
        for axis, (d, extent) in enumerate(zip(value.type.tensor_type.shape.dim, array.shape)):
            sizes.setdefault(d.dim_param or f"{value.name}_{axis}", extent)
            sizes[f"{value.name}_{axis}"] = extent
    return [sizes[name] for name in DIM_ENTRY.findall(code.sources[0].read_text().partition(DIM_TABLE)[2].partition("};")[0])]


def write_inputs(folder, number, inputs):
    paths = []
    for i, array in enumerate(inputs):
        path = folder.absolute() / f"set{number}_in{i}.bin"
        path.write_bytes(np.ascontiguousarray(array).tobytes())
        paths.append(path)
    return paths


def run_program(code, program, model_folder, data, flags=(), prefix=None, env=None, timeout=300):
    """Runs a program on one data set. Returns (macec.Result, outputs as arrays of the wanted types; None where none was written)."""
    number, inputs, wanted = data
    paths = write_inputs(code.folder, number, inputs)
    outs = [code.folder.absolute() / f"set{number}_out{i}.bin" for i in range(len(wanted))]
    for path in outs:
        path.unlink(missing_ok=True)
    dims = dim_values(code, model_folder, inputs)
    command = [*(machine(code.target)[1] if prefix is None else prefix), program, *(["--dims", ",".join(map(str, dims))] if dims else []),
               *flags, *paths, "--", *outs]
    result = macec.run(command, timeout=timeout, env=env)
    have = []
    for path, want in zip(outs, wanted):
        raw = path.read_bytes() if path.exists() else b""
        have.append(np.frombuffer(raw, want.dtype).reshape(want.shape) if len(raw) == want.nbytes else None)
    return result, have


def difference(have, want):
    """Greatest difference of one output as a share of its greatest magnitude; infinity where the shape or a NaN is wrong."""
    if have is None or have.shape != want.shape:
        return float("inf")
    a, b = have.astype(np.float64), want.astype(np.float64)
    if not np.array_equal(np.isnan(a), np.isnan(b)):
        return float("inf")
    same = (a == b) | np.isnan(b)
    with np.errstate(invalid="ignore"):
        gap = np.where(same, 0.0, np.abs(a - b))
    scale = np.max(np.abs(np.where(np.isfinite(b), b, 0.0)), initial=0.0)
    worst = float(np.max(gap, initial=0.0))
    return worst / scale if scale > 0 else worst


def worst_difference(have, want):
    return max((difference(a, b) for a, b in zip(have, want)), default=float("inf"))
