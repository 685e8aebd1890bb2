"""`laptime tune`: changes to a training program that need no edit of its source, tried in short
fresh runs; what pays is kept.

``__main__`` reads the command line; ``changes`` says what can be tried, ``search`` in which order,
``trial`` runs the program with some of it, ``applied`` is what happens inside that run,
``loss_curve`` sees that training stays what it was, ``patch`` writes the source's diff.
"""
