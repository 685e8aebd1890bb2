"""Measures a process, whatever framework it uses: Python's own code, the GPU, how a run ends.

The program's process imports this. No module here imports a framework.
"""
