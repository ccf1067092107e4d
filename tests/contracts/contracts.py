#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What generated code promises, on small models: one test a promise, its name is the promise. Needs onnx, onnxruntime, numpy."""
import pathlib
import re
import shutil
import sys
import traceback

import macec
import models
import numpy as np
import onnx
from harness import Broken, Program, difference, must, right, WORK
from report import Report

NEAR = 1e-5
random = np.random.RandomState(5)


def draw(*shape, dtype=np.float32):
    return random.standard_normal(shape).astype(dtype)


def near(have, want, limit=NEAR):
    d = difference(have, want)
    if not d <= limit:
        raise AssertionError(f"differs by {d:.2g} of the greatest magnitude, allowed {limit:g}")
    return f"difference {d:.1g}"


def three_levels_of_one_file_agree_with_the_reference():
    net, x = models.small_net(1), draw(1, 3, 12, 16)
    program = Program("levels", net, target="x86-64")
    flags = pathlib.Path("/proc/cpuinfo").read_text()
    levels = [1, 2] if "avx2" in flags else [1]
    levels += [3] if "avx512dq" in flags else []
    texts = [near(program.run([x], level=level)[0], right(net, [x])) for level in levels]
    return f"levels {levels} of 3: {texts[0]}" + ("" if 3 in levels else "; AVX-512 was compiled only")


def two_levels_of_one_file_agree_with_the_reference():
    net, x = models.small_net(1), draw(1, 3, 12, 16)
    program = Program("two_levels", net, target="x86-64-sse2-avx2")
    levels = [1, 2] if "avx2" in pathlib.Path("/proc/cpuinfo").read_text() else [1]
    text = [near(program.run([x], level=level)[0], right(net, [x])) for level in levels][-1]
    program.error([x], level=3)
    return f"levels {levels} of 2: {text}"


def one_level_gives_the_same_bits_on_every_run():
    program, x = Program("levels", models.small_net(1), target="x86-64"), draw(1, 3, 12, 16)
    first = program.run([x], level=1)[0][0]
    if first.tobytes() != program.run([x], level=1)[0][0].tobytes():
        raise AssertionError("two runs of one level differ")


def the_file_with_three_levels_runs_on_a_processor_that_has_only_the_first():
    if not shutil.which("qemu-x86_64"):
        return None
    net, x = models.small_net(1), draw(1, 3, 12, 16)
    program = Program("nehalem", net, target="x86-64", runner=["qemu-x86_64", "-cpu", "Nehalem"], static=True)
    return near(program.run([x])[0], right(net, [x]))


def a_level_that_the_processor_lacks_is_refused():
    if not shutil.which("qemu-x86_64"):
        return None
    program = Program("nehalem", models.small_net(1), target="x86-64", runner=["qemu-x86_64", "-cpu", "Nehalem"], static=True)
    text = program.error([draw(1, 3, 12, 16)], level=3)
    if "-48" not in text:
        raise AssertionError(f"not MACEC_E_CPU: {text}")
    return text


def all_levels_read_one_packing_of_the_weights():
    sizes = []
    for target in ("x86-64", "x86-64-v3"):
        Program("packing", models.small_net(1), target=target, flags=["--weights=file"])
        sizes.append((WORK / "packing/m.weights.bin").stat().st_size if (WORK / "packing/m.weights.bin").exists() else
                     sum(f.stat().st_size for f in (WORK / "packing").glob("*.weights.bin")))
    if sizes[0] != sizes[1]:
        raise AssertionError(f"{sizes[0]} bytes for three levels, {sizes[1]} for one")
    return f"{sizes[0]} bytes"


def a_batch_of_1_to_8_gives_each_its_own_answer():
    net = models.small_net("batch")
    program = Program("batch", net, flags=["--dim=batch=1..8"])
    worst = ""
    for n in (1, 3, 8):
        x = draw(n, 3, 12, 16)
        worst = near(program.run([x], dims=[n])[0], right(net, [x]))
    return worst


