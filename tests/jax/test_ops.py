"""Bursts of JAX's own profiler: which ops are recorded, with which lines and layers."""

import signal

import pytest

TRAINING = """
    import sys
    import flax.linen as nn
    import jax
    import jax.numpy as jnp
    import numpy as np
    import optax

    class Net(nn.Module):
        @nn.compact
        def __call__(self, x):
            x = nn.relu(nn.Conv(8, (3, 3))(x)).reshape(x.shape[0], -1)
            return nn.Dense(10)(nn.relu(nn.Dense(64)(x)))

    net, optimizer = Net(), optax.adam(1e-3)
    images = np.random.default_rng(0).normal(size=(32, 16, 16, 1)).astype(np.float32)
    labels = np.arange(32) % 10
    parameters = net.init(jax.random.key(0), images)
    state = optimizer.init(parameters)

    @jax.jit
    def train_step(parameters, state):
        def loss_of(parameters):
            logits = net.apply(parameters, images)
            return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()
        loss, gradients = jax.value_and_grad(loss_of)(parameters)
        updates, state = optimizer.update(gradients, state)
        return optax.apply_updates(parameters, updates), state, loss

    for step in range(100):
        parameters, state, loss = train_step(parameters, state)
        loss.block_until_ready()
    print(float(loss).hex())
"""


@pytest.fixture(params=["--full", "--budget=5"])
def trained(run, request):
    pytest.importorskip("flax")
    pytest.importorskip("optax")
    return run(TRAINING, request.param), request.param


def line_share(recorded):
    ops = [*recorded.spans("op"), *recorded.spans("backward")]
    return sum(op["dur"] for op in ops if "line" in op["args"]) / sum(op["dur"] for op in ops)


def test_ops_have_lines_and_layers(trained):
    recorded, option = trained
    steps = [step["recorded"] for step in recorded.rows("steps")]
    assert len(steps) == 100
    assert sum(steps) >= (99 if option == "--full" else 10)
    assert line_share(recorded) >= 0.95
    layers = {row["module"]: row for row in recorded.rows("modules")}
    assert {"Net.Conv_0", "Net.Dense_0", "Net.Dense_1"} <= layers.keys()
    assert layers["Net.Dense_1"]["forward_ns"] > 0
    assert layers["Net.Dense_1"]["backward_ns"] > 0


def test_live_bytes_are_a_curve(trained):
    (curve,) = (row for row in trained[0].rows("values") if row["name"] == "jax live bytes")
    parameters = 2048 * 64 + 64 * 10  # of the dense layers; the optimizer keeps two of each
    assert 3 * 4 * parameters < curve["max"] < 5 * 4 * parameters


def test_results_are_the_same(trained, plain):
    assert trained[0].output == plain(TRAINING)


LOOP = """
    import os, signal, sys, tempfile
    from pathlib import Path
    import jax
    import jax.numpy as jnp

    @jax.jit
    def step(w, x):
        return w - 0.1 * jax.grad(lambda w: jnp.tanh(x @ w).sum())(w)

    w, x = jnp.full((64, 64), 0.1), jnp.ones((32, 64))

    def train(steps):
        global w
        for _ in range(steps):
            w = step(w, x)
            w.block_until_ready()

    train(30)
"""


def test_a_burst_longer_than_a_profile_is_recorded_whole(run):
    recorded = run(LOOP + "    train(120)\n", "--full")
    dots = [op for op in recorded.spans("op") if op["name"].startswith(("dot", "ynn"))]
    steps = recorded.rows("steps")
    assert len(steps) == 150
    within = sum(
        any(step["start_ns"] / 1e3 <= op["ts"] <= (step["start_ns"] + step["wall_ns"]) / 1e3
            for op in dots)
        for step in steps[2:]
    )  # fmt: skip
    assert within >= 0.95 * len(steps[2:])


def test_the_programs_own_profiler_comes_first(run):
    recorded = run(
        LOOP
        + """
    folder = tempfile.mkdtemp()
    with jax.profiler.trace(folder):
        train(20)
    print(len(list(Path(folder).rglob("*.xplane.pb"))))
    train(30)
""",
        "--full",
    )
    assert "1" in recorded.output.splitlines()
    assert recorded.output.count("laptime: jax.profiler runs") == 1
    assert "profiler_left" in recorded.warnings
    assert [step["recorded"] for step in recorded.rows("steps")].count(0) >= 19


ENDS = {
    "fork": (
        "child = os.fork()\n    if child == 0:\n        os._exit(3)\n    os.waitpid(child, 0)",
        0,
        "",
    ),
    "interrupt": ("os.kill(os.getpid(), signal.SIGINT)", -signal.SIGINT, "KeyboardInterrupt"),
    "exception": (
        "jax.jit(lambda: 1 / 0)()",
        1,
        "ZeroDivisionError",
    ),
}


@pytest.mark.parametrize("name", ENDS)
def test_ends_within_a_burst(run, name):
    text, code, error = ENDS[name]
    recorded = run(LOOP + f"    {text}\n    train(10)\n", "--full", code=code)
    assert error in recorded.output
    assert len(recorded.phases) >= 29
    assert line_share(recorded) >= 0.95
