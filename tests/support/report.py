# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts what passed, failed and was skipped, and ends a test program with the line that tests/run.sh reads."""
import sys


class Report:
    def __init__(self):
        self.passed, self.failed, self.skipped = 0, 0, 0

    def ok(self, name, text=""):
        self.passed += 1
        if text:
            print(f"ok   {name}: {text}", flush=True)

    def fail(self, name, why):
        self.failed += 1
        print(f"FAIL {name}: {why}", flush=True)

    def skip(self, name, why):
        self.skipped += 1
        print(f"SKIP {name}: {why}", flush=True)

    def check(self, name, good, text):
        """One claim: `text` says what was measured, whichever way it went."""
        (self.ok if good else self.fail)(name, text)
        return good

    def finish(self):
        print(f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped", flush=True)
        sys.exit(1 if self.failed else 0)
