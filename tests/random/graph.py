# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds one random graph node by node, and runs each node as it is added.

A node stays only if it is valid (onnx's checker and at least one engine say so), its numbers are moderate, and they do not hang
on noise: every value has a twin, computed with a little noise on all that is not exact, and a node whose twin is far off, or whose
whole numbers change, goes. So what is left may be compared with a tolerance, whatever the order in which a program adds.
"""
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import engines
from values import (BFLOAT16, BOOL, F16, F32, F64, FLOATS, INT64, MOST_NOISE, STEP_NOISE, Value, distance, is_float, is_whole, magnitude,
                    random_array, special_array, with_noise)

MOST_ELEMENTS, MOST_INPUTS, MOST_MAGNITUDE = 6000, 5, 1e4
EXTENTS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17)
# Nothing is rounded: the answer is exact where the inputs are.
EXACT = set("""Abs Neg Relu Clip Max Min Sign Floor Ceil Round Identity Dropout Not And Or Xor Equal Less LessOrEqual Greater
GreaterOrEqual IsNaN IsInf Where Transpose Reshape Flatten Squeeze Unsqueeze Slice Split Concat Pad Tile Expand Gather GatherElements
GatherND ScatterElements ScatterND DepthToSpace SpaceToDepth MaxPool GlobalMaxPool TopK ArgMax ArgMin ReduceMax ReduceMin Hardmax OneHot
Trilu EyeLike Shape Size ConstantOfShape Range NonZero Compress Unique ReverseSequence Constant Cast CastLike BitShift BitwiseAnd
BitwiseOr BitwiseXor BitwiseNot""".split())
# Exact for whole numbers, in any order.
WHOLE_EXACT = set("Add Sub Mul Sum MatMul Gemm ReduceSum ReduceSumSquare ReduceL1 CumSum Einsum".split())
# The answer jumps: real noise must not reach a step's edge.
JUMPS = set("""Sign Floor Ceil Round Hardmax ThresholdedRelu Shrink Mod IsNaN IsInf Unique TopK QuantizeLinear QLinearConv QLinearMatMul
DynamicQuantizeLinear DequantizeLinear Cast CastLike Equal Less Greater LessOrEqual GreaterOrEqual ArgMax ArgMin NonZero MaxPool""".split())
MATRIX_NOISE = set("Conv ConvTranspose MatMul Gemm Einsum LSTM GRU RNN".split())


class Graph:
    def __init__(self, seed):
        self.random = np.random.RandomState(seed)
        self.seed = seed
        self.opset = int(self.choice(list(engines.IR_VERSION)))
        self.float = self.choice([F32] * 16 + [F64, F16, F16, BFLOAT16])
        self.special = self.float == F32 and self.chance(0.06)
        self.dynamic = self.chance(0.3)
        self.symbols = {"n": (2, 3, 5), "m": (4, 1, 7)} if self.dynamic else {}
        self.sets = 3 if self.dynamic else 1
        self.values, self.inputs, self.nodes, self.initializers = [], [], [], []
        self.names = 0

    # Drawing -------------------------------------------------------------------------------------------------------------------
    def chance(self, p):
        return self.random.rand() < p

    def integer(self, low, high):
        """low <= result <= high."""
        return int(self.random.randint(low, high + 1))

    def choice(self, items):
        return items[self.random.randint(len(items))]

    def name(self, stem):
        self.names += 1
        return f"{stem}{self.names}"

    def extents(self, rank, most=1500):
        while True:
            dims = [int(self.choice(EXTENTS)) for _ in range(rank)]
            if np.prod(dims) <= most:
                return dims

    def arrays(self, dtype, dims, kind=None):
        """An array for each set; dims may hold names of symbols."""
        shapes = [[self.symbols[d][s] if isinstance(d, str) else d for d in dims] for s in range(self.sets)]
        if self.special and is_float(dtype):
            return [special_array(self.random, dtype, shape) for shape in shapes]
        return [random_array(self.random, dtype, shape, kind) for shape in shapes]

    # Values --------------------------------------------------------------------------------------------------------------------
    def constant(self, array, dtype=None):
        """A constant; it becomes an initializer when a node with it is kept."""
        array = np.asarray(array, dtype or getattr(array, "dtype", None))
        return Value("", [array] * self.sets, constant=True)

    def ints(self, numbers):
        return self.constant(np.array(numbers, np.int64).reshape(-1) if isinstance(numbers, (list, tuple)) else np.array(numbers, np.int64))

    def weights(self, dims, dtype=None, low=-1.0, high=1.0):
        return self.constant(self.random.uniform(low, high, dims).astype(dtype or self.float))

    def input(self, dtype, dims, kind=None):
        """A new graph input; axes may become dynamic."""
        dims = list(dims)
        value = Value(self.name("in"), self.arrays(dtype, dims, kind))
        self.inputs.append((value, dims))
        self.values.append(value)
        return value

    def new_input(self, dtype, dims, axes=(), kind=None):
        """An input with some of `axes` dynamic, in a dynamic graph."""
        dims = list(dims)
        for axis in axes:
            if self.dynamic and self.chance(0.5):
                dims[axis] = self.choice(list(self.symbols))
        return self.input(dtype, dims, kind)

    def operand(self, dtypes=None, low=0, high=5, claim=None, make=True):
        """A value of one of the types and ranks that there is, more often one without users; or a new input."""
        dtypes = dtypes or (self.float,)
        fit = [v for v in self.values if v.dtype in dtypes and low <= v.rank <= high and (claim is None or claim(v))]
        if fit and (not make or len(self.inputs) >= MOST_INPUTS or self.chance(0.88)):
            unused = [v for v in fit if v.uses == 0]
            return self.choice(unused if unused and self.chance(0.6) else fit[-6:] if self.chance(0.6) else fit)
        if not make or len(self.inputs) >= MOST_INPUTS:
            return None
        rank = self.integer(low, min(high, 4)) if low < 4 else low
        value = self.new_input(self.choice(dtypes), self.extents(rank), range(rank)[:2])
        return value if claim is None or claim(value) else None

    def symbol_of(self, sizes):
        return next((name for name, known in self.symbols.items() if known == sizes), None)

    # Nodes ---------------------------------------------------------------------------------------------------------------------
    def node(self, op, inputs, outputs=1, captures=(), wobbly=(), **attributes):
        """Adds a node. inputs: Values, None for one left out; outputs: their number, or a list of whether each is wanted.
        captures: values that bodies use; wobbly: constants in which programs may differ (scales). Returns the value, a list of
        values (None: left out), or None if the node may not be added."""
        wanted = [True] * outputs if isinstance(outputs, int) else list(outputs)
        if any(v is None and i == 0 for i, v in enumerate(inputs)):
            return None
        # A constant is the same array in all sets, so its name may be given now.
        fresh = [v for v in inputs if v is not None and not v.name]
        for value in fresh:
            value.name = self.name("w")
        names = [self.name("v") if want else "" for want in wanted]
        node = helper.make_node(op, ["" if v is None else v.name for v in inputs], names, name=self.name(op), **attributes)
        results = self.evaluate(node, inputs, captures, wobbly)
        if results is None:
            for value in fresh:
                value.name = ""
            return None
        for value in fresh:
            self.keep_constant(value)
        for value in [*inputs, *captures]:
            if value is not None:
                value.uses += 1
        self.nodes.append(node)
        made = dict(zip([n for n in names if n], results))
        self.values += results
        answer = [made.get(n) for n in names]
        return answer[0] if outputs == 1 else answer

    def keep_constant(self, value):
        tensor = numpy_helper.from_array(value.arrays[0], value.name)
        if self.chance(0.15):
            self.nodes.append(helper.make_node("Constant", [], [value.name], name=self.name("Constant"), value=tensor))
        else:
            self.initializers.append(tensor)

    def single(self, node, used, constants):
        inputs = [helper.make_tensor_value_info(v.name, helper.np_dtype_to_tensor_dtype(v.dtype), v.dims) for v in used]
        outputs = [onnx.ValueInfoProto(name=name) for name in node.output if name]
        graph = helper.make_graph([node], "g", inputs, outputs, initializer=[numpy_helper.from_array(v.arrays[0], v.name) for v in constants])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=engines.IR_VERSION[self.opset])
        try:
            inferred = onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True, data_prop=True)
        except Exception:
            return None
        del model.graph.output[:]
        known = {v.name: v for v in inferred.graph.output}
        model.graph.output.extend(
            helper.make_tensor_value_info(name, known[name].type.tensor_type.elem_type, None) for name in node.output if name)
        return model

    def evaluate(self, node, inputs, captures, wobbly):
        present = {v.name: v for v in [*inputs, *captures] if v is not None}
        moving = {v.name for v in wobbly}
        used = [v for v in present.values() if not v.constant or v.name in moving]
        constants = [v for v in present.values() if v.constant and v.name not in moving]
        model = self.single(node, used, constants)
        if model is None:
            return None
        exact_inputs = all(v.exact and v.name not in moving for v in present.values())
        plans = [(v, s) for s in range(self.sets) for v in ("value", "twin")]
        noisy = not exact_inputs
        feeds = [{v.name: (v.arrays if kind == "value" else v.twins)[s] for v in used} for kind, s in plans]
        jumps = node.op_type in JUMPS or node.op_type in ("If", "Loop")
        if noisy and jumps:
            feeds += [self.shaken(used, moving, s, sign) for s in range(self.sets) for sign in (1, -1, 0, 0)]
        answers = engines.run_either(model, feeds)
        if answers is None:
            return None
        values, twins, shaken = answers[0:2 * self.sets:2], answers[1:2 * self.sets:2], answers[2 * self.sets:]
        for i in range(len(values[0])):
            if any(s[i].shape != v[i].shape or (not is_float(v[i].dtype) and not np.array_equal(s[i], v[i]))
                   for k, s in enumerate(shaken) for v in [values[k // 4]]):
                return None
        results = [self.result(node, name, [v[i] for v in values], [t[i] for t in twins], [s[i] for s in shaken], list(present.values()),
                               exact_inputs) for i, name in enumerate(n for n in node.output if n)]
        return None if any(r is None for r in results) else results

    def shaken(self, used, moving, number, sign):
        """Feeds with more noise than any program has, upward, downward, or either way."""
        feeds = {}
        for v in used:
            array = v.arrays[number]
            if (v.exact and v.name not in moving) or not is_float(array.dtype) or not array.size:
                feeds[v.name] = array
                continue
            amount = max(4 * STEP_NOISE[array.dtype] * magnitude(array), 3 * distance(array, v.twins[number]))
            signs = sign if sign else self.random.choice([-1.0, 1.0], array.shape)
            feeds[v.name] = np.asarray(array.astype(np.float64) + signs * amount).astype(array.dtype)
        return feeds

    def result(self, node, name, arrays, twins, shaken, inputs, exact_inputs):
        """The Value of one output, or None if it is not fit to be compared."""
        dtype = arrays[0].dtype
        if dtype.kind in "OUSc" or max(a.size for a in arrays) > MOST_ELEMENTS or arrays[0].ndim > 6:
            return None
        if min(a.size for a in arrays) == 0 and not self.chance(0.1):
            return None
        if len({a.ndim for a in arrays}) != 1:
            return None
        if not is_float(dtype):
            same = all(np.array_equal(a, t) for a, t in zip(arrays, twins))
            return Value(name, arrays) if same else None
        whole = all(is_whole(a) for v in inputs for a in v.arrays) and all(is_whole(a) for a in arrays)
        exact = exact_inputs and (node.op_type in EXACT or (node.op_type in WHOLE_EXACT and whole))
        if self.special:
            fits = all(distance(a, t) <= 1e-5 * magnitude(a) for a, t in zip(arrays, twins))
            return Value(name, arrays, twins, exact) if fits else None
        if not all(np.all(np.isfinite(a.astype(np.float64))) for a in arrays):
            return None
        top = max(magnitude(a) for a in arrays)
        if top > (100 if dtype == F16 else MOST_MAGNITUDE) or (0 < top < 1e-3):
            return None
        for array, twin in zip(arrays, twins):
            if distance(array, twin) > MOST_NOISE[dtype] * magnitude(array):
                return None
        for k, array in enumerate(shaken):
            if distance(arrays[k // 4], array) > 20 * MOST_NOISE[dtype] * magnitude(arrays[k // 4]):
                return None
        if not exact:
            share = STEP_NOISE[dtype] * (2 if node.op_type in MATRIX_NOISE else 1)
            twins = [with_noise(self.random, t, share * magnitude(t)) for t in twins]
        return Value(name, arrays, twins, exact)

    # The whole -----------------------------------------------------------------------------------------------------------------
    def outputs(self):
        """Everything without a user, and sometimes a value that has some."""
        made = [v for v in self.values if v not in [i for i, _ in self.inputs]]
        leaves = [v for v in made if v.uses == 0]
        more = [v for v in made if v.uses and self.chance(0.1)]
        return leaves + more

    def model(self, outputs):
        def declared(value, dims):
            return helper.make_tensor_value_info(value.name, helper.np_dtype_to_tensor_dtype(value.dtype), dims)
        graph = helper.make_graph(
            self.nodes, f"random{self.seed}", [declared(v, dims) for v, dims in self.inputs],
            [declared(v, None if self.dynamic or self.chance(0.3) else v.dims) for v in outputs], initializer=self.initializers)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=engines.IR_VERSION[self.opset])
