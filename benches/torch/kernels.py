"""Single operations, and short chains of them.

An entry takes `wrap`, which is the identity or `torch.compile`, and returns the call that is timed.
"""

import math

import torch
from torch import nn
from torch.nn import functional


def binary(*shape):
    x, y = torch.randn(shape), torch.randn(shape)
    return lambda: x + y


def product(lhs, rhs, dtype=torch.float32):
    x, y = torch.randn(lhs).to(dtype), torch.randn(rhs).to(dtype)
    return lambda: x @ y


def chain_in_place():
    x, y = torch.randn(1024, 1024), torch.randn(1024, 1024)

    def run():
        for _ in range(4):
            x.mul_(0.5).add_(y).relu_()

    return run


def unary(function, *shape, view=lambda x: x):
    x = view(torch.randn(shape))
    return lambda: function(x)


def forward(module, *shape, dtype=torch.float32):
    """A layer without gradients."""
    x = torch.randn(shape).to(dtype)
    return torch.no_grad()(lambda: module(x))


def layer_step(conv, *shape):
    """The gradients by input, weight and bias."""
    leaves = [torch.randn(shape, requires_grad=True), *conv.parameters()]
    return lambda: torch.autograd.grad(conv(leaves[0]).sum(), leaves)


def gather():
    x, indices = torch.randn(4096, 1024), torch.randint(0, 1024, (4096, 1024))
    return lambda: x.gather(1, indices)


def select():
    x, indices = torch.randn(32768, 256), torch.randint(0, 32768, (4096,))
    return lambda: x.index_select(0, indices)


def scatter():
    x, indices, values = torch.randn(1024, 64), torch.randint(0, 64, (1024, 4096)), torch.randn(1024, 4096)
    return lambda: x.scatter_add(1, indices, values)


def add_rows():
    x, indices, values = torch.randn(4096, 256), torch.randint(0, 4096, (65536,)), torch.randn(65536, 256)
    return lambda: x.index_add(0, indices, values)


def conv_half(dtype):
    return forward(nn.Conv2d(64, 64, 3, padding=1, bias=False).to(dtype), 8, 64, 56, 56, dtype=dtype)


def interpolate(mode):
    return unary(lambda x: functional.interpolate(x, (112, 112), mode=mode), 8, 64, 56, 56)


def attention(*shape, causal=False):
    query, key, value = (torch.randn(shape) for _ in range(3))
    return lambda: functional.scaled_dot_product_attention(query, key, value, is_causal=causal)


def attention_decode(dtype):
    query = torch.randn(1, 32, 1, 128).to(dtype)
    key, value = (torch.randn(1, 8, 4224, 128).to(dtype)[:, :, :4096] for _ in range(2))
    return lambda: functional.scaled_dot_product_attention(query, key, value, enable_gqa=True)


def attention_step(*shape, causal=False):
    leaves = [torch.randn(shape, requires_grad=True) for _ in range(3)]

    def run():
        y = functional.scaled_dot_product_attention(*leaves, is_causal=causal)
        return torch.autograd.grad(y.sum(), leaves)

    return run


def tape_chain():
    leaves = x, w, b = [torch.randn(16, requires_grad=True) for _ in range(3)]

    def run():
        y = x
        for _ in range(250):
            y = (y * w + b).tanh().sin()
        return torch.autograd.grad(y.sum(), leaves)

    return run


def tape_wide():
    x = torch.randn(64, requires_grad=True)
    leaves = [[torch.randn(64, requires_grad=True) for _ in range(2)] for _ in range(250)]
    every = [x] + [leaf for pair in leaves for leaf in pair]

    def run():
        total = None
        for w, b in leaves:
            branch = (x * w + b).sin()
            total = branch if total is None else total + branch
        return torch.autograd.grad(total.sum(), every)

    return run


def shallow_layer(wrap):
    x, w, bias = torch.randn(65536, 32), torch.randn(32, 64), torch.randn(64)
    layer = wrap(lambda x: torch.relu(x @ w + bias))
    return lambda: layer(x)


def gelu(x):
    return x * ((x / math.sqrt(2)).erf() + 1) / 2


