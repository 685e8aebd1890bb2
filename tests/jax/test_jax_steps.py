"""Steps of JAX programs without marks, and their phases."""

import pytest

COMMON = """
    import functools
    import jax
    import jax.numpy as jnp
    import numpy as np

    def loss_of(w, x):
        return jnp.tanh(x @ w).sum()

    w = jnp.full((8, 8), 0.1)
    data = [np.full((4, 8), i, np.float32) for i in range(6)]
"""

TRAIN_STEP = """
    @jax.jit
    def train_step(w, x):
        loss, gradient = jax.value_and_grad(loss_of)(w, x)
        return w - 0.1 * gradient, loss
"""

PLAIN = """
    for x in data:
        w, loss = train_step(w, x)
        print(float(loss))
"""

WITH_EVALUATION = """
    @jax.jit
    def evaluate(w, x):
        return loss_of(w, x)

    for epoch in range(2):
        for x in data:
            w, loss = train_step(w, x)
        for x in data[:3]:
            evaluate(w, x).block_until_ready()
"""

OUTSIDE = """
    gradient_of = jax.jit(jax.grad(loss_of))

    @jax.jit
    def update(w, gradient):
        return w - 0.1 * gradient

    for x in data:
        w = update(w, gradient_of(w, x))
"""

ACCUMULATION = """
    gradient_of = jax.jit(jax.grad(loss_of))

    @jax.jit
    def update(w, gradient):
        return w - 0.1 * gradient

    for epoch in range(3):
        total = jnp.zeros_like(w)
        for x in data:
            total = total + gradient_of(w, x)
        w = update(w, total)
"""

GAN = """
    @jax.jit
    def update_first(w, v, x):
        return w - 0.1 * jax.grad(loss_of)(w, x @ v)

    @jax.jit
    def update_second(w, v, x):
        return v - 0.1 * jax.grad(lambda v: loss_of(w, x @ v))(v)

    v = w
    for x in data:
        w = update_first(w, v, x)
        v = update_second(w, v, x)
"""

SCAN = """
    @jax.jit
    def epoch(w, xs):
        return jax.lax.scan(lambda w, x: (w - 0.1 * jax.grad(loss_of)(w, x), None), w, xs)

    for _ in range(4):
        w, _ = epoch(w, np.stack(data))
"""

INFERENCE = """
    predict = jax.jit(lambda w, x: x @ w)
    for x in data:
        predict(w, x).block_until_ready()
"""

EAGER = """
    for x in data:
        loss, gradient = jax.value_and_grad(loss_of)(w, x)
        w = w - 0.1 * gradient
"""

COMPILED_AHEAD = """
    compiled = train_step.lower(w, data[0]).compile()
    for x in data:
        w, loss = compiled(w, x)
"""

MADE_AGAIN = """
    for x in data:
        w = jax.jit(lambda w, x: w - 0.1 * jax.grad(loss_of)(w, x))(w, x)
"""

MARKED = """
    import laptime
    for x in data[:2]:
        w, loss = train_step(w, x)
        laptime.step()
"""

ANNOTATED = """
    for i, x in enumerate(data):
        with jax.profiler.StepTraceAnnotation("train", step_num=i):
            w, loss = train_step(w, x)
    for i, x in enumerate(data[:2]):
        with jax.profiler.StepTraceAnnotation("eval", step_num=i):
            loss_of(w, x)
"""

PARALLEL = """
    from jax.sharding import PartitionSpec as P
    mesh = jax.sharding.Mesh(jax.devices(), ("i",))

    @jax.jit
    @functools.partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("i")), out_specs=P())
    def parallel_step(w, x):
        return w - 0.1 * jax.lax.pmean(jax.grad(loss_of)(w, x), "i")

    for x in data:
        w = parallel_step(w, x)
"""

PMAP = """
    @functools.partial(jax.pmap, axis_name="i")
    def parallel_step(w, x):
        return w - 0.1 * jax.lax.pmean(jax.grad(loss_of)(w, x), "i")

    w = jnp.stack([w, w])
    for x in data:
        w = parallel_step(w, x.reshape(2, 2, 8))
"""

