"""fit with ours TensorBoard: python fit.py LOGDIR FIRST LAST [STOP]. Prints the profiled calls' ms,
and "free" if a session of the program can start afterwards.
"""

import sys
import time

import keras
import numpy as np
from laptime.compat.keras import TensorBoard

log_dir, first, last, stop = sys.argv[1], *map(int, (*sys.argv[2:], "0")[:3])


class Times(keras.callbacks.Callback):
    batch = 0

    def on_train_batch_begin(self, _, logs=None):
        self.batch += 1
        self.began = time.perf_counter()

    def on_train_batch_end(self, _, logs=None):
        if first <= self.batch <= last:
            print(self.batch, (time.perf_counter() - self.began) * 1e3)
        if self.batch == stop:
            raise KeyboardInterrupt


model = keras.Sequential([keras.Input((64,)), keras.layers.Dense(512), keras.layers.Dense(1)])
model.compile("sgd", "mse")
data = np.ones((32 * 12, 64), "float32"), np.ones((32 * 12, 1), "float32")
try:
    model.fit(
        *data,
        batch_size=32,
        verbose=0,
        callbacks=[TensorBoard(log_dir, profile_batch=(first, last)), Times()],
    )
except KeyboardInterrupt:
    print("interrupted")
if keras.backend.backend() == "jax":
    import jax.profiler as profiler

    profiler.start_trace(log_dir + "-after")
    profiler.stop_trace()
else:
    from tensorflow.profiler import experimental as profiler

    profiler.start(log_dir + "-after")
    profiler.stop()
print("free")
