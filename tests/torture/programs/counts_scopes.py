"""Two threads record scopes for ever; each notes in a shared file how many it has ended. argv: the file."""

import mmap
import sys
import threading
import time

import laptime

THREADS = 2

with open(sys.argv[1], "r+b") as file:
    counts = memoryview(mmap.mmap(file.fileno(), 8 * (THREADS + 1))).cast("q")  # struct.pack_into writes zeros first


def work(thread):
    done = 0
    while True:
        for _ in range(50):
            with laptime.scope("work"):
                pass
            done += 1
            counts[thread] = done
        time.sleep(0.0005)


for number in range(THREADS):
    threading.Thread(target=work, args=(number,), daemon=True).start()
counts[THREADS] = 1
time.sleep(600)