def a_height_of_32_to_960_in_steps_of_32():
    net = models.conv_of_height()
    program = Program("height", net, flags=["--dim=height=32..960:32"])
    for height in (32, 320, 960):
        x = draw(1, 3, height, 16)
        text = near(program.run([x], dims=[height])[0], right(net, [x]))
    for height in (0, -32, 31, 33, 992):
        program.error([draw(1, 3, 32, 16)], dims=[height])
    return text


def shape_arithmetic_under_a_range_vanishes():
    net = models.shape_arithmetic()
    program = Program("arithmetic", net, flags=["--dim=batch=1..4", "--dim=width=2..64:2"])
    source = program.source.read_text()
    if "Gather" in source.split("level_v3 {")[-1].replace("GatherParams", ""):
        raise AssertionError("the shape arithmetic is still there")
    for n, w in ((1, 2), (4, 64), (3, 10)):
        x = draw(n, w)
        text = near(program.run([x], dims=[n, w])[0], right(net, [x]))
    return text


def two_extents_that_must_agree_are_checked_in_a_run():
    net = models.two_extents()
    program = Program("agree", net, flags=["--dim=n=1..8", "--dim=m=1..8"])
    a, b = draw(5, 4), draw(5, 4)
    text = near(program.run([a, b], dims=[5, 5])[0], right(net, [a, b]))
    error = program.error([a, draw(4, 4)], dims=[5, 4])
    if "have 5, need 4" not in error and "have 4, need 5" not in error:
        raise AssertionError(error)
    return f"{text}; {error}"


def two_workers_with_scratch_give_the_bits_of_one():
    net = models.small_net("batch", height=64, channels=64)
    program = Program("workers", net, flags=["--dim=batch=1..16"])
    x = draw(16, 3, 64, 16)
    one, two = program.run([x], dims=[16])[0][0], program.run([x], dims=[16], threads=2)[0][0]
    if one.tobytes() != two.tobytes():
        raise AssertionError(f"they differ by {np.abs(one - two).max()}")
    if "worker * size_t" not in program.source.read_text():
        raise AssertionError("no step of this model has scratch of its own")
    return near([two], right(net, [x]))


def an_if_on_a_run_time_condition_nested_with_captured_values():
    net, x = models.nested_if(), draw(2, 3)
    program = Program("if", net)
    for p in (True, False):
        for q in (True, False):
            inputs = [x, np.array(p), np.array(q)]
            text = near(program.run(inputs)[0], right(net, inputs))
    return text


def a_branch_that_cannot_run_fails_by_name_and_leaves_the_state_alone():
    program = Program("wrong_branch", models.branch_of_wrong_types(), flags=["--state=h=hn"])
    if "note: MatMul 'product': " not in program.answer.err or "If 'choice'" not in program.answer.err:
        raise AssertionError(f"no note at compile time: {program.answer.err}")
    x, yes, no = draw(4), np.array(True), np.array(False)
    first, failed, second = program.run([x, yes], [x, no], [x, yes], go_on=True)
    near(first, [x + x])
    near(second, [4 * x])
    if "MatMul 'product'" not in failed or "-16" not in failed:
        raise AssertionError(f"not MACEC_E_SHAPE with the node's name: {failed}")
    return failed


def extents_that_a_branch_needs_equal_are_checked_only_where_it_runs():
    net = models.extents_of_a_branch()
    program = Program("branch_extents", net, flags=["--dim=n=1..6", "--dim=m=1..6"])
    a, b, yes, no = draw(5), draw(3), np.array(True), np.array(False)
    near(program.run([a, b, no], dims=[5, 3])[0], right(net, [a, b, no]))
    near(program.run([a, a, yes], dims=[5, 5])[0], right(net, [a, a, yes]))
    text = program.error([a, b, yes], dims=[5, 3])
    if "-16" not in text or "must agree" not in text:
        raise AssertionError(f"not MACEC_E_SHAPE: {text}")
    return text


def an_extent_that_data_decides_is_checked_as_soon_as_it_is_known():
    net = models.kept_elements_and_others()
    program = Program("kept", net, flags=["--dim=m=1..8"])
    x, c, b = draw(8), np.array([1, 0, 1, 1, 0, 0, 0, 0], bool), draw(3)
    near(program.run([x, c, b], dims=[3])[0], right(net, [x, c, b]))
    text = program.error([x, c, draw(4)], dims=[4])
    if "-16" not in text:
        raise AssertionError(f"not MACEC_E_SHAPE: {text}")
    return text


