"""How a program set TensorFlow and Keras up is recorded once, and nothing of it is changed."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

LAPTIME = Path(sys.executable).parent / "laptime"

PROGRAM = """
    import keras, numpy as np, tensorflow as tf

    rows = np.ones((40, 4), "float32")
    def noisy(row):
        return row + tf.random.uniform((4,)), 0.0
    def in_python(row, label):
        return tf.ensure_shape(tf.numpy_function(np.copy, [row], tf.float32), (4,)), label
    data = tf.data.Dataset.from_tensor_slices(rows).map(noisy)
    data = data.map(in_python, num_parallel_calls=2)
    data = data.batch(8, drop_remainder=True)
    other = tf.data.Dataset.from_generator(
        lambda: iter([1.0]), output_signature=tf.TensorSpec((), tf.float32))
    model = keras.Sequential([keras.layers.Dense(1)])
    model.compile("sgd", "mse", steps_per_execution=2, jit_compile=False)
    model.fit(data, epochs=2, verbose=0)
    model.fit(data, verbose=0)
    model.predict(rows, verbose=0)
    print(isinstance(tf.data.Dataset.__dict__["from_generator"], staticmethod))
"""


@pytest.fixture(scope="module")
def settings(tmp_path_factory):
    folder = tmp_path_factory.mktemp("settings")
    program = folder / "program.py"
    program.write_text(textwrap.dedent(PROGRAM))
    variables = {k: v for k, v in os.environ.items() if not k.startswith("LAPTIME_")}
    done = subprocess.run(
        [LAPTIME, "run", "-o", folder / "run.lap", program],
        capture_output=True,
        text=True,
        env={**variables, "TF_CPP_MIN_LOG_LEVEL": "3"},
        timeout=300,
    )
    assert "True" in done.stdout, done.stderr
    text = subprocess.run(
        [LAPTIME, "report", folder / "run.lap", "settings", "--json"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return {key: value for key, value, _ in json.loads(text)["tables"][0]["rows"]}


def group(settings, prefix):
    return {
        key.removeprefix(prefix): value for key, value in settings.items() if key.startswith(prefix)
    }


def test_calls_of_datasets(settings):
    source, noisy, in_python, batch, generator = (
        group(settings, f"dataset {n} ") for n in range(1, 6)
    )
    assert source["method"] == "from_tensor_slices"
    assert (source["elements"], source["bytes"], source["line"]) == ("40", "16", "9")
    assert Path(source["file"]).name == "program.py"
    assert (noisy["method"], noisy["of"], noisy["parallel"]) == ("map", "1", "0")
    assert (noisy["random"], noisy["python"], noisy["bytes"]) == ("1", "0", "20")
    assert (in_python["of"], in_python["parallel"], in_python["python"]) == ("2", "1", "1")
    assert (batch["method"], batch["of"], batch["elements"]) == ("batch", "3", "5")
    assert (generator["method"], "of" in generator) == ("from_generator", False)


def test_keras_own_datasets_are_left_out(settings):
    assert not group(settings, "dataset 6 ")


def test_the_model_is_written_once(settings):
    model = group(settings, "model 1 ")
    assert (model["line"], model["backend"], model["policy"]) == ("15", "tensorflow", "float32")
    assert (model["steps_per_execution"], model["jit_compile"], model["run_eagerly"]) == (
        "2",
        "0",
        "0",
    )
    assert not group(settings, "model 2 ")
    assert settings["keras policy"] == "float32"