TRAIN = ["train"] * 6
PROGRAMS = {
    "plain": (TRAIN_STEP + PLAIN, TRAIN),
    "evaluation": (
        TRAIN_STEP + WITH_EVALUATION,
        (TRAIN + ["validation"] * 3) * 2,
    ),
    "gradients outside of jit": (OUTSIDE, TRAIN),
    "accumulation": (ACCUMULATION, ["train"] * 3),
    "GAN": (GAN, TRAIN),
    "scan": (SCAN, ["train"] * 4),
    "inference": (INFERENCE, ["inference"] * 6),
    "eager": (EAGER, TRAIN),
    "compiled ahead": (TRAIN_STEP + COMPILED_AHEAD, TRAIN),
    "made again": (MADE_AGAIN, TRAIN),
    "marked": (TRAIN_STEP + MARKED, ["step"] * 2),
    "annotated": (TRAIN_STEP + ANNOTATED, TRAIN + ["validation"] * 2),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_steps(run, name):
    program, phases = PROGRAMS[name]
    assert run(COMMON + program).phases == phases


def test_steps_without_jit(run):
    assert run(COMMON + TRAIN_STEP + PLAIN, JAX_DISABLE_JIT="1").phases == TRAIN


@pytest.mark.parametrize("program", [PARALLEL, PMAP], ids=["shard_map", "pmap"])
def test_steps_on_several_devices(run, program):
    recorded = run(COMMON + program, XLA_FLAGS="--xla_force_host_platform_device_count=2")
    assert recorded.phases == TRAIN


LIBRARIES = """
    import optax
    optimizer = optax.adam(1e-3)
"""

LINEN = """
    import flax.linen as nn

    class Net(nn.Module):
        @nn.compact
        def __call__(self, x):
            return nn.Dense(4)(nn.relu(nn.Dense(16)(x)))

    net = Net()
    parameters = net.init(jax.random.key(0), data[0])
    state = optimizer.init(parameters)

    @jax.jit
    def train_step(parameters, state, x):
        def loss_of(parameters):
            return (net.apply(parameters, x) ** 2).mean()
        loss, gradients = jax.value_and_grad(loss_of)(parameters)
        updates, state = optimizer.update(gradients, state, parameters)
        return optax.apply_updates(parameters, updates), state, loss

    for x in data:
        parameters, state, loss = train_step(parameters, state, x)
"""

NNX = """
    from flax import nnx

    class Net(nnx.Module):
        def __init__(self, rngs):
            self.first, self.second = nnx.Linear(8, 16, rngs=rngs), nnx.Linear(16, 4, rngs=rngs)
        def __call__(self, x):
            return self.second(nnx.relu(self.first(x)))

    net = Net(nnx.Rngs(0))
    state = nnx.Optimizer(net, optimizer, wrt=nnx.Param)

    @nnx.jit
    def train_step(net, state, x):
        loss, gradients = nnx.value_and_grad(lambda net: (net(x) ** 2).mean())(net)
        state.update(net, gradients)
        return loss

    for x in data:
        loss = train_step(net, state, x)
"""

EQUINOX = """
    import equinox as eqx

    net = eqx.nn.MLP(8, 4, 16, 1, key=jax.random.key(0))
    state = optimizer.init(eqx.filter(net, eqx.is_array))

    @eqx.filter_jit
    def train_step(net, state, x):
        loss, gradients = eqx.filter_value_and_grad(
            lambda net: (jax.vmap(net)(x) ** 2).mean()
        )(net)
        updates, state = optimizer.update(gradients, state)
        return eqx.apply_updates(net, updates), state, loss

    for x in data:
        net, state, loss = train_step(net, state, x)
"""


@pytest.mark.parametrize(
    ("library", "program"),
    [("flax", LINEN), ("flax", NNX), ("equinox", EQUINOX)],
    ids=["linen", "nnx", "equinox"],
)
def test_steps_with_libraries(run, library, program):
    pytest.importorskip("optax")
    pytest.importorskip(library)
    recorded = run(COMMON + LIBRARIES + program)
    assert recorded.phases == TRAIN
    assert {span["name"] for span in recorded.spans("dispatch")} >= {"train_step"}


def test_a_child_has_steps_of_its_own(run):
    recorded = run(
        COMMON
        + TRAIN_STEP
        + """
    import os
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
"""
        + PLAIN
    )
    assert recorded.phases == TRAIN