def a_number_beyond_its_bound_ends_the_run():
    program, x = Program("bound", models.slice_of_computed_length(), flags=["--bound=k=4"]), draw(6, 3)
    one, three, five = (np.array([n]) for n in (1, 3, 5))
    four, beyond, below, two = program.run([x, one, three], [x, one, five], [x, one, -three], [x, one, one], go_on=True)
    near(four, [-x[:4]])
    near(two, [-x[:2]])
    if "-18" not in beyond or "-18" not in below or "'k'" not in beyond:
        raise AssertionError(f"not MACEC_E_RANGE with the value's name: {beyond}; {below}")
    return beyond


def memory_of_branches_is_shared():
    import json
    answer = must([macec.MACEC, "inspect", "--json", "model.onnx"], cwd=WORK / "if")
    arena = json.loads(answer.out)["memory"]["arena_bytes"]
    if arena > 4 * 64:
        raise AssertionError(f"arena of {arena} bytes for values of 24 bytes")
    return f"{arena} bytes"


def a_loop_with_a_carried_value_and_a_scan_output():
    net, x, step = models.loop_with_scan(5), draw(3), draw(3)
    program = Program("loop", net)
    return near(program.run([x, step], dtypes=[np.float32] * 2)[0], right(net, [x, step]))


def a_loop_whose_trip_count_comes_from_the_app():
    net, x, step = models.loop_with_scan(), draw(3), draw(3)
    program = Program("loop_trips", net, flags=["--bound=rows=9"])
    for trips in (0, 1, 4, 9):
        inputs = [x, step, np.array(trips, np.int64)]
        text = near(program.run(inputs, dtypes=[np.float32] * 2)[0], right(net, inputs))
    return text


def float16_is_stored_and_computed_in_float32():
    net, x = models.half_net(), draw(1, 3, 8, 8, dtype=np.float16)
    program = Program("half", net)
    return near(program.run([x], dtypes=[np.float16])[0], right(net, [x]), 3e-3)


def int4_weights_stay_packed():
    net, x = models.int4_weights(), draw(5, 64)
    program = Program("int4", net, flags=["--weights=file"])
    blob = sum(f.stat().st_size for f in program.folder.glob("*.weights.bin"))
    if blob > 64 + 64 * 32 // 2 + 4 * 32 * 4 + 256:
        raise AssertionError(f"{blob} bytes of weights for 1,024 bytes of int4 and 512 of scales")
    embedded = Program("int4_embedded", net)
    return near(embedded.run([x])[0], right(net, [x])) + f", {blob} bytes of weights"


def the_second_plan_takes_over_when_the_first_fails():
    net, x = models.small_net(1), draw(1, 3, 12, 16)

    def first_fails(source):
        head = "macec_status run(Context& c) {\n"
        if source.count(head) != 1 or "run_plan2" not in source:
            raise AssertionError("no two plans in the source")
        return source.replace(head, head + "  if (c.dim == nullptr || c.arena != nullptr) return fail(c, MACEC_E_DEVICE, \"lost\");\n")

    program = Program("plans", net, flags=["--plans=2"], edit=first_fails)
    return near(program.run([x])[0], right(net, [x]))


def states_are_kept_between_runs_and_start_at_zero():
    program = Program("state", models.counter(), flags=["--state=h=hn"])
    xs = [draw(4) for _ in range(3)]
    answers = program.run(*[[x] for x in xs])
    total = np.zeros(4, np.float32)
    for x, (y,) in zip(xs, answers):
        total = total + x
        near([y], [total + total])
    return f"{len(xs)} runs"


def an_output_that_the_app_does_not_want_may_be_null():
    net = models.two_outputs()
    program, x = Program("wanted", net), draw(2, 4)
    want = right(net, [x])
    near(program.run([x], dtypes=[np.float32] * 2)[0], want)
    return near(program.run([x], dtypes=[np.float32], unwanted=1)[0], want[:1])


