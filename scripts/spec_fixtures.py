#!/usr/bin/env python3
"""Writes crates/burn/tests/spec/torch/values.rs and spatial.rs: what PyTorch computes, in float64, for the tests of the
specification.

Run it with PyTorch 2.x from the root of the repository: python scripts/spec_fixtures.py
"""

import pathlib

import torch
import torch.nn.functional as F

torch.set_default_dtype(torch.float64)

X = torch.tensor([-30.0, -4.0, -1.5, -0.5, 0.0, 0.25, 1.0, 3.0, 30.0])
MATRIX = torch.tensor([[1.0, 2.0, 3.0, -1.0], [0.5, -0.5, 100.0, 99.0]])
LEFT = torch.tensor([[[1.0, -2.0, 0.5], [3.0, 0.25, -1.0]], [[0.5, 1.5, 2.0], [-1.0, 2.0, -3.0]]])
RIGHT = torch.tensor([[2.0, 1.0], [0.5, -1.0], [-4.0, 3.0]])


def ramp(*shape):
    """Numbers that are different in each place and the same everywhere: the tests make them too."""
    count = torch.Size(shape).numel()
    return ((torch.arange(count) * 7 % 11 - 5) / 4).to(torch.float64).reshape(shape)


def layers():
    image, wide = ramp(1, 2, 5, 5), ramp(2, 2, 6)
    logits, targets = MATRIX, torch.tensor([2, 3])
    classes = torch.tensor([1.0, 2.0, 3.0, 4.0])
    batch_norm = torch.nn.BatchNorm1d(3)
    batch_norm(ramp(2, 3, 4))
    return {
        "BATCH_NORM_2D": torch.nn.BatchNorm1d(3)(ramp(4, 3)),
        "BATCH_NORM_3D": torch.nn.BatchNorm1d(3)(ramp(2, 3, 4)),
        "BATCH_NORM_EVAL": batch_norm.eval()(ramp(4, 3)),
        "LAYER_NORM": F.layer_norm(MATRIX, (4,)),
        "GROUP_NORM": F.group_norm(ramp(2, 4, 3), 2),
        "CONV1D": F.conv1d(wide, ramp(3, 2, 3), ramp(3), stride=2, padding=1),
        "CONV2D": F.conv2d(image, ramp(4, 1, 3, 3), ramp(4), stride=2, padding=1, groups=2),
        "CONV2D_DILATED": F.conv2d(image, ramp(1, 2, 3, 3), None, padding=(2, 1), dilation=2),
        "CONV2D_SAME": F.conv2d(image, ramp(1, 2, 3, 3), None, padding="same"),
        "MAX_POOL1D": F.max_pool1d(wide, 2, 2),
        "MAX_POOL2D": F.max_pool2d(image, (2, 3), (2, 1), (1, 1)),
        "AVG_POOL1D": F.avg_pool1d(wide, 3, 2, 1),
        "AVG_POOL2D": F.avg_pool2d(image, (3, 3), (2, 2), (1, 1)),
        "AVG_POOL2D_INSIDE": F.avg_pool2d(image, (3, 3), (2, 2), (1, 1), count_include_pad=False),
        "ADAPTIVE1D": F.adaptive_avg_pool1d(wide, 4),
        "ADAPTIVE2D": F.adaptive_avg_pool2d(image, (3, 2)),
        "CROSS_ENTROPY": F.cross_entropy(logits, targets),
        "CROSS_ENTROPY_WEIGHTS": F.cross_entropy(logits, targets, weight=classes),
        "CROSS_ENTROPY_PAD": F.cross_entropy(logits, targets, ignore_index=3),
        "CROSS_ENTROPY_SMOOTH": F.cross_entropy(logits, targets, label_smoothing=0.1),
        "HUBER": F.huber_loss(ramp(6), torch.zeros(6), delta=0.5),
    }


