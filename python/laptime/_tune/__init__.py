"""`laptime tune`: tries changes to a training program in short fresh runs, without an edit of its
source. Keeps what pays.

- ``__main__`` reads the command line.
- ``changes`` lists what can be tried.
- ``search`` decides the order.
- ``trial`` runs the program with some changes.
- ``applied`` makes the changes inside that run.
- ``loss_curve`` checks that training stays the same.
- ``patch`` writes the diff of the source.
"""
