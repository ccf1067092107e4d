# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sequences and optional values that the compiler can follow: see beyond.py."""
import numpy as np
import onnx
from onnx import TensorProto, helper

from beyond import Case

RANDOM = np.random.default_rng(11)


def uniform(*shape):
    return RANDOM.uniform(-1, 1, shape).astype(np.float32)


A, B, C = uniform(2, 3), uniform(4, 3), uniform(1, 3)


def parse(text):
    """`x = Op(a, b) {axis = 1}; ...` as nodes: the syntax of onnx.parser without types."""
    graph = onnx.parser.parse_graph(f"g () => () {{ {text} }}")
    return list(graph.node)


def sequence(name, text, expected=None, inputs=None, **rest):
    """Outputs are the y... of the text, in order."""
    nodes = parse(text)
    outputs = [o for n in nodes for o in n.output if o.startswith("y")]
    numbers = {f"k{i}".replace("-", "_"): np.array(i, np.int64) for i in range(-3, 4)}
    inputs = {"a": A, "b": B, "c": C} if inputs is None else inputs
    used = {i for n in nodes for i in n.input}
    constants = {k: v for k, v in {**numbers, **rest.pop("constants", {})}.items() if k in used}
    inputs = {k: v for k, v in inputs.items() if k in used or k in rest.get("keep", ())}
    rest.pop("keep", None)
    return Case(f"sequence_{name}", nodes, inputs, outputs, rest.pop("opset", 18), constants, expected=expected, **rest)


def lists():
    join = "y = ConcatFromSequence <axis = 0> (t)"
    yield sequence("insert", f"s = SequenceConstruct (a, b) t = SequenceInsert (s, c, k1) {join}", [np.concatenate([A, C, B])])
    yield sequence("insert_from_behind", f"s = SequenceConstruct (a, b) t = SequenceInsert (s, c, k_1) {join}",
                   [np.concatenate([A, C, B])])
    yield sequence("insert_behind", f"s = SequenceConstruct (a, b) t = SequenceInsert (s, c) {join}", [np.concatenate([A, B, C])])
    yield sequence("grow", f"s = SequenceEmpty () r = SequenceInsert (s, a) t = SequenceInsert (r, b, k0) {join}",
                   [np.concatenate([B, A])])
    yield sequence("erase", f"s = SequenceConstruct (a, b, c) t = SequenceErase (s, k0) {join}", [np.concatenate([B, C])])
    yield sequence("erase_last", f"s = SequenceConstruct (a, b, c) t = SequenceErase (s) {join}", [np.concatenate([A, B])])
    yield sequence("stack", "s = SequenceConstruct (a, a) y = ConcatFromSequence <axis = -1, new_axis = 1> (s)",
                   [np.stack([A, A], -1)])
    yield sequence("element", "s = SequenceConstruct (a, b) y = SequenceAt (s, k_2)", [A], keep=("b",))
    yield sequence("twice", "s = SequenceConstruct (a, b) y0 = SequenceAt (s, k1) y1 = SequenceAt (s, k_1)", [B, B])
    yield sequence("length", "s = SequenceConstruct (a, b) y = SequenceLength (s)", [np.array(2, np.int64)])
    yield sequence("length_as_position", "s = SequenceConstruct (a, b) n = SequenceLength (s) m = Sub (n, k1) y = SequenceAt (s, m)",
                   [B])
    yield sequence("identity", f"s = SequenceConstruct (a, b) t = Identity (s) {join}", [np.concatenate([A, B])])
    dims = {"shapes": {"a": ["n", 3], "b": ["m", 3]}, "flags": ("--dim=n=1..5", "--dim=m=1..5")}
    yield sequence("dynamic", f"s = SequenceConstruct (a, b) t = SequenceInsert (s, a, k0) {join}",
                   [np.concatenate([A, A, B])], **dims)


def splits():
    yield sequence("split", "s = SplitToSequence <axis = 0> (b, k3) y0 = SequenceAt (s, k0) y1 = SequenceAt (s, k1)",
                   [B[:3], B[3:]])
    yield sequence("split_sizes", "s = SplitToSequence <axis = -1> (b, sizes) y0 = SequenceAt (s, k0) y1 = SequenceAt (s, k1)",
                   [B[:, :1], B[:, 1:]], constants={"sizes": np.array([1, 2], np.int64)})
    yield sequence("split_to_rows", "s = SplitToSequence <keepdims = 0> (b) y = SequenceAt (s, k2) z = SequenceLength (s)", [B[2]])
    yield sequence("split_keeping", "s = SplitToSequence <axis = 1> (b) y = SequenceAt (s, k_1)", [B[:, 2:]])
    yield sequence("split_wrong_sizes", "s = SplitToSequence (b, sizes) y = SequenceAt (s, k0)",
                   constants={"sizes": np.array([1, 2], np.int64)}, refused="4")
    yield sequence("split_dynamic", "s = SplitToSequence (b) y = SequenceAt (s, k0)", refused="as many tensors as n",
                   shapes={"b": ["n", 3]}, flags=("--dim=n=1..4",))


