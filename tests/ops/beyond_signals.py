# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Signals, matrices and bits beyond ONNX's node tests: see beyond.py."""
import numpy as np
from onnx import TensorProto, helper

from beyond import Case
from beyond_spatial import RANDOM, uniform

TIGHT = "1e-4 1e-4"


# --- DFT, STFT

def dft(name, x, length=None, axis=None, opset=20, **rest):
    attributes = {k: rest.pop(k) for k in ("inverse", "onesided") if k in rest}
    constants, names = {}, ["x", "", ""]
    if length is not None:
        constants["length"], names[1] = np.array(length), "length"
    if axis is not None and opset >= 20:
        constants["axis"], names[2] = np.array(axis), "axis"
    if axis is not None and opset < 20:
        attributes["axis"] = axis
    while not names[-1]:
        names.pop()
    node = helper.make_node("DFT", names, ["y"], **attributes)
    return Case(f"dft_{name}", node, {"x": x}, ["y"], opset, constants=constants, tolerance=rest.pop("tolerance", TIGHT), **rest)


def transforms():
    for n in (1, 2, 3, 4, 5, 7, 8, 12, 16, 30, 37, 64, 100):
        yield dft(f"of_{n}", uniform(2, n, 2))
        yield dft(f"of_{n}_back", uniform(2, n, 2), inverse=1)
        yield dft(f"of_{n}_real", uniform(1, n, 1), onesided=1)
        yield dft(f"to_{n}_real", uniform(1, n // 2 + 1, 2), length=n, onesided=1, inverse=1)
    for length in (5, 12):
        yield dft(f"cut_or_padded_to_{length}", uniform(3, 8, 1), length=length)
        yield dft(f"back_cut_or_padded_to_{length}", uniform(3, 8, 2), length=length, onesided=1, inverse=1)
    yield dft("default_length_back", uniform(1, 5, 2), onesided=1, inverse=1)
    x = uniform(3, 4, 5, 2)
    for axis in (0, 1, -2, -4):
        yield dft(f"axis_{axis}", x, axis=axis)
    yield dft("axis_attribute", x, axis=0, opset=17)
    yield dft("axis_attribute_default", x, opset=19)
    yield dft("of_doubles", x.astype(np.float64), tolerance="1e-9 1e-9")
    yield dft("of_halves", x.astype(np.float16), tolerance="1e-2 1e-2")
    yield dft("dynamic", uniform(3, 11, 1), onesided=1, shapes={"x": ["b", "n", 1]}, flags=("--dim=b=1..4", "--dim=n=1..20"))
    yield dft("last_axis", x, axis=3, refused="the axis is the last one")
    yield dft("complex_onesided", x, onesided=1, refused="no onesided transform")


def stft(name, x, step, window=None, length=None, **rest):
    attributes = {k: rest.pop(k) for k in ("onesided",) if k in rest}
    inputs, names, constants = {"x": x}, ["x", "step", "", ""], {"step": np.array(step)}
    if window is not None:
        inputs["window"], names[2] = window, "window"
    if length is not None:
        constants["length"], names[3] = np.array(length), "length"
    while not names[-1]:
        names.pop()
    node = helper.make_node("STFT", names, ["y"], **attributes)
    return Case(f"stft_{name}", node, inputs, ["y"], 17, constants=constants, tolerance=rest.pop("tolerance", TIGHT), **rest)


def short_transforms():
    x = uniform(2, 70, 1)
    yield stft("window", x, 8, uniform(16), 16)
    yield stft("window_alone", x, 5, uniform(15), onesided=0)
    yield stft("length_alone", x, 7, length=12)
    yield stft("complex", uniform(1, 40, 2), 6, uniform(10), onesided=0)
    yield stft("of_doubles", x.astype(np.float64), 8, uniform(16, dtype=np.float64), tolerance="1e-9 1e-9")
    yield stft("dynamic", x, 8, uniform(16), shapes={"x": ["b", "l", 1]}, flags=("--dim=b=1..2", "--dim=l=16..90"))
    yield stft("too_short", uniform(1, 5, 1), 2, uniform(8), expected=[np.zeros((1, 0, 5, 2), np.float32)])
    yield stft("complex_onesided", uniform(1, 40, 2), 6, uniform(10), refused="no onesided transform")
    yield stft("wrong_window", x, 6, uniform(10), 12, refused="a window of 10 elements for frames of 12")


# --- Det, CumProd, BitCast

def determinants():
    def det(name, x, **rest):
        return Case(f"det_{name}", helper.make_node("Det", ["x"], ["y"]), {"x": x}, ["y"], **rest)
    for n in (1, 2, 3, 7, 16):
        yield det(f"of_{n}", uniform(3, n, n), tolerance="1e-3 1e-4")
    yield det("of_doubles", uniform(2, 2, 5, 5, dtype=np.float64), tolerance="1e-9 1e-12")
    yield det("of_none", np.zeros((2, 0, 0), np.float32), expected=[np.ones(2, np.float32)])
    yield det("singular", np.array([[1, 2], [2, 4]], np.float32))
    yield det("swapped", np.array([[0, 1], [1, 0]], np.float32))
    yield det("of_halves", np.array([[3, 1], [1, 2]], np.float16), expected=[np.float16(5)])
    yield det("dynamic", uniform(3, 4, 4), shapes={"x": ["b", 4, 4]}, flags=("--dim=b=0..5",))
    turned = helper.make_node("Transpose", ["x"], ["t"], perm=[2, 0, 1])
    yield Case("det_of_transposed", [turned, helper.make_node("Det", ["t"], ["y"])], {"x": uniform(4, 4, 3)}, ["y"])
    yield det("of_oblong", uniform(2, 3), refused="the number of rows")


def products():
    for dtype in (np.float32, np.float64, np.int32, np.int64, np.float16):
        x = RANDOM.integers(-3, 4, (2, 3, 5)).astype(dtype)
        for exclusive, reverse in ((0, 0), (1, 0), (0, 1), (1, 1)):
            node = helper.make_node("CumProd", ["x", "axis"], ["y"], exclusive=exclusive, reverse=reverse)
            yield Case(f"cumprod_{dtype.__name__}_{exclusive}{reverse}", node, {"x": x}, ["y"], 26,
                       constants={"axis": np.array(-2)})


def bit_casts():
    def cast(name, x, to, y):
        node = helper.make_node("BitCast", ["x"], ["y"], to=to)
        return Case(f"bitcast_{name}", node, {"x": x}, ["y"], 26, expected=[y], tolerance="0 0")
    halves, floats = uniform(3, 5, dtype=np.float16), uniform(3, 5)
    yield cast("half_to_uint16", halves, TensorProto.UINT16, halves.view(np.uint16))
    yield cast("int16_to_half", halves.view(np.int16), TensorProto.FLOAT16, halves)
    yield cast("float_to_uint32", floats, TensorProto.UINT32, floats.view(np.uint32))
    yield cast("of_scalar", np.float32(-1.5).reshape(()), TensorProto.INT32, np.float32(-1.5).reshape(()).view(np.int32))
    yield cast("of_none", floats[:0], TensorProto.INT32, np.zeros((0, 5), np.int32))
    down = helper.make_node("BitCast", ["n"], ["i"], to=TensorProto.UINT32)
    cut = helper.make_node("BitwiseAnd", ["i", "mask"], ["j"])
    up = helper.make_node("BitCast", ["j"], ["y"], to=TensorProto.FLOAT)
    yield Case("bitcast_as_abs", [helper.make_node("Neg", ["x"], ["n"]), down, cut, up], {"x": floats}, ["y"], 26,
               constants={"mask": np.uint32(0x7FFFFFFF).reshape(())}, expected=[np.abs(floats)])
    node = helper.make_node("BitCast", ["x"], ["y"], to=TensorProto.INT64)
    yield Case("bitcast_to_other_size", node, {"x": floats}, ["y"], 26, refused="has 32 bits, but int64 has 64")


# --- MelWeightMatrix

def mels():
    names = ["bins", "length", "rate", "low", "high"]

    def mel(name, values, given=(), **rest):
        constants = {k: np.array(v, np.int64 if i < 3 else np.float32) for i, (k, v) in enumerate(zip(names, values))}
        inputs = {k: constants.pop(k) for k in given}
        node = helper.make_node("MelWeightMatrix", names, ["y"], output_datatype=rest.pop("output_datatype", 1))
        return Case(f"mel_{name}", node, inputs, ["y"], 17, constants=constants, **rest)
    yield mel("of_speech", (40, 512, 16000, 20, 7600))
    yield mel("of_doubles", (8, 64, 8000, 0, 4000), output_datatype=11)
    yield mel("of_few_bins", (20, 16, 8000, 0, 3000))
    yield mel("too_high", (8, 64, 8000, 0, 9000), refused="beyond the 33 bins")


def cases():
    yield from mels()
    yield from transforms()
    yield from short_transforms()
    yield from determinants()
    yield from products()
    yield from bit_casts()
