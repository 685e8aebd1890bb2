"""What torch.profiler says of a function's ops, and a function with many kinds of them."""

import marked_programs as programs
import torch
from torch.profiler import ProfilerActivity, profile


def profiled(function):
    """The same function's ops as torch.profiler has them; its events(), unlike its trace, leave ops
    inside a namesake out.
    """
    with profile(
        activities=[ProfilerActivity.CPU], record_shapes=True, with_flops=True
    ) as profiler:
        function()
    return [
        event for event in profiler.profiler.kineto_results.events() if event.scope() in (0, 1, 7)
    ]


def everything():
    torch.manual_seed(1)
    net = programs.Net()
    attention = torch.nn.functional.scaled_dot_product_attention
    programs.train_step(net, programs.images())
    programs.own_function(torch.ones(3, requires_grad=True)).backward()
    programs.named(torch.ones(2))
    torch.bmm(torch.ones(2, 3, 4), torch.ones(2, 4, 5))
    torch.baddbmm(torch.ones(2, 3, 5), torch.ones(2, 3, 4), torch.ones(2, 4, 5))
    torch.mm(torch.ones(3, 4), torch.ones(4, 5))
    torch.cat([torch.ones(2, 2), torch.ones(1, 2)])
    torch.nn.functional.conv2d(torch.ones(1, 4, 9, 9), torch.ones(8, 2, 3, 3), stride=2, groups=2)
    torch.ones(2).mul(3.0).add(1)
    attention(torch.ones(1, 2, 8, 4), torch.ones(1, 2, 6, 4), torch.ones(1, 2, 6, 4))
