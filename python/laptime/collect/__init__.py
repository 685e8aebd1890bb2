"""What measures a process, whatever framework it uses: Python's own code, the GPU, how a run ends.

Imported by the program's process: a module here imports no framework.
"""