def several_models_stand_in_one_file():
    folder = WORK / "both"
    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(models.small_net(1), folder / "a.onnx")
    onnx.save(models.counter(), folder / "b.onnx")
    must([macec.MACEC, "a.onnx", "b.onnx", "-o", "both.cpp", "--force", "--target=x86-64-v3"], cwd=folder)
    header, source = (folder / "both.h").read_text(), (folder / "both.cpp").read_text()
    must(["g++", "-O1", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-c", "both.cpp", "-o", "both.o"], cwd=folder)
    symbols = must(["nm", "-g", "--defined-only", "both.o"], cwd=folder).out
    if "a_model" not in symbols or "b_model" not in symbols:
        raise AssertionError(symbols)
    if source.count("// --- kernels/gemm_tile.h") != 1:
        raise AssertionError("a kernel stands more than once")
    return f"header of {len(header)} bytes"


def every_way_to_ship_weights_gives_the_same_answer():
    net, x = models.small_net(1), draw(1, 3, 12, 16)
    want = right(net, [x])
    for mode in ("array", "asm", "incbin"):
        text = near(Program(f"weights_{mode}", net, flags=[f"--weights={mode}"]).run([x])[0], want)
    return text


def a_model_is_compiled_again_over_its_own_files():
    for mode in ("array", "asm", "incbin", "file", "extern"):
        folder = WORK / f"again_{mode}"
        folder.mkdir(parents=True, exist_ok=True)
        onnx.save(models.small_net(1), folder / "model.onnx")
        for old in folder.glob("m*.[Sbch]*"):
            old.unlink()
        for _ in range(2):
            must([macec.MACEC, "model.onnx", "-o", "m.cpp", f"--weights={mode}"], cwd=folder)


def the_commands_that_a_compilation_prints_work():
    folder = WORK / "printed"
    (folder / "out").mkdir(parents=True, exist_ok=True)
    onnx.save(models.small_net(1), folder / "fixed.onnx")
    onnx.save(models.conv_of_height(), folder / "ranged.onnx")
    ranged = ["fixed.onnx", "ranged.onnx", "--dim", "height=4..16"]
    for words in (["fixed.onnx", "--weights=incbin"], ["fixed.onnx", "--weights=file"], ranged):
        text = must([macec.MACEC, *words, "-o", "out/m.cpp", "--force", "--target=x86-64-v3"], cwd=folder).err
        must(["sh", "-ec", text.split("build: ")[1].split("   check: ")[0]], cwd=folder)
        check = text.split("check: ")[1].split("\n")[0].split()
        must([macec.MACEC, *check[1:], "--target=x86-64-v3"], cwd=folder)
        for name in re.findall(r"(\w+)\((?:memory|model), ", text):
            if f" {name}(" not in (folder / "out/m.h").read_text():
                raise AssertionError(f"the header has no {name}: {text}")


def weights_in_a_file_beside_the_model():
    net, x = models.small_net(1), draw(1, 3, 12, 16)
    want = right(net, [x])
    folder = WORK / "external"
    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(net, folder / "model.onnx", save_as_external_data=True, location="model.data", size_threshold=0)
    loaded = onnx.load(folder / "model.onnx")
    (folder / "model.data").unlink(missing_ok=True)
    onnx.save(loaded, folder / "net.onnx", save_as_external_data=True, location="net.data", size_threshold=0)
    must([macec.MACEC, "verify", "net.onnx", "--target=x86-64-v3"], cwd=folder)
    return near([want[0]], want)


def main():
    report = Report()
    tests = [f for name, f in globals().items() if callable(f) and getattr(f, "__module__", "") == "__main__" and name not in ("draw", "near", "main")]
    for test in tests:
        name = test.__name__
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        try:
            text = test()
            if text is None and "processor" in name:
                report.skip(name, "qemu-user is not installed")
            else:
                report.ok(name, text or "done")
        except (AssertionError, Broken) as problem:
            report.fail(name, str(problem))
        except Exception:
            report.fail(name, traceback.format_exc(limit=2))
    report.finish()


main()
