#!/usr/bin/env python3
"""Writes the files of crates/burn/tests/spec/torch/linalg: what PyTorch computes, in float64, for the tests of linear algebra.

Run it with PyTorch 2.11 from the root of the repository: python scripts/linalg_fixtures.py
"""

import pathlib

import torch

torch.set_default_dtype(torch.float64)


def ramp(*shape):
    """Numbers that look random and are the same everywhere: the tests make them too."""
    count = torch.Size(shape).numel()
    return ((torch.arange(count) * 7 % 11 - 5) / 4).to(torch.float64).reshape(shape)


def matrix(*shape):
    """`ramp` with 2, 2.75, 3.5, .. more on the diagonal: invertible, with values far from each other."""
    x = ramp(*shape)
    rows, cols = shape[-2:]
    return x + torch.diag_embed(torch.arange(max(rows, cols)) * 0.75 + 2.0)[:rows, :cols]


def symmetric(x):
    return (x + x.mT) / 2


def upright(x, *others):
    """Columns with a positive largest element, and others turned with them."""
    largest = torch.gather(x, -2, x.abs().argmax(-2, keepdim=True))
    return [y * largest.sign() for y in (x, *others)]


def qr(x):
    q, r = torch.linalg.qr(x)
    sign = torch.diagonal(r, dim1=-2, dim2=-1).sign()
    return q * sign.unsqueeze(-2), r * sign.unsqueeze(-1)


def svd(x):
    u, s, vh = torch.linalg.svd(x, full_matrices=False)
    u, v = upright(u, vh.mT)
    return u, s, v.mT


def eigh(x):
    w, v = torch.linalg.eigh(symmetric(x))
    return w, upright(v)[0]


def cholesky(x):
    return torch.linalg.cholesky(symmetric(x) + 3 * torch.eye(x.shape[-1]))


SQUARE, TALL, WIDE, BATCH = matrix(4, 4), matrix(5, 3), matrix(3, 5), matrix(2, 3, 3)

DEFICIENT = torch.stack([TALL[:, 0], TALL[:, 1], TALL[:, 0] - TALL[:, 1]], 1)

FUNCTIONS = {
    "CHOLESKY": (cholesky, [SQUARE]),
    "QR_SQUARE": (qr, [SQUARE]),
    "QR_TALL": (qr, [TALL]),
    "QR_WIDE": (qr, [WIDE]),
    "SVD_SQUARE": (svd, [SQUARE]),
    "SVD_TALL": (svd, [TALL]),
    "SVD_WIDE": (svd, [WIDE]),
    "EIGH": (eigh, [SQUARE]),
    "LU_SQUARE": (lambda x: torch.linalg.lu(x)[1:], [SQUARE]),
    "LU_TALL": (lambda x: torch.linalg.lu(x)[1:], [TALL]),
    "LU_WIDE": (lambda x: torch.linalg.lu(x)[1:], [WIDE]),
    "DET": (torch.linalg.det, [BATCH]),
    "SLOGDET": (torch.linalg.slogdet, [BATCH]),
    "INVERSE": (torch.linalg.inv, [BATCH]),
    "SOLVE": (torch.linalg.solve, [SQUARE, ramp(4, 2)]),
    "SOLVE_UPPER": (lambda a, b: torch.linalg.solve_triangular(a, b, upper=True), [SQUARE, ramp(4, 2)]),
    "LSTSQ_TALL": (lambda a, b: torch.linalg.lstsq(a, b, driver="gels").solution, [TALL, ramp(5, 2)]),
    "LSTSQ_WIDE": (lambda a, b: torch.linalg.lstsq(a, b, driver="gels").solution, [WIDE, ramp(3, 2)]),
    "PINV_TALL": (torch.linalg.pinv, [TALL]),
    "PINV_WIDE": (torch.linalg.pinv, [WIDE]),
    "PINV_RANK_2": (torch.linalg.pinv, [DEFICIENT]),
    "MATRIX_EXP": (torch.linalg.matrix_exp, [SQUARE]),
    "MATRIX_POWER": (lambda x: torch.linalg.matrix_power(x, 5), [SQUARE]),
    "MATRIX_POWER_NEGATIVE": (lambda x: torch.linalg.matrix_power(x, -3), [SQUARE]),
    "NORM_HALF": (lambda x: torch.linalg.vector_norm(x, 0.5, dim=1), [TALL]),
    "NORM_3": (lambda x: torch.linalg.vector_norm(x, 3, dim=0), [TALL]),
    "NUCLEAR": (lambda x: torch.linalg.matrix_norm(x, "nuc"), [TALL]),
    "SPECTRAL": (lambda x: torch.linalg.matrix_norm(x, 2), [WIDE]),
    "COSINE": (lambda x, y: torch.nn.functional.cosine_similarity(x, y, dim=1), [TALL, ramp(5, 3)]),
    "CROSS": (lambda x, y: torch.linalg.cross(x, y, dim=-1), [TALL, ramp(5, 3)]),
    "COV": (torch.cov, [TALL]),
}


def weights(x):
    """What each element of a result counts in the loss."""
    return (torch.arange(x.numel()) % 5 + 1.0).reshape(x.shape)


def constant(name, values):
    numbers = [f"{x!r}" for x in values.detach().flatten().tolist()]
    return f"pub const {name}: [f64; {len(numbers)}] = [{', '.join(numbers)}];\n"


# The first constant of each file.
FILES = {"CHOLESKY": "factorizations", "DET": "systems", "MATRIX_EXP": "functions"}


def main():
    texts = {}
    for name, (function, operands) in FUNCTIONS.items():
        if name in FILES:
            file = FILES[name]
            texts[file] = f"//! Linear algebra of PyTorch in float64: {file}. Written by `scripts/linalg_fixtures.py`.\n\n"
        operands = [x.clone().requires_grad_() for x in operands]
        results = function(*operands)
        results = results if isinstance(results, tuple) else (results,)
        loss = sum((weights(x) * x).sum() for x in results)
        gradients = torch.autograd.grad(loss, operands)
        texts[file] += constant(name, torch.cat([x.flatten() for x in results]))
        texts[file] += constant(f"{name}_GRAD", torch.cat([x.flatten() for x in gradients]))
    for file, text in texts.items():
        pathlib.Path(f"crates/burn/tests/spec/torch/linalg/{file}.rs").write_text(text)


main()
