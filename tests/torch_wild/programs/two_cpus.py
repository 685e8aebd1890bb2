"""Leaves a program two processors, as many as its ops have threads. To be imported before torch, which counts them."""

import os

os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
os.environ["OMP_NUM_THREADS"] = "2"
