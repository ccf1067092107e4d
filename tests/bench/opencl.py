#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Time of one inference on an OpenCL device, beside the same model in tinygrad (DEV=CL) in the same run.

    opencl.py FOLDER [MODEL...] [--target=T] [--check]

FOLDER/MODEL holds model.onnx and test_data_set_0 (`fill.py FOLDER MODEL --data` of the zoo makes them). macec's time is `macec bench`:
upload of the inputs, all launches, download of the outputs. tinygrad's is a captured graph (TinyJit): its launches and the download;
its inputs are on the device already. The least of many runs counts for both. Needs onnx and numpy; tinygrad from PyPI if it is there,
in a process of its own for each model, because it must be told its device by the environment.

--check: fails unless macec takes at most half of tinygrad's time on every model that tinygrad runs.
"""
import json
import os
import pathlib
import subprocess
import sys

MOST = 0.5
MACEC = os.environ.get("MACEC", "macec")


def own(folder, target):
    command = [MACEC, "bench", folder / "model.onnx", f"--target={target}", "--cpu-plan=no", "--self-check=no", "--runs=100", "--json"]
    bench = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    inspect = [MACEC, "inspect", folder / "model.onnx", f"--target={target}", "--json"]
    gpu = json.loads(subprocess.run(inspect, check=True, capture_output=True, text=True).stdout)["gpu"]
    return bench["least_us"] / 1e3, bench["place"], gpu


def peer_here(folder):
    """Runs in a process of its own: prints the least milliseconds, or says why not."""
    import time

    import numpy as np
    import onnx
    from onnx import numpy_helper
    from tinygrad import Device, Tensor, TinyJit
    from tinygrad.nn.onnx import OnnxRunner

    folder = pathlib.Path(folder)
    model = onnx.load(folder / "model.onnx")
    whole = f"/tmp/{folder.name}-{os.getpid()}.onnx"
    onnx.save(model, whole)
    stored = {t.name for t in model.graph.initializer}
    names = [i.name for i in model.graph.input if i.name not in stored]
    read = lambda name: np.array(numpy_helper.to_array(onnx.load_tensor(folder / "test_data_set_0" / name)))
    arrays, want = [read(f"input_{i}.pb") for i in range(len(names))], read("output_0.pb")
    runner = OnnxRunner(whole)
    run = TinyJit(lambda *tensors: [v.realize() for v in runner(dict(zip(names, tensors))).values()])
    times = []
    for _ in range(60):
        inputs = [Tensor(a).realize() for a in arrays]
        Device[Device.DEFAULT].synchronize()
        start = time.perf_counter()
        have = run(*inputs)[0].numpy()
        times.append(time.perf_counter() - start)
    os.remove(whole)
    if np.abs(have - want).max() > 1e-3 * np.abs(want).max():
        raise SystemExit("its answer is wrong")
    print(f"least {min(times[5:]) * 1e3:.4f}")


def peer(folder):
    """(milliseconds or None, why not)"""
    done = subprocess.run([sys.executable, __file__, "--peer", folder], env=dict(os.environ, DEV="CL"), capture_output=True, text=True)
    for line in done.stdout.splitlines():
        if line.startswith("least "):
            return float(line.split()[1]), ""
    return None, (done.stderr.strip().splitlines() or ["no answer"])[-1][:80]


def main():
    words = [a for a in sys.argv[1:] if not a.startswith("--")]
    target = next((a.split("=")[1] for a in sys.argv if a.startswith("--target=")), "x86-64-opencl")
    root = pathlib.Path(words[0])
    models = words[1:] or sorted(p.name for p in root.iterdir() if (p / "model.onnx").exists())
    slow = []
    print(f"target {target}\n{'model':24} {'ms':>7} {'tinygrad':>9} {'ratio':>6} {'launches':>9} {'MFLOP':>7} {'MB':>6}  where")
    for name in models:
        ms, place, gpu = own(root / name, target)
        other, why = peer(root / name)
        ratio = ms / other if other else None
        if ratio is not None and ratio > MOST:
            slow.append(name)
        print(f"{name:24} {ms:7.3f} {f'{other:.3f}' if other else '-':>9} {f'{ratio:.2f}' if ratio else '-':>6} {gpu['launches']:9} "
              f"{gpu['flops'] / 1e6:7.0f} {gpu['bytes'] / 1e6:6.1f}  {place} {why and 'tinygrad: ' + why}", flush=True)
    if "--check" in sys.argv and slow:
        sys.exit(f"more than {MOST} of tinygrad's time: {', '.join(slow)}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--peer"]:
        peer_here(sys.argv[2])
    else:
        main()
