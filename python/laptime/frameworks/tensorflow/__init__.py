"""TensorFlow.

Importing this does not import tensorflow.
"""