WORKLOADS = {
    "add 16": lambda wrap: binary(16),
    "matmul 256": lambda wrap: product((256, 256), (256, 256)),
    "matmul 1024": lambda wrap: product((1024, 1024), (1024, 1024)),
    "matmul 2048": lambda wrap: product((2048, 2048), (2048, 2048)),
    "matmul batched": lambda wrap: product((64, 128, 64), (64, 64, 128)),
    "matmul 1024 f16": lambda wrap: product((1024, 1024), (1024, 1024), torch.float16),
    "matmul 1024 bf16": lambda wrap: product((1024, 1024), (1024, 1024), torch.bfloat16),
    "matvec 4096": lambda wrap: product((1, 4096), (4096, 4096)),
    "layer of 16 rows": lambda wrap: product((16, 1024), (1024, 1024)),
    "layer of 64 rows": lambda wrap: product((64, 768), (768, 768)),
    "shallow layer": lambda wrap: shallow_layer(wrap),
    "add 4096": lambda wrap: binary(4096, 4096),
    "chain in place": lambda wrap: chain_in_place(),
    "gelu": lambda wrap: unary(wrap(gelu), 32, 512, 512),
    "softmax": lambda wrap: unary(wrap(lambda x: x.softmax(1)), 4096, 1024),
    "layer norm": lambda wrap: forward(wrap(nn.LayerNorm(768)), 4096, 768),
    "sum dim 0": lambda wrap: unary(lambda x: x.sum(0, keepdim=True), 4096, 4096),
    "sum dim 1": lambda wrap: unary(lambda x: x.sum(1, keepdim=True), 4096, 4096),
    "sum all": lambda wrap: unary(torch.sum, 4096, 4096),
    "sum dim 0 of 16 x 1 M": lambda wrap: unary(lambda x: x.sum(0, keepdim=True), 16, 1 << 20),
    "sum dim 1 of 16 x 1 M": lambda wrap: unary(lambda x: x.sum(1, keepdim=True), 16, 1 << 20),
    "sum all of 16 x 1 M": lambda wrap: unary(torch.sum, 16, 1 << 20),
    "sum dim 0 of 64 x 256": lambda wrap: unary(lambda x: x.sum(0, keepdim=True), 64, 256),
    "sum dim 1 of 64 x 256": lambda wrap: unary(lambda x: x.sum(1, keepdim=True), 64, 256),
    "sum all of 64 x 256": lambda wrap: unary(torch.sum, 64, 256),
    "sum dim 0 of 512 x 768": lambda wrap: unary(lambda x: x.sum(0, keepdim=True), 512, 768),
    "sum dim 1 of 512 x 768": lambda wrap: unary(lambda x: x.sum(1, keepdim=True), 512, 768),
    "sum all of 512 x 768": lambda wrap: unary(torch.sum, 512, 768),
    "sum dim 0 transposed": lambda wrap: unary(lambda x: x.sum(0, keepdim=True), 512, 768, view=torch.t),
    "sum dim 1 transposed": lambda wrap: unary(lambda x: x.sum(1, keepdim=True), 512, 768, view=torch.t),
    "sum all transposed": lambda wrap: unary(torch.sum, 512, 768, view=torch.t),
    "sum all of points": lambda wrap: unary(torch.sum, 3, 65536, view=torch.t),
    "sum dim 1 stepped": lambda wrap: unary(
        lambda x: x.sum(1, keepdim=True), 1024, 2048, view=lambda x: x[:, ::2]
    ),
    "mean of channels last": lambda wrap: unary(
        lambda x: x.mean((2, 3), keepdim=True), 32, 56, 56, 64, view=lambda x: x.permute(0, 3, 1, 2)
    ),
    "transpose": lambda wrap: unary(lambda x: x.t().contiguous(), 4096, 4096),
    "conv 3x3": lambda wrap: forward(nn.Conv2d(64, 64, 3, padding=1), 8, 64, 56, 56),
    "conv 3x3 f16": lambda wrap: conv_half(torch.float16),
    "conv 3x3 bf16": lambda wrap: conv_half(torch.bfloat16),
    "conv 3x3 step": lambda wrap: layer_step(nn.Conv2d(64, 64, 3, padding=1), 8, 64, 56, 56),
    "conv depthwise": lambda wrap: forward(nn.Conv2d(128, 128, 3, padding=1, groups=128), 8, 128, 56, 56),
    "conv 1x1": lambda wrap: forward(nn.Conv2d(256, 256, 1), 8, 256, 28, 28),
    "conv3d step": lambda wrap: layer_step(nn.Conv3d(32, 32, 3, padding=1), 2, 32, 16, 28, 28),
    "conv transpose 1d step": lambda wrap: layer_step(nn.ConvTranspose1d(128, 64, 4, 2, 1), 16, 128, 512),
    "conv transpose 2d step": lambda wrap: layer_step(nn.ConvTranspose2d(128, 64, 4, 2, 1), 8, 128, 28, 28),
    "conv transpose 3d step": lambda wrap: layer_step(nn.ConvTranspose3d(64, 32, 4, 2, 1), 2, 64, 8, 14, 14),
    "bilinear": lambda wrap: interpolate("bilinear"),
    "bicubic": lambda wrap: interpolate("bicubic"),
    "max pool": lambda wrap: unary(lambda x: functional.max_pool2d(x, 2), 8, 64, 112, 112),
    "sort": lambda wrap: unary(lambda x: x.sort(1), 512, 4096),
    "top-k": lambda wrap: unary(lambda x: x.topk(32, 1), 512, 4096),
    "gather": lambda wrap: gather(),
    "select rows": lambda wrap: select(),
    "scatter-add": lambda wrap: scatter(),
    "add rows": lambda wrap: add_rows(),
    "cumsum dim 0": lambda wrap: unary(lambda x: x.cumsum(0), 4096, 4096),
    "cumsum dim 1": lambda wrap: unary(lambda x: x.cumsum(1), 4096, 4096),
    "attention": lambda wrap: attention(8, 8, 512, 64),
    "attention 2048": lambda wrap: attention(1, 8, 2048, 64),
    "attention 2048 causal": lambda wrap: attention(1, 8, 2048, 64, causal=True),
    "attention decode": lambda wrap: attention_decode(torch.float32),
    "attention decode bf16": lambda wrap: attention_decode(torch.bfloat16),
    "attention step": lambda wrap: attention_step(8, 8, 512, 64),
    "attention 2048 step": lambda wrap: attention_step(1, 8, 2048, 64),
    "attention 2048 causal step": lambda wrap: attention_step(1, 8, 2048, 64, causal=True),
    "tape chain 1000": lambda wrap: tape_chain(),
    "tape wide 1000": lambda wrap: tape_wide(),
}
