"""The parts of kernprof's command: its options, its profilers, and profiling what is named on the
command line.
"""
