#!/usr/bin/env python3
"""Writes crates/burn-nn/tests/layers/torch.json: what PyTorch computes, in float64, for convolutions and pools.

Each case has an input, parameters, the output `y`, and gradients of `sum(y * cos(0, 1, 2, ..))`.
Run it with PyTorch 2.11.0 from the root of the repository: python scripts/nn_fixtures.py
"""

import json
import pathlib

import torch
import torch.nn.functional as F

torch.set_default_dtype(torch.float64)
torch.manual_seed(7)

CASES = {}


def tensor(x):
    return {"shape": list(x.shape), "values": x.detach().flatten().tolist()}


def case(name, forward, x, **params):
    """Runs `forward(x, **params)` and keeps everything."""
    x = x.clone().requires_grad_(x.is_floating_point())
    params = {key: value.detach().clone().requires_grad_() for key, value in params.items()}
    y = forward(x, **params)
    (y * torch.cos(torch.arange(y.numel(), dtype=y.dtype)).reshape(y.shape)).sum().backward()
    values = {"x": x, "y": y} | params
    if x.grad is not None:
        values["grad_x"] = x.grad
    values |= {f"grad_{key}": value.grad for key, value in params.items()}
    CASES[name] = {key: tensor(value) for key, value in values.items()}


def random(*shape):
    return torch.randn(*shape)


def layers():
    case("conv1d", lambda x, weight, bias: F.conv1d(x, weight, bias, stride=2, padding=1, dilation=2),
         random(2, 3, 11), weight=random(4, 3, 3), bias=random(4))
    case("conv2d", lambda x, weight, bias: F.conv2d(x, weight, bias, stride=(2, 1), padding=(1, 2), dilation=(1, 2)),
         random(2, 3, 7, 8), weight=random(4, 3, 3, 2), bias=random(4))
    case("conv2d_groups", lambda x, weight: F.conv2d(x, weight, groups=2), random(1, 4, 5, 4), weight=random(6, 2, 2, 3))
    case("conv2d_same", lambda x, weight, bias: F.conv2d(x, weight, bias, padding="same", dilation=(2, 1)),
         random(1, 2, 5, 6), weight=random(3, 2, 2, 4), bias=random(3))
    case("max_pool2d", lambda x: F.max_pool2d(x, (3, 2), stride=(2, 1), padding=(1, 0), dilation=(1, 2)),
         random(2, 2, 6, 7))
    case("max_pool1d", lambda x: F.max_pool1d(x, 3, stride=2, padding=1), random(2, 2, 8))
    case("avg_pool2d", lambda x: F.avg_pool2d(x, (3, 2), stride=(2, 1), padding=(1, 1)), random(2, 2, 6, 5))
    case("avg_pool2d_without_pad",
         lambda x: F.avg_pool2d(x, (3, 2), stride=(2, 1), padding=(1, 1), count_include_pad=False), random(2, 2, 6, 5))
    case("avg_pool1d", lambda x: F.avg_pool1d(x, 3, stride=2), random(2, 2, 8))
    case("adaptive_avg_pool2d", lambda x: F.adaptive_avg_pool2d(x, (3, 4)), random(2, 2, 7, 6))
    case("adaptive_avg_pool1d", lambda x: F.adaptive_avg_pool1d(x, 3), random(2, 2, 7))


def main():
    layers()
    lines = ",\n".join(f'"{name}": {json.dumps(values)}' for name, values in CASES.items())
    path = pathlib.Path("crates/burn-nn/tests/layers/torch.json")
    path.write_text(f'{{"torch": "{torch.__version__.split("+")[0]}",\n{lines}\n}}\n')
    print(f"{path}: {len(CASES)} cases")


if __name__ == "__main__":
    main()
