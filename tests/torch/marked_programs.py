"""Programs whose ops are known by line: a comment `# op: NAME…` stands behind each line that calls
ops of the user's.
"""

import threading

import torch
from torch.utils.checkpoint import checkpoint


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 3, 3, padding=1)
        self.act = torch.nn.ReLU()

    def forward(self, x):
        y = self.conv(x)  # op: aten::conv2d
        y = self.act(y)  # op: aten::relu
        return y + x  # op: aten::add


class Net(torch.nn.Module):
    def __init__(self, checkpoints=None):
        super().__init__()
        self.blocks = torch.nn.Sequential(Block(), Block())
        self.head = torch.nn.Linear(3 * 8 * 8, 4)
        self.checkpoints = checkpoints

    def forward(self, x):
        if self.checkpoints is not None:
            x = checkpoint(self.blocks, x, use_reentrant=self.checkpoints == "reentrant")
        else:
            x = self.blocks(x)
        x = scaled(x)
        return self.head(x.flatten(1))  # op: aten::flatten aten::linear


def scaled(x):
    return x.mul(0.5)  # op: aten::mul


def images():
    return torch.ones(2, 3, 8, 8, requires_grad=True)  # op: aten::ones


def train_step(net, x):
    loss = net(x).sum()  # op: aten::sum
    loss.backward()  # op: aten::ones_like
    return loss


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.mul(2)  # op: aten::mul

    @staticmethod
    def backward(ctx, grad):
        return grad.mul(2)  # backward op: aten::mul


def own_function(x):
    return Double.apply(x).sum()  # op: Double aten::sum


def pieces(x):
    for part in x.unbind(0):  # op: aten::unbind
        yield part.neg()  # op: aten::neg


def generator(x):
    return [part.exp() for part in pieces(x)]  # op: aten::exp


def named(x):
    with torch.profiler.record_function("named region"):  # op: named region
        return x.abs()  # op: aten::abs


def without_gradients(x):
    with torch.no_grad():
        return x.sqrt()  # op: aten::sqrt


def failing(x):
    try:  # noqa: SIM105  the program that is tested catches it like this
        x.view(7, 7)  # op: aten::view
    except RuntimeError:
        pass
    return x.tanh()  # op: aten::tanh


def hook(module, inputs, output):
    return output.cos()  # op: aten::cos


def hooked(x):
    layer = torch.nn.Identity()
    layer.register_forward_hook(hook)
    return layer(x)


def deep(x, depth):
    if depth == 0:
        return x.sin()  # op: aten::sin
    return deep(x, depth - 1)


def in_threads(x, count):
    threads = [threading.Thread(target=scaled, args=(x,)) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
