#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Real models give ONNX Runtime's numbers on an OpenCL device, with images and with buffers, in float32 and float16.

`macec verify` (1e-4 of each output's greatest magnitude; float16 models against a float32 evaluation of their own weights: 3e-3)
must pass and say that the run was on the GPU. One model keeps its CPU plan and is asked to run there, too.
"""
import json

import gpu_zoo
import macec
import zoo
from report import Report


LIMIT16 = 3e-3


def verify(report, names, target, *flags, place="GPU", most=None):
    files = [gpu_zoo.model_file(name) for name in names]
    command = [macec.MACEC, "verify", *files, f"--target={target}", "--json", "--jobs", str(macec.JOBS), "--optimize=-O1", *flags]
    result = macec.run(command, timeout=1500)
    try:
        entries = json.loads(result.out)["models"]
    except (ValueError, KeyError):
        return report.fail(f"{target} {' '.join(flags)}", f"exit code {result.code}: {(result.out + result.err).strip()[-400:]}")
    for name, entry in zip(names, entries):
        is_there = entry["place"] == place if place == "GPU" else entry["place"].startswith(place)
        is_right = entry["status"] == "passed" and (most is None or entry["difference"] <= most)
        report.check(f"{name} {target} {' '.join(flags)}", is_right and is_there, f"{entry['text']} ({entry['place']})")
        print(f"     {name} {target}: difference {entry['difference']} on the {entry['place']}")


def main():
    report = Report()
    models = zoo.chosen(gpu_zoo.MODELS)
    for target in gpu_zoo.TARGETS:
        few = target == "x86-64-mali" and macec.TIER != "full"  # the buffers of x86-64-opencl, cut differently
        verify(report, [m for m in models if not few or m in gpu_zoo.FEW], target, "--cpu-plan=no", "--self-check=no")
    if macec.TIER != "quick":
        for target in gpu_zoo.TARGETS[:2]:
            verify(report, gpu_zoo.FLOAT16, target, "--cpu-plan=no", "--self-check=no", "--rtol=0", "--atol=0.05", most=LIMIT16)
    verify(report, ["dscnn_kws"], "x86-64-opencl")
    verify(report, ["dscnn_kws"], "x86-64-adreno", "--device=cpu", place="CPU")
    report.finish()


if __name__ == "__main__":
    main()
