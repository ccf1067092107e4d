# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the compiler: one command with a time limit, and `macec verify` on many folders."""
import dataclasses
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import time

MACEC = os.environ.get("MACEC", "macec")
JOBS = int(os.environ.get("MACEC_JOBS", "2"))
TIER = os.environ.get("MACEC_TIER", "ci")
CACHE = pathlib.Path(os.environ.get("MACEC_CACHE", os.path.expanduser("~/.cache/macec")))
SHARED = pathlib.Path(os.environ.get("MACEC_SHARED", "../shared"))
ROOT = pathlib.Path(__file__).resolve().parents[2]

# The statuses of a model: `failed` is everything that is neither right, nor wrong, nor a refusal in good order.
STATUSES = ("passed", "refused", "wrong", "failed")


@dataclasses.dataclass
class Result:
    code: int  # exit code; negative: killed by that signal
    out: str
    err: str
    seconds: float
    timed_out: bool = False
    max_rss_mb: float = 0.0  # of the whole process tree's largest member

    def crashed(self):
        return self.code < 0 or self.code >= 128 or self.timed_out


def run(command, cwd=None, timeout=120, env=None, memory_mb=None):
    """Runs a command in its own process group, which is ended as a whole when the time is over."""

    def limit():
        os.setsid()
        if memory_mb:
            resource.setrlimit(resource.RLIMIT_AS, (memory_mb << 20, memory_mb << 20))

    start = time.monotonic()
    process = subprocess.Popen(
        [str(part) for part in command], cwd=cwd, env=env, preexec_fn=limit, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    timed_out = False
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        timed_out = True
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
    return Result(process.returncode, out.decode("utf-8", "replace"), err.decode("utf-8", "replace"),
                  time.monotonic() - start, timed_out)


def run_measured(command, cwd=None, timeout=300):
    """Like run(), by way of a child of its own, so that max_rss_mb is this command's alone."""
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read_end)
        result = run(command, cwd=cwd, timeout=timeout)
        result.max_rss_mb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        with os.fdopen(write_end, "w") as pipe:
            json.dump(dataclasses.asdict(result), pipe)
        os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return Result(**json.loads(text))


def refused_operators(text):
    """The operators that a refusal names as not supported, sorted, each once."""
    found = set()
    for match in re.finditer(r"operators? ((?:[\w.:]+(?:, | and )?)+) (?:is|are) not supported", text):
        found.update(name for name in re.split(r", | and ", match.group(1)) if name)
    return sorted(found)


def verify_many(folders, extra=(), jobs=JOBS, timeout_each=20, chunk=200):
    """`macec verify` on many folders, each with model.onnx and test_data_set_*.

    Returns {folder: (status, text)}. The folders go to macec in chunks; when macec dies or answers no JSON, the chunk is
    halved until the guilty folder is alone, and that one is `failed`.
    """
    results = {}
    folders = [str(f) for f in folders]
    for start in range(0, len(folders), chunk):
        _verify(folders[start:start + chunk], list(extra), jobs, timeout_each, results)
    return results


def _verify(folders, extra, jobs, timeout_each, results):
    command = [MACEC, "verify", "--json", *folders, f"--jobs={jobs}", *extra]
    result = run(command, timeout=60 + timeout_each * len(folders))
    listed = _parse_verify(result.out)
    missing = [f for f in folders if f not in listed]
    for folder in folders:
        if folder in listed:
            results[folder] = listed[folder]
    if not missing:
        return
    if len(folders) == 1:
        what = "no answer in time" if result.timed_out else f"exit code {result.code} and no JSON"
        results[folders[0]] = ("failed", f"{what}: {(result.err or result.out)[-600:].strip()}")
        return
    if len(missing) == len(folders):
        half = len(folders) // 2
        _verify(folders[:half], extra, jobs, timeout_each, results)
        _verify(folders[half:], extra, jobs, timeout_each, results)
    else:
        _verify(missing, extra, jobs, timeout_each, results)


def _parse_verify(text):
    """{path: (status, text)} of the JSON that `macec verify --json` prints; {} when it is none."""
    try:
        answer = json.loads(text)
    except ValueError:
        return {}
    entries = answer.get("models", []) if isinstance(answer, dict) else answer
    found = {}
    for entry in entries:
        status = entry.get("status")
        if status in STATUSES:
            found[str(entry.get("path", entry.get("model")))] = (status, entry.get("text", ""))
    return found