def spatial():
    """Layers over one, two and three dimensions."""
    signal, image, volume = ramp(1, 2, 6), ramp(1, 2, 4, 5), ramp(1, 2, 3, 4, 3)
    values, indices = F.max_pool2d(image, 2, return_indices=True)
    adaptive, adaptive_indices = F.adaptive_max_pool2d(image, (3, 2), return_indices=True)
    ceil, ceil_indices = F.max_pool2d(image, (3, 2), 2, ceil_mode=True, return_indices=True)
    return {
        "CONV3D": F.conv3d(volume, ramp(2, 2, 2, 3, 2), ramp(2), stride=(1, 2, 1), padding=(1, 0, 1)),
        "CONV2D_REFLECT": F.conv2d(F.pad(image, (1, 1, 2, 2), mode="reflect"), ramp(1, 2, 3, 3)),
        "CONV_TRANSPOSE1D": F.conv_transpose1d(signal, ramp(2, 2, 3), ramp(2), 2, 1, 1),
        "CONV_TRANSPOSE2D": F.conv_transpose2d(image, ramp(2, 1, 3, 2), ramp(2), (2, 1), (1, 0), (1, 0), 2, (1, 2)),
        "CONV_TRANSPOSE3D": F.conv_transpose3d(volume, ramp(2, 1, 2, 2, 2), ramp(1), (1, 2, 1), (0, 1, 0), (0, 1, 0)),
        "LINEAR1D": F.interpolate(signal, 9, mode="linear"),
        "LINEAR1D_CORNERS": F.interpolate(signal, 9, mode="linear", align_corners=True),
        "NEAREST2D": F.interpolate(image, (6, 3), mode="nearest"),
        "BILINEAR": F.interpolate(image, (6, 3), mode="bilinear"),
        "BICUBIC": F.interpolate(image, (6, 3), mode="bicubic", align_corners=True),
        "TRILINEAR": F.interpolate(volume, scale_factor=(2.0, 0.5, 1.5), mode="trilinear"),
        "AVG_POOL2D_CEIL": F.avg_pool2d(image, (3, 2), 2, (1, 0), ceil_mode=True, count_include_pad=False),
        "AVG_POOL2D_DIVISOR": F.avg_pool2d(image, 2, divisor_override=3),
        "AVG_POOL3D": F.avg_pool3d(volume, (2, 3, 1), (1, 2, 2), (1, 1, 0)),
        "MAX_POOL2D_CEIL": ceil,
        "MAX_POOL2D_CEIL_INDICES": ceil_indices,
        "MAX_POOL3D": F.max_pool3d(volume, (2, 2, 3), 1, (1, 0, 1), (1, 2, 1)),
        "ADAPTIVE_AVG_POOL3D": F.adaptive_avg_pool3d(volume, (2, 3, 1)),
        "ADAPTIVE_MAX_POOL1D": F.adaptive_max_pool1d(signal, 4),
        "ADAPTIVE_MAX_POOL2D": adaptive,
        "ADAPTIVE_MAX_POOL2D_INDICES": adaptive_indices,
        "LP_POOL2D": F.lp_pool2d(image, 2.0, (2, 3), 1),
        "MAX_UNPOOL2D": F.max_unpool2d(values, indices, 2, output_size=(4, 5)),
        "REFLECTION_PAD2D": F.pad(image, (2, 1, 0, 3), mode="reflect"),
        "REPLICATION_PAD3D": F.pad(volume, (1, 0, 0, 2, 1, 1), mode="replicate"),
        "CIRCULAR_PAD1D": F.pad(signal, (4, 3), mode="circular"),
        "PIXEL_SHUFFLE": F.pixel_shuffle(ramp(1, 8, 2, 3), 2),
        "UNFOLD": F.unfold(image, (2, 3), 1, (1, 0), (2, 1)),
        "FOLD": F.fold(ramp(1, 4, 6), (3, 4), 2),
        "LOCAL_RESPONSE_NORM": F.local_response_norm(ramp(1, 5, 3), 3, 0.5, 0.75, 2.0),
        "CHANNEL_SHUFFLE": F.channel_shuffle(ramp(1, 6, 2), 3),
    }


OPTIMIZERS = {
    "ADAM": lambda p: torch.optim.Adam(p, lr=0.1, betas=(0.9, 0.999), eps=1e-8),
    "ADAM_DECAY": lambda p: torch.optim.Adam(p, lr=0.1, weight_decay=0.1),
    "SGD": lambda p: torch.optim.SGD(p, lr=0.1),
    "SGD_MOMENTUM": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, dampening=0.1),
    "SGD_NESTEROV": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True),
    "ADAMW": lambda p: torch.optim.AdamW(p, lr=0.1),
    "ADAMAX": lambda p: torch.optim.Adamax(p, lr=0.1),
    "NADAM": lambda p: torch.optim.NAdam(p, lr=0.1),
    "RADAM": lambda p: torch.optim.RAdam(p, lr=0.1),
    "RMS_PROP": lambda p: torch.optim.RMSprop(p, lr=0.1),
    "ADAGRAD": lambda p: torch.optim.Adagrad(p, lr=0.1),
    "ADADELTA": lambda p: torch.optim.Adadelta(p, lr=0.1),
    "ADAFACTOR": lambda p: torch.optim.Adafactor(p, lr=0.1, eps=(1e-7, 1e-3)),
    "MUON": lambda p: torch.optim.Muon(p, lr=0.1),
    "LBFGS": lambda p: torch.optim.LBFGS(p, line_search_fn="strong_wolfe"),
}


