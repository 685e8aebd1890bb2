"""Calls, waits and compilations of JAX programs, and that the program does not notice."""

import pytest

PROGRAM = """
    import gc, pickle, weakref
    import jax
    import jax.numpy as jnp
    import numpy as np

    @jax.jit
    def inner(x):
        return x * 2

    @jax.jit
    def outer(x):
        return inner(x) + 1

    x = jnp.ones((4, 4))
    for _ in range(3):
        y = outer(x)
    y.block_until_ready()
"""


def test_outermost_calls_are_spans_at_their_line(run):
    calls = run(PROGRAM).spans("dispatch")
    assert [call["name"] for call in calls] == ["outer"] * 3
    assert all("program.py:16" in call["args"]["line"] for call in calls)


def test_calls_while_tracing_do_not_count(run):
    recorded = run(
        PROGRAM
        + """
    jax.eval_shape(inner, x)
    jax.make_jaxpr(outer)(x)
    jax.jit(lambda x: x).lower(x)
"""
    )
    assert [call["name"] for call in recorded.spans("dispatch")] == ["outer"] * 3


def test_calls_of_transformed_functions_count_once(run):
    recorded = run(
        PROGRAM
        + """
    jax.vmap(inner)(x)
    jax.grad(lambda x: inner(x).sum())(x)
"""
    )
    names = [call["name"] for call in recorded.spans("dispatch")]
    assert names[:3] == ["outer"] * 3
    assert set(names[3:]) == {"inner"}


def test_waits(run):
    recorded = run(
        """
    import jax
    import jax.numpy as jnp
    import numpy as np
    x = jnp.ones((4,))
    s = x.sum()
    float(s)
    int(s)
    bool(s)
    s.item()
    x.tolist()
    np.asarray(x)
    np.array(x)
    jax.device_get({"a": x, "b": (s, 1)})
    x.block_until_ready()
    jax.block_until_ready([x, s])
    print(s)
"""
    )
    waits = [
        (wait["name"], wait["args"]["line"].rsplit(":", 1)[-1]) for wait in recorded.spans("wait")
    ]
    assert waits == [
        ("float", "6"),
        ("int", "7"),
        ("bool", "8"),
        ("item", "9"),
        ("tolist", "10"),
        ("numpy", "11"),
        ("numpy", "12"),
        ("device_get", "13"),
        ("block_until_ready", "14"),
        ("block_until_ready", "15"),
        ("value", "16"),
    ]


def test_compilations_and_their_reasons(run):
    recorded = run(
        """
    import functools
    import jax
    import jax.numpy as jnp

    @functools.partial(jax.jit, static_argnames="power")
    def f(x, power):
        return x ** power

    f(jnp.ones(4), power=2)
    f(jnp.ones(5), power=2)
    f(jnp.ones(5), power=3)
    f(jnp.ones(5, jnp.int32), power=3)
    f(jnp.ones(5), power=2)
"""
    )
    spans = [span for span in recorded.spans("compile") if span["args"].get("function") == "f"]
    assert [span["name"] for span in spans] == ["JAX trace", "JAX lower", "XLA compile"] * 4
    assert [span["args"].get("reason", "") for span in spans[::3]] == [
        "",
        "argument 'x' was float32[4], is float32[5]",
        "static argument 'power' was 2, is 3",
        "argument 'x' was float32[5], is int32[5]",
    ]
    assert "program.py:10" in spans[3]["args"]["line"]


