#!/usr/bin/env python3
"""Writes crates/burn/tests/spec/tensor/network.json: what PyTorch computes, in float64, for the functions of `burn::tensor::module`.

Each case has its inputs, the output `y`, and the gradients of `sum(y * cos(0, 1, 2, ..))` by the inputs that are floats.
What PyTorch has not, deformable convolution and Lanczos interpolation, is written here as loops over its definition.
Run it with PyTorch 2.11.0 from the root of the repository: python scripts/network_fixtures.py
"""

import json
import math
import pathlib

import torch
import torch.nn.functional as F

torch.set_default_dtype(torch.float64)
torch.manual_seed(11)

CASES = {}


def tensor(x):
    values = [float(f"{float(value):.13g}") for value in x.detach().flatten()]
    return {"shape": list(x.shape), "values": values} | ({"bool": True} if x.dtype == torch.bool else {})


def case(name, forward, **inputs):
    """Runs `forward(**inputs)` and keeps everything."""
    inputs = {key: value.detach().clone().requires_grad_(value.is_floating_point()) for key, value in inputs.items()}
    y = forward(**inputs)
    (y * torch.cos(torch.arange(y.numel(), dtype=y.dtype)).reshape(y.shape)).sum().backward()
    grads = {key: tensor(value.grad) for key, value in inputs.items() if value.grad is not None}
    CASES[name] = {"inputs": {key: tensor(value) for key, value in inputs.items()}, "y": tensor(y), "grads": grads}


def random(*shape):
    """Numbers that take little room in the file."""
    return torch.randn(*shape).round(decimals=3)


def convolutions():
    case("conv3d", lambda x, weight, bias: F.conv3d(x, weight, bias, stride=(1, 2, 1), padding=(1, 0, 1), dilation=(1, 1, 2)),
         x=random(1, 2, 3, 4, 4), weight=random(2, 2, 2, 2, 2), bias=random(2))
    case("conv_transpose1d",
         lambda x, weight, bias: F.conv_transpose1d(x, weight, bias, stride=3, padding=1, output_padding=2, dilation=2),
         x=random(2, 3, 4), weight=random(3, 2, 3), bias=random(2))
    case("conv_transpose2d",
         lambda x, weight, bias: F.conv_transpose2d(x, weight, bias, stride=(2, 1), padding=(1, 2), output_padding=(1, 0),
                                                    groups=2, dilation=(1, 2)),
         x=random(1, 4, 3, 4), weight=random(4, 1, 3, 2), bias=random(2))
    case("conv_transpose3d", lambda x, weight: F.conv_transpose3d(x, weight, stride=(1, 2, 2), padding=(0, 1, 0)),
         x=random(1, 2, 2, 3, 2), weight=random(2, 2, 2, 3, 2))


def pools():
    case("max_pool3d", lambda x: F.max_pool3d(x, (2, 3, 2), stride=(1, 2, 2), padding=(1, 1, 0), dilation=(2, 1, 1)),
         x=random(1, 2, 4, 5, 4))
    case("avg_pool3d", lambda x: F.avg_pool3d(x, (2, 3, 2), stride=(1, 2, 2), padding=(1, 1, 0)), x=random(1, 2, 3, 5, 4))
    case("adaptive_avg_pool3d", lambda x: F.adaptive_avg_pool3d(x, (2, 3, 1)), x=random(1, 2, 3, 4, 2))
    case("adaptive_max_pool1d", lambda x: F.adaptive_max_pool1d(x, 3), x=random(2, 2, 7))
    case("adaptive_max_pool2d", lambda x: F.adaptive_max_pool2d(x, (3, 5)), x=random(1, 2, 7, 4))
    case("max_pool_ceil", lambda x: F.max_pool2d(x, (3, 2), stride=(2, 3), padding=(1, 0), ceil_mode=True),
         x=random(1, 2, 6, 7))
    case("max_pool_ceil_dilated", lambda x: F.max_pool1d(x, 2, stride=3, padding=1, dilation=2, ceil_mode=True),
         x=random(1, 2, 8))
    case("avg_pool_ceil", lambda x: F.avg_pool2d(x, (3, 2), stride=(2, 3), padding=(1, 1), ceil_mode=True),
         x=random(1, 2, 6, 6))
    case("avg_pool_ceil_without_pad",
         lambda x: F.avg_pool2d(x, (3, 2), stride=(2, 3), padding=(1, 1), ceil_mode=True, count_include_pad=False),
         x=random(1, 2, 6, 6))


