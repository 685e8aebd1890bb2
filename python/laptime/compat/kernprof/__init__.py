"""The parts of kernprof's command: options, profilers, and the profiling of what the command line
names.
"""
