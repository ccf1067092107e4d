# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Node tests between movements of data, so that every operator also meets operands that do not lie as it would like.

`turned`: inputs come out of a Transpose, outputs go through one. `cut`: inputs come out of a Slice of something larger, outputs go
behind something else in a Concat. The test's own numbers are moved along, so what was right stays right. Which inputs and outputs,
and how, is drawn with the test's name as the seed.
"""
import random
import shutil

import numpy as np
import onnx
from onnx import helper, numpy_helper

FORMS = ("turned", "cut")
PLAIN_TYPES = set(range(1, 8)) | {9, 10, 11, 12, 13, 16}  # of TensorProto: what numpy moves without help


class Moved:
    """A node test and its data. Nothing is written before write()."""

    def __init__(self, folder, form):
        self.folder, self.form, self.count = folder, form, 0
        self.random = random.Random(folder.name + form)
        self.model = onnx.load(folder / "model.onnx")
        self.before, self.after, self.data = [], [], {}

    def load(self, file):
        path = self.folder / "test_data_set_0" / file
        return onnx.load_tensor(path) if path.exists() else None

    def constant(self, values):
        name = f"moved_{len(self.model.graph.initializer)}"
        self.model.graph.initializer.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def turned(self, array):
        """The array with its axes in another order, and that order."""
        order = self.random.sample(range(array.ndim), array.ndim)
        return array.transpose(order), order

    def move_input(self, inside, array, name):
        if self.form == "turned":
            outer, order = self.turned(array)
            self.before.append(helper.make_node("Transpose", [name], [inside], perm=[int(a) for a in np.argsort(order)]))
            return outer
        axis, low, high = self.random.randrange(array.ndim), self.random.randrange(3), self.random.randrange(1, 3)
        ends = [self.constant(np.array([n])) for n in (low, low + array.shape[axis], axis)]
        self.before.append(helper.make_node("Slice", [name, *ends], [inside]))
        return np.pad(array, [(low, high) if a == axis else (0, 0) for a in range(array.ndim)], mode="edge")

    def move_output(self, inside, array, name):
        if self.form == "turned":
            outer, order = self.turned(array)
            self.after.append(helper.make_node("Transpose", [inside], [name], perm=order))
            return outer
        axis = self.random.randrange(array.ndim)
        first = np.take(array, [0], axis=axis)
        self.after.append(helper.make_node("Concat", [self.constant(first), inside], [name], axis=axis))
        return np.concatenate([first, array], axis=axis)

    def move(self, value, file, mover, name):
        """Moves one input or output where that can be; keeps its data."""
        tensor = self.load(file)
        declared = value.type.tensor_type
        fits = (tensor is not None and tensor.data_type in PLAIN_TYPES and len(tensor.dims) > 1 and 0 not in tensor.dims
                and len(declared.shape.dim) == len(tensor.dims))
        if fits and self.random.random() < 0.7:
            outer = np.ascontiguousarray(mover(value.name, numpy_helper.to_array(tensor), name))
            tensor = numpy_helper.from_array(outer, name)
            value.CopyFrom(helper.make_tensor_value_info(name, declared.elem_type, outer.shape))
            self.count += 1
        self.data[file] = tensor

    def write(self, out):
        """False: there was nothing to move."""
        graph = self.model.graph
        weights = {tensor.name for tensor in graph.initializer}
        for i, value in enumerate(graph.input):
            if value.name not in weights:
                self.move(value, f"input_{i}.pb", self.move_input, f"moved_in_{i}")
        for i, value in enumerate(graph.output):
            self.move(value, f"output_{i}.pb", self.move_output, f"moved_out_{i}")
        nodes = [*self.before, *graph.node, *self.after]
        del graph.node[:]
        graph.node.extend(nodes)
        if not self.count:
            return False
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(self.folder, out)
        (out / "model.onnx").write_bytes(self.model.SerializeToString())
        for file, tensor in self.data.items():
            if tensor is not None:
                (out / "test_data_set_0" / file).write_bytes(tensor.SerializeToString())
        return True


def is_movable(folder):
    """One data set of tensors, and an opset with Slice's inputs."""
    if (folder / "test_data_set_1").exists():
        return False
    model = onnx.load(folder / "model.onnx")
    opsets = [o.version for o in model.opset_import if o.domain in ("", "ai.onnx")]
    values = [*model.graph.input, *model.graph.output]
    return bool(opsets) and opsets[0] >= 10 and all(v.type.HasField("tensor_type") for v in values)


def write_moved(folders, out):
    """Writes every form of the tests; returns the new folders."""
    written = []
    for folder in filter(is_movable, folders):
        for form in FORMS:
            target = out / f"{folder.name}_{form}"
            if Moved(folder, form).write(target):
                written.append(target)
    return written
