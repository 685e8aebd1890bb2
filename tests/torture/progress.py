"""One line on a terminal that shows how far a campaign is; nothing elsewhere."""

import sys


class Progress:
    def __init__(self, name, total):
        self.name, self.total, self.done = name, total, 0
        self.is_shown = sys.stderr.isatty()

    def step(self, count=1):
        self.done += count
        if self.is_shown:
            end = "\n" if self.done >= self.total else ""
            print(
                f"\r{self.name}: {self.done} of {self.total}", end=end, file=sys.stderr, flush=True
            )
