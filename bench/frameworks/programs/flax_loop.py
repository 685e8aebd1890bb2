"""A jitted training step of flax and optax."""

import flax.linen as nn
import jax
import numpy as np
import optax
from measured import STEPS, Clock, own_profiler


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        x = nn.relu(nn.Dense(256)(x))
        x = nn.relu(nn.Dense(256)(x))
        return nn.Dense(10)(x)


rng = np.random.default_rng(0)
images = rng.random((32, 128, 784), dtype="float32")
labels = rng.integers(0, 10, (32, 128))
net = Net()
state = net.init(jax.random.key(0), images[0])
optimizer = optax.adam(1e-3)
moments = optimizer.init(state)


@jax.jit
def train_step(state, moments, x, y):
    def loss_of(state):
        losses = optax.softmax_cross_entropy_with_integer_labels(net.apply(state, x), y)
        return losses.mean()

    loss, gradients = jax.value_and_grad(loss_of)(state)
    updates, moments = optimizer.update(gradients, moments)
    return optax.apply_updates(state, updates), moments, loss


clock = Clock()
with own_profiler("jax"):
    for step in range(STEPS):
        clock.tick()
        batch = step % len(images)
        state, moments, loss = train_step(state, moments, images[batch], labels[batch])
        loss.block_until_ready()
clock.report([np.asarray(leaf) for leaf in jax.tree.leaves(state)])
