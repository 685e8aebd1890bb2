import keras, numpy as np, os, signal
m = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
m.compile("sgd", "mse")
class C(keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        if batch == 55: os.kill(os.getpid(), signal.SIGINT)
m.fit(np.ones((800,4)), np.ones((800,1)), batch_size=8, verbose=0, callbacks=[C()])