def windows():
    options = {"kernel_size": (2, 3), "stride": (2, 1), "padding": (1, 0), "dilation": (1, 2)}
    case("unfold4d", lambda x: F.unfold(x, **options), x=random(2, 2, 4, 6))
    case("fold4d", lambda x: F.fold(x, (4, 6), **options), x=random(2, 12, 6))


def lanczos(size, output):
    """The matrix that takes `size` elements to `output`."""

    def kernel(t):
        sinc = lambda t: 1.0 if t == 0 else math.sin(math.pi * t) / (math.pi * t)
        return sinc(t) * sinc(t / 3) if abs(t) < 3 else 0.0

    matrix = torch.zeros(output, size)
    for i in range(output):
        centre = (i + 0.5) * size / output - 0.5
        places = range(math.floor(centre) - 2, math.floor(centre) + 4)
        total = sum(kernel(centre - place) for place in places)
        for place in places:
            matrix[i, min(max(place, 0), size - 1)] += kernel(centre - place) / total
    return matrix


def interpolation():
    for mode in ["nearest", "nearest-exact", "linear"]:
        case(f"interpolate1d_{mode}", lambda x: F.interpolate(x, size=7, mode=mode), x=random(1, 2, 4))
        case(f"interpolate1d_{mode}_down", lambda x: F.interpolate(x, size=3, mode=mode), x=random(1, 2, 8))
    for mode in ["bilinear", "bicubic"]:
        for corners in [False, True]:
            case(f"interpolate2d_{mode}_{corners}",
                 lambda x: F.interpolate(x, size=(5, 3), mode=mode, align_corners=corners), x=random(1, 2, 3, 4))
        case(f"interpolate2d_{mode}_scale", lambda x: F.interpolate(x, scale_factor=(1.7, 0.6), mode=mode),
             x=random(1, 1, 4, 5))
    case("interpolate2d_nearest_scale", lambda x: F.interpolate(x, scale_factor=(1.75, 0.5), mode="nearest"),
         x=random(1, 1, 4, 5))
    case("interpolate2d_one", lambda x: F.interpolate(x, size=(1, 4), mode="bilinear", align_corners=True),
         x=random(1, 1, 3, 1))
    case("interpolate2d_lanczos", lambda x: lanczos(6, 9) @ x @ lanczos(5, 3).T, x=random(1, 2, 6, 5))


def grids():
    for mode in ["bilinear", "nearest"]:
        for padding in ["zeros", "border", "reflection"]:
            for corners in [False, True]:
                case(f"grid_sample_{mode}_{padding}_{corners}",
                     lambda x, grid: F.grid_sample(x, grid, mode=mode, padding_mode=padding, align_corners=corners),
                     x=random(2, 2, 4, 3), grid=1.5 * random(2, 3, 2, 2))
    for corners in [False, True]:
        case(f"affine_grid_{corners}", lambda theta: F.affine_grid(theta, (2, 1, 3, 2), align_corners=corners),
             theta=random(2, 2, 3))


def deformed(x, offset, weight, mask, bias, stride, padding, dilation, groups):
    """One pixel, channel and element of the kernel after the other."""
    (batch, channels, height, width), (outputs, inputs, kernel_h, kernel_w) = x.shape, weight.shape
    fields = offset.shape[1] // (2 * kernel_h * kernel_w)

    def pixel(n, c, row, column):
        inside = 0 <= row < height and 0 <= column < width
        return x[n, c, row, column] if inside else torch.zeros(())

    def read(n, c, row, column):
        top, left = (int(torch.floor(place.detach())) for place in (row, column))
        down, right = row - top, column - left
        return ((1 - down) * (1 - right) * pixel(n, c, top, left) + (1 - down) * right * pixel(n, c, top, left + 1)
                + down * (1 - right) * pixel(n, c, top + 1, left) + down * right * pixel(n, c, top + 1, left + 1))

    y = []
    for n in range(batch):
        for out in range(outputs):
            for row in range(offset.shape[2]):
                for column in range(offset.shape[3]):
                    total = bias[out]
                    for c in range(inputs):
                        source = out // (outputs // groups) * inputs + c
                        field = source // (channels // fields)
                        for i in range(kernel_h):
                            for j in range(kernel_w):
                                k = (field * kernel_h + i) * kernel_w + j
                                down, right = offset[n, 2 * k, row, column], offset[n, 2 * k + 1, row, column]
                                value = read(n, source, row * stride[0] - padding[0] + i * dilation[0] + down,
                                             column * stride[1] - padding[1] + j * dilation[1] + right)
                                strength = 1 if mask is None else mask[n, k, row, column]
                                total = total + weight[out, c, i, j] * value * strength
                    y.append(total)
    return torch.stack(y).reshape(batch, outputs, offset.shape[2], offset.shape[3])


