# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The two that say what is right: onnxruntime without optimisations, and onnx's reference evaluator."""
import warnings

import ml_dtypes  # onnx needs it
import numpy as np
import onnx
import onnxruntime
from onnx.reference import ReferenceEvaluator

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
IR_VERSION = {11: 6, 12: 7, 13: 7, 14: 7, 15: 8, 16: 8, 17: 8, 18: 8, 19: 9, 20: 9, 21: 10, 22: 10, 23: 11, 24: 11}

warnings.filterwarnings("ignore")
np.seterr(all="ignore")


def plain(array):
    """False: onnxruntime's Python cannot take or give this type."""
    return array.dtype.isbuiltin == 1


def attributes(node):
    return {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}


def ort_errs(node, opset):
    """Whether onnxruntime computes something else than the operator's text says."""
    has = attributes(node)
    return has.get("auto_pad") == b"VALID" and has.get("ceil_mode", 0) == 1  # a window that ends outside


def reference_errs(node, opset):
    """The same for onnx's reference, 1.23.2."""
    has = attributes(node)
    return (node.op_type == "AveragePool" and has.get("ceil_mode", 0) == 1  # windows one element off
            or node.op_type == "ConvTranspose" and has.get("group", 1) > 1  # weights of other groups
            or node.op_type == "LpNormalization" and has.get("p", 2) == 1  # sums without their absolute values
            or node.op_type == "BatchNormalization" and opset < 14)  # the statistics of the batch


def has_node(model, errs):
    return any(errs(node, model.opset_import[0].version) for node in model.graph.node)


def ort_session(model):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


class Refused(Exception):
    """Neither can run the model."""


def ort(model):
    """A function from feeds to outputs, or Refused."""
    if has_node(model, ort_errs):
        raise Refused("onnxruntime: known to be wrong there")
    try:
        session = ort_session(model)
        return lambda feeds: session.run(None, feeds)
    except Exception as error:
        raise Refused(f"onnxruntime: {error}") from None


def reference(model):
    if has_node(model, reference_errs):
        raise Refused("reference: known to be wrong there")
    try:
        evaluator = ReferenceEvaluator(model)
        return lambda feeds: evaluator.run(None, feeds)
    except Exception as error:
        raise Refused(f"reference: {error}") from None


def declared_type(value):
    return onnx.helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type) if value.type.tensor_type.elem_type else None


def run_with(make, model, sets):
    """Outputs of every set of feeds by one engine, as arrays; None if it cannot."""
    try:
        run = make(model)
        answers = []
        for feeds in sets:
            if make is ort and not all(plain(a) for a in feeds.values()):
                return None
            outputs = run(feeds)
            if any(o is None or isinstance(o, (list, dict)) for o in outputs):
                return None
            outputs = [np.asarray(o) for o in outputs]
            # numpy makes int64 of sums of int32, and so does the reference.
            if make is reference and any(o.dtype.kind == "i" and o.dtype != declared_type(v) for o, v in zip(outputs, model.graph.output)):
                return None
            answers.append(outputs)
        return answers
    except Exception:
        return None


def run_either(model, sets):
    """Outputs of every set by the first engine that can; None if none can."""
    answers = run_with(ort, model, sets)
    return answers if answers is not None else run_with(reference, model, sets)