def optionals():
    yield sequence("optional", "o = Optional (a) y0 = OptionalHasElement (o) y1 = OptionalGetElement (o)", [np.array(True), A])
    yield sequence("optional_list", "s = SequenceConstruct (a, b) o = Optional (s) t = OptionalGetElement (o) y = SequenceLength (t)",
                   [np.array(2, np.int64)])
    kind = helper.make_tensor_type_proto(TensorProto.FLOAT, [2])
    absent = helper.make_node("Optional", [], ["o"], type=kind)
    has = helper.make_node("OptionalHasElement", ["o"], ["y"])
    yield Case("sequence_optional_absent", [absent, has], {}, ["y"], 18, expected=[np.array(False)])
    take = helper.make_node("OptionalGetElement", ["o"], ["y"])
    yield Case("sequence_optional_of_nothing", [absent, take], {}, ["y"], 18, refused="'o' is absent")


def maps():
    def info(name):
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, None)

    body = helper.make_graph([helper.make_node("Add", ["e", "c"], ["t"]), helper.make_node("Mul", ["t", "f"], ["r"])], "body",
                             [info("e"), info("f")], [info("r")])
    make = parse("s = SequenceConstruct (a, b)")
    each = helper.make_node("SequenceMap", ["s", "two"], ["m"], body=body)
    join = parse("y = ConcatFromSequence <axis = 0> (m)")
    yield Case("sequence_map", [*make, each, *join], {"a": A, "b": B, "c": C}, ["y"], 18,
               {"two": np.array(2, np.float32)}, expected=[(np.concatenate([A, B]) + C) * 2])


def loops():
    """A Loop that carries or reads a sequence is unrolled, one that is in a branch hands its elements in."""
    def info(name, dtype=TensorProto.FLOAT, shape=None):
        return helper.make_tensor_value_info(name, dtype, shape)

    head = [info("it", TensorProto.INT64, []), info("go", TensorProto.BOOL, [])]
    goes = info("goes", TensorProto.BOOL, [])
    lists = helper.make_tensor_sequence_value_info
    five, none = np.array(5, np.int64), np.array(0, np.int64)
    add_row = helper.make_graph(parse("goes = Identity (go) r = Gather (x, it) t = SequenceInsert (s, r)"), "body",
                                [*head, lists("s", TensorProto.FLOAT, None)], [goes, lists("t", TensorProto.FLOAT, None)])
    build = [*parse("s0 = SequenceEmpty ()"), helper.make_node("Loop", ["n", "", "s0"], ["rows"], body=add_row)]
    x = uniform(7, 4)
    yield Case("sequence_loop_builds", [*build, *parse("y = ConcatFromSequence <axis = 0, new_axis = 1> (rows)")], {"x": x}, ["y"], 18,
               {"n": five}, expected=[x[:5]])
    yield Case("sequence_loop_of_nothing", [*build, *parse("y = SequenceLength (rows)")], {"x": x}, ["y"], 18, {"n": none}, expected=[none])
    yield Case("sequence_loop_of_a_run", [*build, *parse("y = SequenceLength (rows)")], {"x": x, "n": five}, ["y"], 18,
               expected=[five])
    early = helper.make_graph(parse("goes = Less (it, two) r = SequenceAt (s, it) t = Add (acc, r) o = Neg (r)"), "body",
                              [*head, info("acc")], [goes, info("t"), info("o")])
    read = helper.make_node("Loop", ["n", "yes", "zero"], ["y", "z"], body=early)
    yield Case("sequence_loop_reads_and_ends", [*parse("s = SequenceConstruct (a, a, b, b)"), read], {"a": A, "b": A + 1}, ["y", "z"], 18,
               {"n": five, "yes": np.array(True), "zero": np.zeros_like(A), "two": np.array(2, np.int64)},
               expected=[3 * A + 1, -np.stack([A, A, A + 1])])
    first, second = (helper.make_graph(parse(f"r{k} = SequenceAt (s, k{k})"), f"b{k}", [], [info(f"r{k}")]) for k in (0, 1))
    choose = helper.make_node("If", ["c"], ["y"], then_branch=first, else_branch=second)
    positions = {"k0": np.array(0), "k1": np.array(1)}
    for c in (True, False):
        yield Case(f"sequence_in_a_branch_{c}", [*parse("s = SequenceConstruct (a, b)"), choose], {"a": A, "b": A + 1, "c": np.array(c)}, ["y"],
                   18, positions, expected=[A if c else A + 1])


def refusals():
    computed = {"inputs": {"a": A, "b": B, "k": np.array(1.0, np.float32)}}
    yield sequence("position_of_a_run", "s = SequenceConstruct (a, b) p = Cast <to = 7> (k) y = SequenceAt (s, p)",
                   refused="computed when the model runs", **computed)
    yield sequence("position_too_far", "s = SequenceConstruct (a, b) y = SequenceAt (s, k2)", refused="position 2 is out of range")
    yield sequence("as_output", "y = SequenceConstruct (a, b)", refused="the output 'y' is a sequence")
    yield sequence("of_nothing", "s = SequenceEmpty () y = ConcatFromSequence <axis = 0> (s)", refused="an empty sequence", keep=("a",))
    yield sequence("of_two_types", "n = Shape (b) s = SequenceConstruct (a, n) y = SequenceAt (s, k0)",
                   refused="a sequence of float32 cannot hold")
    yield sequence("as_tensor", "s = SequenceConstruct (a, b) y = Relu (s)", refused="a sequence of tensors and no tensor")
    yield sequence("tensor_as_list", "y = SequenceLength (a)", refused="must be a sequence")
    yield sequence("erase_nothing", "s = SequenceEmpty () t = SequenceErase (s) y = SequenceLength (t)", refused="nothing to erase",
                   keep=("a",))


def cases():
    for part in (lists, splits, optionals, maps, loops, refusals):
        yield from part()
