#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory that `macec inspect` prints keeps its bounds: check_memory.py [MODEL...]

  a   live bytes of the imported graph, node by node
  b   live bytes of the plan, scratch included
  c   the arena
c <= 1.05 b; b <= a and the scratch of four workers; mobilenetv2_100: b <= 0.65 a.
"""
import functools
import json

import generated
import macec
import zoo
import zoo_table
from report import Report

SLACK = 1.05
# keyword_lstm_gru: the recurrent layers multiply the inputs of all steps at once.
PLAN_SHARE = {"mobilenetv2_100": 0.65, "keyword_lstm_gru": 3.0}
WORKERS = 4  # macec's default of --max-threads


def inspect(name, target, folder):
    result = macec.run([macec.MACEC, "inspect", folder / "model.onnx", f"--target={target}", "--json", *zoo_table.free(name)])
    if result.code != 0:
        raise generated.Refused(f"inspect: exit code {result.code}: {result.err[-300:]}")
    memory = json.loads(result.out)["memory"]
    return memory["graph_live_bytes"], memory["plan_live_bytes"], memory["arena_bytes"], memory["scratch_bytes"]


def check(report, name, target):
    a, b, c, scratch = inspect(name, target, zoo.folder(name))
    share = PLAN_SHARE.get(name, 1.0 + WORKERS * scratch / a)
    text = f"graph {a:,}, plan {b:,} ({b / a:.2f} of it, allowed {share:.2f}), arena {c:,} ({c / b:.3f} of the plan, allowed {SLACK})"
    report.check(f"{name} {target}", c <= SLACK * b and b <= share * a, text)


def main():
    report = Report()
    models = zoo.chosen(zoo_table.ALL)
    zoo.for_each(report, [(f"{m} {t}", functools.partial(check, report), m, t) for m in models for t in ("x86-64", "armv8", "armv7")])
    report.finish()


if __name__ == "__main__":
    main()
