"""Gradient descent in NumPy: no framework, calls of some microseconds."""

import numpy as np

random = np.random.default_rng(0)
x, weights, target = random.normal(size=(256, 64)), np.zeros(64), random.normal(size=256)
for _ in range(60_000):
    error = x @ weights - target
    gradient = x.T @ error
    gradient /= len(target)
    weights -= 0.01 * gradient
print(weights[0])
