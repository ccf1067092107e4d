# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Data sets of further sizes for models that leave some open: three sizes of each, with ONNX Runtime's outputs.

Inputs are those of data set 0, repeated or cut along each axis, so that an image stays an image; a mask hides the last tokens.
"""
import numpy as np
import onnx
from onnx import numpy_helper

# Model: shapes of the inputs that change, for each further data set.
SHAPES = {
    "bert_mini_dynamic": [{"input_ids": (1, n), "attention_mask": (1, n)} for n in (5, 128)],
    "llama_decode_step": [{"past_k": (2, 1, 4, n, 64), "past_v": (2, 1, 4, n, 64)} for n in (0, 1, 511)],
    "basic_pitch": [{"serving_default_input_2:0": (n, 43844, 1)} for n in (2, 3)],
    "centerface": [{"input.1": (2, 3, 64, 96)}],
    "magika": [{"bytes": (3, 2048)}],
    "ppocr_cls": [{"x": (3, 3, 48, 96)}],
    "ppocr_det": [{"x": (2, 3, 192, 256)}],
    "ppocr_rec": [{"x": (1, 3, 48, 104)}],
    "silero_vad": [{"input": (2, 576), "state": (2, 2, 128)}],
    "silero_vad_16k_op15": [{"input": (n, 576), "state": (2, n, 128)} for n in (2, 3)],
    "silero_vad_half": [{"input": (n, 576), "state": (2, n, 128)} for n in (2, 3)],
    "silero_vad_ifless_op18": [{"input": (3, 576), "state": (2, 3, 128)}],
    "silero_vad_sequence": [{"input": (16, 576)}],
}
HIDDEN_TOKENS = {5: 2}  # by length: tokens at the end that a mask hides


def read_value(path):
    tensor = onnx.TensorProto()
    tensor.ParseFromString(path.read_bytes())
    return numpy_helper.to_array(tensor)


def write_arrays(folder, inputs, outputs):
    folder.mkdir(exist_ok=True)
    for kind, named in (("input", inputs), ("output", outputs)):
        for i, (name, array) in enumerate(named.items()):
            (folder / f"{kind}_{i}.pb").write_bytes(numpy_helper.from_array(array, name).SerializeToString())


def open_model(path):
    """The model with every size of its inputs and outputs left open, so that ONNX Runtime takes what it is given."""
    model = onnx.load(path)
    for value in [*model.graph.input, *model.graph.output]:
        value.type.tensor_type.ClearField("shape")
    del model.graph.value_info[:]
    return model


def resized(name, array, shape):
    tiled = np.tile(array, [-(-wanted // have) for wanted, have in zip(shape, array.shape)])
    array = np.ascontiguousarray(tiled[tuple(slice(n) for n in shape)])
    if "mask" in name:
        array = np.ones_like(array)
        array[..., shape[-1] - HIDDEN_TOKENS.get(shape[-1], 0) :] = 0
    return array


def add(name, folder, open_session):
    """Writes the further data sets of a model folder; open_session: makes a session of a path."""
    if name not in SHAPES:
        return
    onnx.save(open_model(folder / "model.onnx"), folder / "open.onnx")
    session = open_session(folder / "open.onnx")
    inputs = [i.name for i in session.get_inputs()]
    first = {n: read_value(folder / f"test_data_set_0/input_{i}.pb") for i, n in enumerate(inputs)}
    number = len(list(folder.glob("test_data_set_*")))
    for shapes in SHAPES[name]:
        feeds = {n: resized(n, a, shapes[n]) if n in shapes else a for n, a in first.items()}
        outputs = dict(zip([o.name for o in session.get_outputs()], session.run(None, feeds)))
        write_arrays(folder / f"test_data_set_{number}", feeds, outputs)
        number += 1
    (folder / "open.onnx").unlink()
