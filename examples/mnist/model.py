"""Softmax regression in plain Python: enough to learn the digits, small enough to read."""

import math


def new_weights(inputs, classes):
    return [[0.0] * inputs for _ in range(classes)]


def probabilities(weights, image):
    scores = [sum(w * x for w, x in zip(row, image)) for row in weights]
    highest = max(scores)
    powers = [math.exp(score - highest) for score in scores]
    total = sum(powers)
    return [power / total for power in powers]


def train_on(weights, image, label, rate):
    """One step of gradient descent; the loss before it."""
    predicted = probabilities(weights, image)
    for digit, row in enumerate(weights):
        error = predicted[digit] - (digit == label)
        if abs(error) > 1e-3:
            row[:] = [w - rate * error * x for w, x in zip(row, image)]
    return -math.log(max(predicted[label], 1e-12))


def accuracy(weights, images, labels):
    hits = 0
    for image, label in zip(images, labels):
        predicted = probabilities(weights, image)
        hits += predicted.index(max(predicted)) == label
    return hits / len(labels)
