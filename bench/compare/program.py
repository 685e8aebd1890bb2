"""A training loop without a framework: STEPS steps of a fixed amount of work, FACTOR times as much
of it.

laptime run program.py 300 1.05
"""

import hashlib
import sys

import laptime

WORK = 400_000  # bytes hashed in a step: about a millisecond


def main(steps, factor):
    data = bytes(int(WORK * factor))
    for _ in range(steps):
        hashlib.sha256(data).digest()
        laptime.step()


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]))
