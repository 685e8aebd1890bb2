"""Closes what is not its own and writes checkpoints into the numbers that become free. argv: seed, folder.

Prints the SHA-256 of what each checkpoint should hold.
"""

import hashlib
import os
import random
import sys
import threading
import time

import laptime

chance = random.Random(int(sys.argv[1]))
over = threading.Event()


def work():
    while not over.is_set():
        for _ in range(200):
            with laptime.scope("work"):
                pass
        time.sleep(0.001)


threads = [threading.Thread(target=work) for _ in range(2)]
for thread in threads:
    thread.start()

checkpoints = []
for number in range(20):
    time.sleep(chance.uniform(0, 0.03))
    mine = {file.fileno() for file, _, _ in checkpoints}
    low, high = chance.choice([(3, 4096), (3, 100), (900, 1024), (960, 961), (3, 65536)])
    for fd in range(low, high):
        if fd not in mine:
            try:
                os.close(fd)
            except OSError:
                pass
    path = os.path.join(sys.argv[2], f"checkpoint-{number}")
    fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    taken = chance.choice([None, 960, 961, 962, 1000])
    if taken is not None and taken not in mine:
        os.dup2(fd, taken)
        os.close(fd)
        fd = taken
    file = os.fdopen(fd, "r+b", buffering=0)
    data = chance.randbytes(chance.randrange(1, 100_000))
    file.write(data)
    checkpoints.append((file, path, hashlib.sha256(data).hexdigest()))
time.sleep(0.1)
over.set()
for thread in threads:
    thread.join()
for file, path, digest in checkpoints:
    file.close()
    print(path, digest)
