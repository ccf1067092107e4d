#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Code for phones: it compiles without a warning, and where there is no OpenCL (under qemu) the CPU gives the right answers."""
import json
import shutil

import generated
import gpu_zoo
import macec
import zoo
from report import Report

COMPILERS = {
    "armv8-adreno": [["aarch64-linux-gnu-g++"], ["clang++-19", "--target=aarch64-linux-gnu"]],
    "armv8-mali": [["aarch64-linux-gnu-g++"]],
    "armv7-adreno": [["arm-linux-gnueabihf-g++", "-mfpu=neon"]],
    "x86-64-opencl": [["g++"], ["clang++-14"], ["clang++-19"]],
}
MODELS = ["dscnn_kws", "mobilenetv2_100", "bert_mini"]
RUN = ["dscnn_kws", "mobilenetv2_100"]


def check_warnings(report, name, target):
    for compiler in COMPILERS[target]:
        label = f"{name} {target} {compiler[0]}"
        if not shutil.which(compiler[0]):
            report.skip(label, "not installed")
            continue
        tag = "-warn-" + "".join(c for c in "".join(compiler) if c.isalnum())
        code = generated.generate(zoo.folder(name), target, tag=tag, flags=["--self-check=no", "--place=all=gpu"])
        optimize = "-O2" if name == "dscnn_kws" else "-fsyntax-only"
        _, result = generated.compile_object(code, code.sources[0], [*generated.STRICT, optimize], compiler)
        report.check(f"{label}: no warning", result.code == 0, result.err.strip()[:600])


def check_run(report, name, target):
    label = f"{name} {target} without OpenCL"
    missing = generated.missing_tools(target)
    if missing:
        return report.skip(label, f"no {', '.join(missing)}")
    result = macec.run([macec.MACEC, "verify", gpu_zoo.model_file(name), f"--target={target}", "--place=all=gpu", "--json"], timeout=900)
    try:
        entry = json.loads(result.out)["models"][0]
    except (ValueError, KeyError):
        return report.fail(label, f"exit code {result.code}: {(result.out + result.err).strip()[-400:]}")
    report.check(label, entry["status"] == "passed" and entry["place"].startswith("CPU (no OpenCL"), f"{entry['text']} ({entry['place']})")


def main():
    report = Report()
    models = zoo.chosen(MODELS)
    work = [(f"{m} {t}", check_warnings, report, m, t) for m in models for t in COMPILERS]
    work += [(f"{m} {t}", check_run, report, m, t) for m in models if m in RUN for t in COMPILERS if t.startswith("armv")]
    zoo.for_each(report, work)
    report.finish()


if __name__ == "__main__":
    main()
