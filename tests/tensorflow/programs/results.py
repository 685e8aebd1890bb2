"""Prints the losses and the hash of the weights of some trainings. They are deterministic."""
import hashlib

import keras
import numpy as np

keras.utils.set_random_seed(0)
numbers = np.random.default_rng(0)
x, y = numbers.random((400, 8), "float32"), numbers.random((400, 1), "float32")


def show(name, losses, weights):
    digest = hashlib.sha256(b"".join(np.asarray(w).tobytes() for w in weights)).hexdigest()
    print(name, [float(loss).hex() for loss in losses], digest)


model = keras.Sequential(
    [
        keras.Input((8,)),
        keras.layers.Dense(16, activation="relu"),
        keras.layers.Dropout(0.2),
        keras.layers.Dense(1),
    ]
)
model.compile("adam", "mse")
history = model.fit(x, y, batch_size=8, epochs=2, validation_split=0.2, verbose=0).history
show("fit", history["loss"] + history["val_loss"], model.get_weights())
print("predict", hashlib.sha256(model.predict(x, verbose=0).tobytes()).hexdigest())

if keras.backend.backend() == "tensorflow":
    import tensorflow as tf

    tf.config.experimental.enable_op_determinism()
    data = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(400, seed=1).batch(8)

    def train(make):
        w, v = tf.Variable(tf.ones((8, 4)) * 0.1), tf.Variable(tf.ones((4, 1)))

        def step(a, b):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((tf.nn.relu(a @ w) @ v - b) ** 2)
            for variable, gradient in zip((w, v), tape.gradient(loss, (w, v))):
                variable.assign_sub(0.01 * gradient)
            return loss

        step = make(step)
        losses = [step(a, b) for a, b in data]
        return losses, [w.numpy(), v.numpy()]

    show("eager", *train(lambda step: step))
    show("function", *train(tf.function))