UNNOTICED = """
    import copy, gc, inspect, pickle, sys, threading, traceback, weakref
    import jax
    import jax.numpy as jnp
    import numpy as np

    @jax.jit
    def f(x, y=1):
        "Doc."
        return jnp.sin(x) * y

    @jax.jit
    def fails(x):
        raise ValueError("on purpose")

    x = jnp.linspace(0, 1, 16)
    print(type(f), f.__name__, f.__doc__, inspect.signature(f), callable(f))
    print(np.asarray(f(x)).tobytes().hex(), np.asarray(f(x, y=2.0)).tobytes().hex())
    print(f.lower(x).as_text()[:60], f.eval_shape(x), f._cache_size())
    print(pickle.dumps(x)[:10], weakref.ref(f)() is f, copy.copy(f) is f)
    try:
        fails(x)
    except ValueError:
        print("".join(line for line in traceback.format_exc().splitlines(True)
                      if "^" not in line and "~" not in line))
    try:
        f()
    except TypeError as error:
        print(error)
    print(type(x).__float__.__name__, float(x[1]), x, repr(x), f"{x[2]:.3f}", x[3].item())
    print(memoryview(np.asarray(x)).nbytes, jax.device_get(x).sum(), bool(x[4] > 0))

    class Holder:
        @jax.jit
        def method(self):
            return 1
    print(f.__get__, jax.jit(f) is f)
    thread = threading.Thread(target=lambda: print(f(x).sum()))
    thread.start()
    thread.join()
    temporary = jax.jit(lambda x: x + 1)
    temporary(x)
    dead = weakref.ref(temporary)
    del temporary
    gc.collect()
    print(dead() is None)
"""


def test_the_program_does_not_notice(run, plain):
    without = plain(UNNOTICED).replace("method-wrapper", "")
    recorded = run(UNNOTICED)
    mask = lambda text: [  # noqa: E731
        line for line in text.splitlines() if " at 0x" not in line
    ]
    assert mask(recorded.output) == mask(without)


def test_an_unknown_jaxlib_turns_calls_off_with_a_warning(run):
    recorded = run(
        """
    import jaxlib._jax as jaxlib

    class Odd:
        def __init__(self, function):
            self.function = function
        def __call__(self, *arguments, **named):
            return self.function(*arguments, **named)

    make = jaxlib.pjit
    jaxlib.pjit = lambda *arguments: Odd(make(*arguments))
    import jax
    print(jax.jit(lambda x: x + 1)(1))
"""
    )
    assert recorded.output == "2\n"
    assert "another form" in recorded.warnings["jax_calls"]


LINES = """
    import sys
    import flax.linen as nn
    import jax
    import jax.numpy as jnp
    import optax
    from laptime.frameworks.jax.compiled_lines import CompiledLines

    class Net(nn.Module):
        @nn.compact
        def __call__(self, x):
            return nn.Dense(4)(nn.relu(nn.Dense(16)(x)))

    net, optimizer, x = Net(), optax.adam(1e-3), jnp.ones((8, 16))
    parameters = net.init(jax.random.key(0), x)
    state = optimizer.init(parameters)
    lines = CompiledLines()

    @jax.jit
    def train_step(parameters, state):
        gradients = jax.grad(lambda p: (net.apply(p, x) ** 2).mean())(parameters)
        updates, state = optimizer.update(gradients, state)
        return optax.apply_updates(parameters, updates), state

    train_step(parameters, state)
    (module,) = (
        module
        for program in jax.extend.backend.get_backend().live_executables()
        if (module := program.hlo_modules()[0]).name == "jit_train_step"
    )
    entry = module.to_string().partition("ENTRY")[2]
    names = [line.split(" = ")[0].removeprefix("ROOT ").strip(" %")
             for line in entry.splitlines() if " = " in line and " parameter(" not in line
             and " constant(" not in line and " tuple(" not in line]
    sites = lines.call_sites("jit_train_step", names)
    print(len(sites), sum(site > 0 for site, _ in sites), sum(back for _, back in sites))
    print(lines.call_sites("jit_unknown", ["a"]))
"""


def test_instructions_of_libraries_have_lines(run):
    pytest.importorskip("flax")
    pytest.importorskip("optax")
    counts, unknown = run(LINES).output.splitlines()
    instructions, with_line, backward = map(int, counts.split())
    assert instructions > 10
    assert with_line == instructions
    assert 0 < backward < instructions
    assert unknown == "[(0, False)]"


def test_an_interruption_in_a_call_reaches_the_program(run):
    recorded = run(
        PROGRAM
        + """
    @jax.jit
    def interrupted(x):
        raise KeyboardInterrupt

    try:
        interrupted(x)
    except KeyboardInterrupt:
        print("interrupted")
    outer(x)
"""
    )
    assert recorded.output == "interrupted\n"
    assert recorded.spans("dispatch")[-1]["name"] == "outer"
