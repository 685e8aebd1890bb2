import tensorflow as tf
import numpy as np
data = tf.data.Dataset.from_tensor_slices(np.ones((40, 4), "float32")).batch(4)
w = tf.Variable(tf.ones((4, 1)))

@tf.function
def step(a):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(a @ w)
    w.assign_sub(0.1 * tape.gradient(loss, w))
    tf.debugging.assert_greater(loss, -1000.0)
    return loss

@tf.function
def wrong(a):
    return tf.matmul(a, tf.ones((3, 3)))

for epoch in range(3):
    for a in data:
        step(a)
import traceback
for f in (wrong,):
    try:
        f(a)
    except Exception:
        traceback.print_exc()
try:
    for i in range(100000): step(a * 1e6)
except Exception:
    traceback.print_exc()
import keras
m = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
m.compile("sgd", "mse")
class C(keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        if batch == 5: raise ValueError("from a callback")
try:
    m.fit(np.ones((80,4)), np.ones((80,1)), batch_size=8, verbose=0, callbacks=[C()])
except Exception:
    traceback.print_exc()
def bad():
    yield np.ones((8,4)), np.ones((8,1))
    raise RuntimeError("generator broke")
m.fit(bad(), verbose=2)
