import tensorflow as tf, os, multiprocessing as mp, subprocess, sys
w = tf.Variable(tf.ones((4, 1)))
@tf.function
def step(a):
    with tf.GradientTape() as tape: loss = tf.reduce_sum(a @ w)
    w.assign_sub(0.1 * tape.gradient(loss, w)); return loss
def work(q=None):
    return sum(range(1000))
def train(n):
    for i in range(n): step(tf.ones((2,4)))
if __name__ == "__main__":
    train(30)
    p = mp.get_context("fork").Process(target=work); p.start(); p.join(30); print("fork", p.exitcode)
    pid = os.fork()
    if pid == 0: os._exit(7)
    print("osfork", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    print(subprocess.run([sys.executable, "-c", "print(1)"], capture_output=True, text=True).stdout)
    p = mp.get_context("spawn").Process(target=train, args=(12,)); p.start(); p.join(120); print("spawn", p.exitcode)
    train(30)
