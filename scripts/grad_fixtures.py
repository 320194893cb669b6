"""Derivatives by torch.func of the functions in crates/burn/tests/spec/autodiff/higher.rs. Prints torch/func.rs.

    python scripts/grad_fixtures.py > crates/burn/tests/spec/torch/func.rs

Made with torch 2.11.0.
"""

import torch
from torch import func

torch.set_default_dtype(torch.float64)

X = torch.tensor([[0.3, -0.7, 1.1], [0.9, 0.2, -0.4]])
W = torch.tensor([[0.5, -0.25], [1.0, 0.75], [-1.5, 2.0]])
V = torch.tensor([[1.0, -2.0], [0.5, 3.0]])
DIRECTION = torch.tensor([[1.0, -2.0, 0.5], [0.25, 1.0, -1.0]])
P = torch.tensor([0.5, -1.25])
Q = torch.tensor([0.75, 0.1, -0.3])


def layer(x):
    return torch.tanh(x @ W)


def energy(x):
    return x.exp().sum().log() + (x**3).sum() + torch.softmax(x, 1)[:, 0].prod()


def outer(p, q):
    return torch.sin(p)[:, None] * torch.exp(q * p.sum())


def show(name, value):
    numbers = ", ".join(repr(number) for number in value.flatten().tolist())
    print(f"pub const {name}: [f64; {value.numel()}] = [{numbers}];")


def main():
    print("//! Derivatives by torch.func: scripts/grad_fixtures.py.\n")
    print("#![allow(clippy::excessive_precision, clippy::approx_constant)]\n")
    value, pull = func.vjp(layer, X)
    show("LAYER", value)
    show("LAYER_VJP", pull(V)[0])
    show("LAYER_JVP", func.jvp(layer, (X,), (DIRECTION,))[1])
    show("LAYER_JACOBIAN", func.jacrev(layer)(X))
    gradient, value = func.grad_and_value(energy)(X)
    show("ENERGY", value)
    show("ENERGY_GRAD", gradient)
    show("ENERGY_HESSIAN", func.hessian(energy)(X))
    show("ENERGY_HVP", func.jvp(func.grad(energy), (X,), (DIRECTION,))[1])
    by_p, by_q = func.jacrev(outer, argnums=(0, 1))(P, Q)
    show("OUTER_JACOBIAN", torch.cat([by_p.reshape(6, 2), by_q.reshape(6, 3)], 1))
    total = lambda both: (outer(both[:2], both[2:]) ** 2).sum()
    show("OUTER_HESSIAN", func.hessian(total)(torch.cat([P, Q])))
    third = func.grad(lambda x: func.grad(lambda x: func.grad(lambda x: torch.sin(x**2).sum())(x).sum())(x).sum())
    show("SIN_SQUARE_THIRD", third(Q))


main()