def deformable():
    case("deform_conv2d",
         lambda x, offset, weight, mask, bias: deformed(x, offset, weight, mask, bias, (2, 1), (1, 0), (1, 2), 2),
         x=random(1, 4, 4, 4), offset=random(1, 16, 3, 2), weight=random(2, 2, 2, 2), mask=random(1, 8, 3, 2),
         bias=random(2))
    case("deform_conv2d_without_mask",
         lambda x, offset, weight, bias: deformed(x, offset, weight, None, bias, (1, 1), (1, 1), (1, 1), 1),
         x=random(2, 1, 3, 2), offset=2 * random(2, 12, 3, 3) + 0.0005, weight=random(2, 1, 3, 2), bias=random(2))


def attention():
    q, k, v = random(2, 2, 3, 4), random(2, 2, 5, 4), random(2, 2, 5, 3)
    hidden = torch.rand(2, 1, 3, 5) < 0.4
    hidden[..., 0] = False
    case("attention", lambda q, k, v: F.scaled_dot_product_attention(q, k, v), q=q, k=k, v=v)
    case("attention_causal", lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=0.3), q=q, k=k, v=v)
    case("attention_hidden",
         lambda q, k, v, mask: F.scaled_dot_product_attention(q, k, v, attn_mask=~mask), q=q, k=k, v=v, mask=hidden)
    case("attention_added",
         lambda q, k, v, mask: F.scaled_dot_product_attention(q, k, v, attn_mask=mask), q=q, k=k, v=v, mask=random(1, 2, 3, 5))
    case("attention_grouped",
         lambda q, k, v: F.scaled_dot_product_attention(q, k, v, enable_gqa=True),
         q=random(1, 4, 2, 3), k=random(1, 2, 3, 3), v=random(1, 2, 3, 2))


def norms():
    case("layer_norm", lambda x, weight, bias: F.layer_norm(x, (4,), weight, bias, 1e-5),
         x=random(2, 3, 4), weight=random(4), bias=random(4))
    case("rms_norm", lambda x, weight: F.rms_norm(x, (4,), weight, 1e-5), x=random(2, 3, 4), weight=random(4))
    case("group_norm", lambda x, weight, bias: F.group_norm(x, 2, weight, bias, 1e-5),
         x=random(2, 4, 3, 2), weight=random(4), bias=random(4))
    case("instance_norm", lambda x, weight, bias: F.instance_norm(x, weight=weight, bias=bias, eps=1e-5),
         x=random(2, 3, 5), weight=random(3), bias=random(3))
    # PyTorch has no gradient by what was found in training; the rest of this formula is compared with it here.
    column = lambda values: values.reshape(1, 3, 1, 1)
    batch_norm = lambda x, mean, variance, weight, bias: (
        (x - column(mean)) / (column(variance) + 1e-5).sqrt() * column(weight) + column(bias))
    x, mean, weight = random(2, 3, 2, 2), random(3), random(3)
    expected = F.batch_norm(x, mean, mean.square(), weight, mean, False, 0.1, 1e-5)
    assert torch.allclose(batch_norm(x, mean, mean.square(), weight, mean), expected, atol=1e-12)
    case("batch_norm", batch_norm,
         x=random(2, 3, 2, 2), mean=random(3), variance=random(3).square() + 0.5, weight=random(3), bias=random(3))
    for size in [2, 3]:
        case(f"local_response_norm_{size}", lambda x: F.local_response_norm(x, size, 0.5, 0.75, 1.5), x=random(2, 4, 3, 2))


for group in [convolutions, pools, windows, interpolation, grids, deformable, attention, norms]:
    group()

path = pathlib.Path("crates/burn/tests/spec/tensor/network.json")
lines = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in CASES.items()]
path.write_text("{\n" + ",\n".join(lines) + "\n}\n")
print(f"{len(CASES)} cases, {path.stat().st_size} bytes")