def optimizers():
    """A weight after three steps on the sum of fourth powers."""
    values = {}
    # Muon orthogonalizes in bfloat16, which no other order of sums agrees with; here in float64.
    torch.Tensor.bfloat16 = lambda x: x.clone()
    for name, make in OPTIMIZERS.items():
        weight = ramp(2, 3).requires_grad_()
        optimizer = make([weight])

        def loss():
            optimizer.zero_grad()
            value = (weight**4).sum()
            value.backward()
            return value

        for _ in range(3):
            optimizer.step(loss)
        values[name] = weight
    return values


def mlp_gradients():
    """Loss and gradients of mean((relu(x w + b) - y)^2)."""
    x = torch.tensor([[1.0, -2.0], [0.5, 3.0], [2.0, 1.0]])
    y = torch.tensor([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
    w = torch.tensor([[0.5, -0.25], [1.0, 0.75]], requires_grad=True)
    b = torch.tensor([0.1, -0.2], requires_grad=True)
    loss = ((torch.relu(x @ w + b) - y) ** 2).mean()
    loss.backward()
    return {"MLP_LOSS": loss, "MLP_GRAD_W": w.grad, "MLP_GRAD_B": b.grad}


def fixtures():
    values = {"X": X}
    for name in ["exp", "expm1", "erf", "sqrt", "log", "log1p", "reciprocal", "cos", "sin", "tan", "tanh", "ceil",
                 "floor", "round", "trunc", "asin", "acos", "atan", "sinh", "cosh"]:
        values[name.upper()] = getattr(torch, name)(X)
    values["ATAN2"] = torch.atan2(X, X.flip(0))
    values |= {
        "GELU": F.gelu(X),
        "HARD_SIGMOID": F.hardsigmoid(X),
        "LEAKY_RELU": F.leaky_relu(X, 0.1),
        "LOG_SIGMOID": F.logsigmoid(X),
        "MISH": F.mish(X),
        "PRELU": F.prelu(MATRIX, torch.tensor([0.1, 0.2, 0.3, 0.4])),
        "SIGMOID": torch.sigmoid(X),
        "SILU": F.silu(X),
        "SOFTPLUS": F.softplus(X, beta=2.0, threshold=1e9),
        "MATRIX": MATRIX,
        "SOFTMAX": torch.softmax(MATRIX, 1),
        "SOFTMAX_0": torch.softmax(MATRIX, 0),
        "LOG_SOFTMAX": torch.log_softmax(MATRIX, 1),
        "SOFTMIN": F.softmin(MATRIX, 1),
        # A softmax over one more element that is 0.
        "QUIET_SOFTMAX": torch.softmax(F.pad(MATRIX, (0, 1)), 1)[:, :-1].contiguous(),
        "LEFT": LEFT,
        "RIGHT": RIGHT,
        "MATMUL": LEFT @ RIGHT,
        "VAR": MATRIX.var(1, keepdim=True),
        "VAR_BIAS": MATRIX.var(1, keepdim=True, correction=0),
        "MEAN": MATRIX.mean(1, keepdim=True),
    }
    return values | layers() | optimizers() | mlp_gradients()


def literal(value):
    if isinstance(value, list):
        return "[" + ", ".join(map(literal, value)) + "]"
    if value != value:
        return "f64::NAN"
    if abs(value) == float("inf"):
        return "f64::INFINITY" if value > 0 else "f64::NEG_INFINITY"
    return repr(value)


def declaration(name, tensor):
    tensor = tensor.detach()
    ty = "f64" if tensor.is_floating_point() else "i64"
    for size in reversed(tensor.shape):
        ty = f"[{ty}; {size}]"
    return f"pub const {name}: {ty} = {literal(tensor.tolist())};\n"


def write(file, values):
    path = pathlib.Path("crates/burn/tests/spec/torch") / file
    head = "//! Reference values of PyTorch, in float64. Written by `scripts/spec_fixtures.py`.\n\n"
    lints = "#![allow(clippy::excessive_precision, clippy::approx_constant)]\n\n"
    path.write_text(head + lints + "".join(declaration(name, tensor) for name, tensor in values.items()))
    print(f"wrote {path} with PyTorch {torch.__version__}")


write("values.rs", fixtures())
write("spatial.rs", spatial())
