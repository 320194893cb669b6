#!/usr/bin/env python3
"""Writes random programs of 1 to 12 tensor operations, and what PyTorch computes in float64.

One program a line: the leaves, the calls as variants of the families of `burn_ir::Operation` (an operand is a number: first the leaves, then
the results in order), every result, and the gradients of the sum of `weight * result` over all float results that no other
call uses, with the weights `((7 i mod 11) - 5.5) / 4` for element `i`.

A program is left out when a value of it is within 1e-6 of a kink or a tie, where the derivative is a matter of convention, or
when noise of 1e-14 in its values shows more than ten thousand times as large in a result, so that rounding decides.

The committed programs, from the root of the repository with PyTorch 2.11.0:
    python scripts/random-programs.py --count 500 --out crates/burn-conformance/tests/pytorch/programs.jsonl
Ten thousand, generated and compared: cargo xtask programs --count 10000 --python python
"""

import argparse
import json
import math
import random

import torch
from torch_operations import DTYPES, NAMES, UNARY, execute, operands

SEED = 20_011
MARGIN = 1e-6
NOISE = 1e-14
AMPLIFIED = 1e-10
LARGEST = 1e6
LARGEST_INT = 2**40
ELEMENTS = 48
LEAF_ELEMENTS = 24

FLOAT, INT, BOOL = torch.float64, torch.int64, torch.bool


class Rejected(Exception):
    """The call or the program would say nothing, or nothing certain."""


def need(condition):
    if not condition:
        raise Rejected


class Register:
    """A tensor of a program: a leaf, or a result of a call."""

    def __init__(self, tensor):
        self.tensor = tensor
        self.uses = 0

    @property
    def shape(self):
        return list(self.tensor.shape)

    @property
    def dtype(self):
        return self.tensor.dtype

    @property
    def rank(self):
        return self.tensor.dim()


def smallest_gap(x, dims):
    """The smallest distance of two elements along `dims` together."""
    if x.numel() == 0:
        return math.inf
    kept = [dim for dim in range(x.dim()) if dim not in dims]
    rows = x.detach().permute(kept + list(dims)).reshape([math.prod(x.shape[dim] for dim in kept), -1])
    gaps = rows.sort(dim=1).values.diff(dim=1)
    return gaps.min().item() if gaps.numel() else math.inf


def least(x):
    return x.detach().abs().min().item() if x.numel() else math.inf


def to_integer(x):
    x = x.detach()
    return least(x - x.round())


def margin(call, tensors):
    """How far the operands are from where the call jumps or has a kink."""
    ((name, a),) = call.items()
    x = next((tensors(a[key]) for key in ("x", "lhs") if isinstance(a.get(key), Register)), None)
    ordered = name in ("ArgReduce", "ReduceWithIndices", "Sort", "SortWithIndices", "TopK")
    if x is not None and not x.is_floating_point():
        # Integers are exact; only which of equals `topk` takes is open.
        return smallest_gap(x, [a["dim"]]) if name == "TopK" else math.inf
    if ordered or (name == "Cumulative" and a["op"] in ("Max", "Min")):
        return smallest_gap(x, [a["dim"]])
    match name, a.get("op"):
        case "Unary", "Abs" | "Sign" | "Relu":
            return least(x)
        case "Unary", "Floor" | "Ceil" | "Trunc":
            return to_integer(x)
        case "Unary", "Round":
            return to_integer(x - 0.5)
        case "Reduce", "Max" | "Min":
            return smallest_gap(x, a["dims"])
    if name in ("Binary", "BinaryScalar", "Compare", "CompareScalar"):
        y = tensors(a["rhs"]) if isinstance(a["rhs"], Register) else torch.tensor(next(iter(a["rhs"].values())), dtype=FLOAT)
        match name, a["op"]:
            case _, "Max" | "Min":
                return least(x - y)
            case "Compare" | "CompareScalar", _:
                # A tensor is equal to itself to the last bit.
                return math.inf if a["lhs"] is a["rhs"] else least(x - y)
            case _, "Remainder" | "Fmod":
                return to_integer(x / y)
            case _, "Pow":
                return least(x)
            case _, "Atan2":
                return least(x)
    if a.get("update") in ("Min", "Max"):
        return smallest_gap(torch.cat([x.flatten(), tensors(a["value"]).flatten()]), [0])
    if name == "Clamp":
        bounds = [value["Float"] for value in (a["min"], a["max"]) if value is not None]
        return min((least(x - bound) for bound in bounds), default=math.inf)
    if name == "Cast" and a["dtype"] == "I64":
        return to_integer(x)
    if name == "Cast" and a["dtype"] == "Bool":
        return least(x)
    if name in ("MaxPoolWithIndices", "Pool", "PoolGrad") and a.get("kind", "Max") == "Max":
        return smallest_gap(x, list(range(2, x.dim())))
    return math.inf


# Calls that only move or choose elements: what they return is exact.
EXACT = {"Reshape", "Permute", "Expand", "Flip", "Slice", "SliceAssign", "Cat", "RepeatDim", "Sort", "SortWithIndices", "TopK",
         "Gather", "Select", "MaskWhere", "MaskFill", "ReduceWithIndices", "Clamp", "Cast", "MaxPoolWithIndices"}


def shape_like(rng, most=ELEMENTS, low=0, high=5):
    """A random shape, sometimes with dimensions of size 0 and 1."""
    while True:
        rank = rng.choices(range(6), [2, 5, 8, 5, 3, 1])[0]
        rank = min(max(rank, low), high)
        shape = [rng.choices(range(6), [1, 12, 30, 30, 18, 9])[0] for _ in range(rank)]
        if math.prod(shape) <= most:
            return shape


class Builder:
    """A program that grows call by call."""

    def __init__(self, rng):
        self.rng = rng
        self.leaves = []
        self.results = []
        self.calls = []
        self.count = 0

    # Operands.

    def leaf(self, shape, dtype=FLOAT, low=None, high=None):
        rng, size = self.rng, math.prod(shape)
        need(size <= LEAF_ELEMENTS * 2)
        if dtype == FLOAT:
            if low is None:
                low, high = rng.choice([(-2.0, 2.0), (-2.0, 2.0), (0.3, 2.5), (-0.9, 0.9)])
            steps = rng.sample(range(int(low * 10_000), int(high * 10_000)), size)
            values = [(step if step else 1) / 10_000 for step in steps]
        elif dtype == INT:
            low, high = (-9, 10) if low is None else (low, high)
            values = [rng.randrange(low, high) for _ in range(size)]
        else:
            values = [rng.random() < 0.5 for _ in range(size)]
        tensor = torch.tensor(values, dtype=dtype).reshape(shape)
        register = Register(tensor.requires_grad_() if dtype == FLOAT else tensor)
        self.leaves.append(register)
        return register

    def pick(self, dtype=None, fits=lambda register: True):
        """A tensor of the program, rather a recent one."""
        found = [r for r in self.leaves + self.results if dtype in (None, r.dtype) and fits(r)]
        need(found)
        weights = [1.0 + 2.0 * position / len(found) + (2.0 if r.uses == 0 else 0.0) for position, r in enumerate(found)]
        return self.rng.choices(found, weights)[0]

    def float(self, low=0, high=5):
        if self.rng.random() < 0.1 and len(self.leaves) < 5:
            return self.leaf(shape_like(self.rng, LEAF_ELEMENTS, low, high))
        return self.pick(FLOAT, lambda r: low <= r.rank <= high)

    def number(self):
        return self.pick(None, lambda r: r.dtype != BOOL)

    def dim(self, x):
        need(x.rank > 0)
        return self.rng.randrange(x.rank)

    def of_shape(self, shape, dtype=FLOAT, **values):
        """A tensor of the program that has this shape, or a new leaf."""
        same = [r for r in self.leaves + self.results if r.shape == shape and r.dtype == dtype]
        if same and not values and self.rng.random() < 0.7:
            return self.rng.choice(same)
        return self.leaf(shape, dtype, **values)

    def broadcast_with(self, x, dtype):
        """A tensor that broadcasts with `x`."""
        def fits(r):
            pairs = zip(reversed(r.shape), reversed(x.shape))
            if not all(a == b or 1 in (a, b) for a, b in pairs):
                return False
            return torch.broadcast_shapes(r.shape, x.shape).numel() <= ELEMENTS
        found = [r for r in self.leaves + self.results if r.dtype == dtype and fits(r)]
        if found and self.rng.random() < 0.7:
            return self.rng.choice(found)
        shape = [size if self.rng.random() < 0.75 else 1 for size in x.shape]
        return self.leaf(shape[self.rng.randrange(len(shape) + 1) if self.rng.random() < 0.3 else 0:], dtype)

    def scalar(self, dtype, low=-2.0, high=2.0):
        if dtype == FLOAT:
            return {"Float": self.rng.randrange(int(low * 1000), int(high * 1000)) / 1000 + 0.0003}
        return {"Int": self.rng.randrange(-6, 7)} if dtype == INT else {"Bool": self.rng.random() < 0.5}

    # Calls.

    def unary(self):
        op = self.rng.choice(list(UNARY))
        if op == "Not":
            return {"Unary": {"op": op, "x": self.pick(None, lambda r: r.dtype != FLOAT)}}
        if op in ("Neg", "Abs", "Sign", "Square", "Relu") and self.rng.random() < 0.2:
            return {"Unary": {"op": op, "x": self.pick(INT)}}
        return {"Unary": {"op": op, "x": self.float()}}

    def binary_op(self, dtype):
        if dtype == FLOAT:
            return self.rng.choice(["Add", "Sub", "Mul", "Div", "Remainder", "Fmod", "Pow", "Atan2", "Hypot", "Max", "Min"])
        if dtype == INT:
            return self.rng.choice(["Add", "Sub", "Mul", "Div", "Remainder", "Fmod", "Pow", "Max", "Min", "And", "Or", "Xor",
                                    "ShiftLeft", "ShiftRight"])
        return self.rng.choice(["And", "Or", "Xor"])

    def binary(self):
        lhs = self.float() if self.rng.random() < 0.7 else self.pick()
        op = self.binary_op(lhs.dtype)
        rhs = self.broadcast_with(lhs, lhs.dtype)
        if self.rng.random() < 0.3:
            lhs, rhs = rhs, lhs
        if lhs.dtype == INT and op in ("Div", "Remainder", "Fmod"):
            need(least(rhs.tensor) > 0)
        if lhs.dtype == INT and op in ("Pow", "ShiftLeft", "ShiftRight"):
            need(rhs.tensor.numel() == 0 or (rhs.tensor.min() >= 0 and rhs.tensor.max() < 9))
        return {"Binary": {"op": op, "lhs": lhs, "rhs": rhs}}

    def binary_scalar(self):
        lhs = self.float() if self.rng.random() < 0.7 else self.pick()
        op, rhs = self.binary_op(lhs.dtype), self.scalar(lhs.dtype)
        if op == "Pow":
            rhs = {"Int": self.rng.randrange(4)} if lhs.dtype == INT else self.rng.choice(
                [rhs, {"Float": 2.0}, {"Float": 3.0}, {"Float": -1.0}, {"Float": 0.5}])
        if op in ("ShiftLeft", "ShiftRight"):
            rhs = {"Int": self.rng.randrange(9)}
        if op in ("Div", "Remainder", "Fmod"):
            need(next(iter(rhs.values())) != 0)
        return {"BinaryScalar": {"op": op, "lhs": lhs, "rhs": rhs}}

    def compare_op(self):
        return self.rng.choice(["Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual"])

    def compare(self):
        lhs = self.number()
        return {"Compare": {"op": self.compare_op(), "lhs": lhs, "rhs": self.broadcast_with(lhs, lhs.dtype)}}

    def compare_scalar(self):
        lhs = self.number()
        return {"CompareScalar": {"op": self.compare_op(), "lhs": lhs, "rhs": self.scalar(lhs.dtype)}}

    def clamp(self):
        x = self.float()
        low, high = self.scalar(FLOAT, -1.5, 0.5), self.scalar(FLOAT, 0.0, 1.5)
        return {"Clamp": {"x": x, "min": self.rng.choice([low, None]), "max": self.rng.choice([high, None])}}

    def mask_where(self):
        on = self.pick()
        return {"MaskWhere": {"mask": self.broadcast_with(on, BOOL), "on": on, "off": self.broadcast_with(on, on.dtype)}}

    def mask_fill(self):
        x = self.pick()
        mask = self.broadcast_with(x, BOOL)
        need(torch.broadcast_shapes(mask.shape, x.shape) == torch.Size(x.shape))
        return {"MaskFill": {"x": x, "mask": mask, "value": self.scalar(x.dtype)}}

    def cast(self):
        x = self.pick()
        dtype = self.rng.choice([dtype for dtype in (FLOAT, INT, BOOL) if dtype != x.dtype])
        return {"Cast": {"x": x, "dtype": NAMES[dtype]}}

    def reshape(self):
        x = self.pick()
        sizes = x.shape + [1] * self.rng.randrange(2)
        self.rng.shuffle(sizes)
        while len(sizes) > 1 and self.rng.random() < 0.5:
            sizes[-2:] = [sizes[-2] * sizes[-1]]
        need(len(sizes) <= 5)
        return {"Reshape": {"x": x, "shape": sizes}}

    def permute(self):
        x = self.pick(None, lambda r: r.rank > 1)
        return {"Permute": {"x": x, "axes": self.rng.sample(range(x.rank), x.rank)}}

    def expand(self):
        x = self.pick()
        shape = [self.rng.randrange(1, 4) if size == 1 else size for size in x.shape]
        front = [self.rng.randrange(1, 4)] if self.rng.random() < 0.4 and x.rank < 5 else []
        return {"Expand": {"x": x, "shape": front + shape}}

    def flip(self):
        x = self.pick(None, lambda r: r.rank > 0)
        return {"Flip": {"x": x, "axes": self.rng.sample(range(x.rank), self.rng.randrange(1, x.rank + 1))}}

    def slices(self, x):
        slices = []
        for size in x.shape[:self.rng.randrange(1, x.rank + 1)]:
            start = self.rng.randrange(size + 1)
            end = self.rng.randrange(start, size + 1) if self.rng.random() < 0.3 else size
            slices.append({"start": min(start, self.rng.randrange(size + 1)), "end": end, "step": self.rng.choice([1, 1, 2, 3])})
        return slices

    def slice(self):
        x = self.pick(None, lambda r: r.rank > 0)
        return {"Slice": {"x": x, "slices": self.slices(x)}}

    def slice_assign(self):
        x = self.pick(None, lambda r: r.rank > 0)
        slices = self.slices(x)
        shape = list(execute({"Slice": {"x": x, "slices": slices}}, lambda r: r.tensor)[0].shape)
        return {"SliceAssign": {"x": x, "slices": slices, "value": self.of_shape(shape, x.dtype)}}

    def cat(self):
        x = self.pick(None, lambda r: r.rank > 0)
        dim = self.dim(x)
        others = [r for r in self.leaves + self.results if r.dtype == x.dtype and r.rank == x.rank
                  and all(a == b for d, (a, b) in enumerate(zip(r.shape, x.shape)) if d != dim)]
        xs = [x] + self.rng.choices(others, k=self.rng.randrange(3))
        return {"Cat": {"xs": xs, "dim": dim}}

    def repeat_dim(self):
        x = self.pick(None, lambda r: r.rank > 0)
        return {"RepeatDim": {"x": x, "dim": self.dim(x), "times": self.rng.choices([0, 1, 2, 3], [1, 2, 8, 4])[0]}}

    def reduce(self):
        if self.rng.random() < 0.1:
            x, op = self.pick(BOOL), self.rng.choice(["Any", "All"])
        else:
            x = self.number()
            op = self.rng.choice(["Sum", "Mean", "Prod", "Max", "Min"])
            op = "Sum" if op == "Mean" and x.dtype == INT else op
        dims = self.rng.sample(range(x.rank), self.rng.randrange(x.rank + 1))
        return {"Reduce": {"op": op, "x": x, "dims": dims}}

    def arg_reduce(self):
        x = self.number()
        return {"ArgReduce": {"op": self.rng.choice(["Max", "Min"]), "x": x, "dim": self.dim(x), "index": "I64"}}

    def reduce_with_indices(self):
        x = self.number()
        return {"ReduceWithIndices": {"op": self.rng.choice(["Max", "Min"]), "x": x, "dim": self.dim(x), "index": "I64"}}

    def cumulative(self):
        x = self.number()
        return {"Cumulative": {"op": self.rng.choice(["Sum", "Prod", "Max", "Min"]), "x": x, "dim": self.dim(x)}}

    def sort(self):
        x = self.number()
        return {"Sort": {"x": x, "dim": self.dim(x), "descending": self.rng.random() < 0.5}}

    def sort_with_indices(self):
        x = self.number()
        return {"SortWithIndices": {"x": x, "dim": self.dim(x), "descending": self.rng.random() < 0.5, "index": "I64"}}

    def topk(self):
        x = self.number()
        dim = self.dim(x)
        return {"TopK": {"x": x, "k": self.rng.randrange(x.shape[dim] + 1), "dim": dim, "largest": self.rng.random() < 0.5,
                         "index": "I64"}}

    def index_shape(self, x, dim):
        shape = [self.rng.randrange(size + 1) if self.rng.random() < 0.3 else size for size in x.shape]
        shape[dim] = self.rng.randrange(1, 4)
        return shape

    def indices(self, x, dim, shape):
        """Indices into `dim`: computed by the program if there are such, else a leaf."""
        size = x.shape[dim]
        need(size > 0)
        found = [r for r in self.results if r.dtype == INT and r.shape == shape and r.tensor.numel() > 0
                 and r.tensor.min() >= 0 and r.tensor.max() < size]
        return self.rng.choice(found) if found else self.leaf(shape, INT, 0, size)

    def gather(self):
        x = self.pick(None, lambda r: r.rank > 0)
        dim = self.dim(x)
        return {"Gather": {"x": x, "dim": dim, "indices": self.indices(x, dim, self.index_shape(x, dim))}}

    def scatter(self):
        x = self.number()
        dim = self.dim(x)
        update = self.rng.choice(["Assign", "Assign", "Add", "Add", "Multiply", "Min", "Max"])
        indices = self.indices(x, dim, self.index_shape(x, dim))
        # Which of several assigned values stays is open in PyTorch.
        need(update != "Assign" or smallest_gap(indices.tensor, [dim]) > 0)
        value = self.of_shape(indices.shape, x.dtype)
        return {"Scatter": {"x": x, "dim": dim, "indices": indices, "value": value, "update": update}}

    def select(self):
        x = self.pick(None, lambda r: r.rank > 0)
        dim = self.dim(x)
        return {"Select": {"x": x, "dim": dim, "indices": self.indices(x, dim, [self.rng.randrange(5)])}}

    def select_assign(self):
        x = self.number()
        dim = self.dim(x)
        update = self.rng.choice(["Assign", "Assign", "Add", "Add", "Multiply", "Min", "Max"])
        indices = self.indices(x, dim, [self.rng.randrange(4)])
        need(update != "Assign" or smallest_gap(indices.tensor, [0]) > 0)
        shape = x.shape[:dim] + indices.shape + x.shape[dim + 1:]
        value = self.of_shape(shape, x.dtype)
        return {"SelectAssign": {"x": x, "dim": dim, "indices": indices, "value": value, "update": update}}

    def matmul(self):
        lhs = self.float(2, 5)
        if self.rng.random() < 0.3:
            square = [r for r in self.leaves + self.results if r.dtype == FLOAT and r.rank > 1 and r.shape[-1] == r.shape[-2]]
            if square:
                lhs = self.rng.choice(square)
                return {"Matmul": {"lhs": lhs, "rhs": lhs}}
        batch = [size if self.rng.random() < 0.6 else 1 for size in lhs.shape[:-2]]
        batch = batch[self.rng.randrange(len(batch) + 1):]
        rhs = self.of_shape(batch + [lhs.shape[-1], self.rng.randrange(1, 4)])
        return {"Matmul": {"lhs": lhs, "rhs": rhs}}

    def windows(self, sizes):
        """Kernel sizes, and options under which the kernel fits."""
        rng = self.rng
        kernel = [rng.randrange(1, min(size, 3) + 2) for size in sizes]
        stride = [rng.randrange(1, 3) for _ in sizes]
        padding = [rng.randrange(k // 2 + 1) for k in kernel]
        dilation = [rng.choice([1, 1, 1, 2]) for _ in sizes]
        out = [(size + 2 * p - d * (k - 1) - 1) // s + 1 for size, k, s, p, d in zip(sizes, kernel, stride, padding, dilation)]
        need(all(size > 0 for size in out))
        return kernel, stride, padding, dilation, out

    def image(self):
        """An input of a convolution or a pooling."""
        found = [r for r in self.leaves + self.results if r.dtype == FLOAT and 3 <= r.rank <= 5 and r.tensor.numel() > 0]
        if found and self.rng.random() < 0.6:
            return self.rng.choice(found)
        spatial = self.rng.choice([1, 1, 2, 2, 3])
        sizes = [[5, 6, 7, 8], [3, 4], [2, 3]][spatial - 1]
        shape = [self.rng.choice([1, 1, 2]), self.rng.choice([1, 2])] + [self.rng.choice(sizes) for _ in range(spatial)]
        return self.leaf(shape)

    def conv_parts(self):
        x = self.image()
        kernel, stride, padding, dilation, out = self.windows(x.shape[2:])
        groups = self.rng.choice([size for size in range(1, x.shape[1] + 1) if x.shape[1] % size == 0])
        channels = groups * self.rng.randrange(1, 3)
        weight = [channels, x.shape[1] // groups] + kernel
        options = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
        return x, weight, [x.shape[0], channels] + out, options

    def conv(self):
        x, weight, _, options = self.conv_parts()
        bias = self.of_shape([weight[0]]) if self.rng.random() < 0.5 else None
        return {"Conv": {"x": x, "weight": self.of_shape(weight), "bias": bias, "options": options}}

    def conv_transpose(self):
        grad = self.image()
        kernel, stride, padding, dilation, _ = self.windows(grad.shape[2:])
        groups = self.rng.choice([size for size in range(1, grad.shape[1] + 1) if grad.shape[1] % size == 0])
        weight = [grad.shape[1], self.rng.randrange(1, 3)] + kernel
        size = [(grad.shape[d + 2] - 1) * stride[d] - 2 * padding[d] + dilation[d] * (kernel[d] - 1) + 1
                + self.rng.randrange(stride[d]) for d in range(len(kernel))]
        need(all(s > 0 for s in size))
        options = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
        target = [grad.shape[0], weight[1] * groups] + size
        return {"ConvTranspose": {"grad": grad, "other": self.of_shape(weight), "target": target, "options": options}}

    def conv_weight_grad(self):
        x, weight, out, options = self.conv_parts()
        return {"ConvWeightGrad": {"grad": self.of_shape(out), "other": x, "target": weight, "options": options}}

    def pool_parts(self, kind):
        x = self.image()
        kernel, stride, padding, dilation, out = self.windows(x.shape[2:])
        need(kind == "Max" or set(dilation) == {1})
        return x, {"kernel": kernel, "stride": stride, "padding": padding, "dilation": dilation}, x.shape[:2] + out

    def pool_kind(self):
        return self.rng.choice(["Max", {"Avg": {"count_include_pad": True}}, {"Avg": {"count_include_pad": False}}])

    def pool(self):
        kind = self.pool_kind()
        x, options, _ = self.pool_parts(kind)
        return {"Pool": {"kind": kind, "x": x, "options": options}}

    def pool_grad(self):
        kind = self.pool_kind()
        x, options, out = self.pool_parts(kind)
        return {"PoolGrad": {"kind": kind, "grad": self.of_shape(out), "x": x if kind == "Max" else None, "target": x.shape,
                             "options": options}}

    def max_pool_with_indices(self):
        x, options, _ = self.pool_parts("Max")
        return {"MaxPoolWithIndices": {"x": x, "options": options, "index": "I64"}}

    def adaptive_avg_pool(self):
        x = self.image()
        return {"AdaptiveAvgPool": {"x": x, "size": [self.rng.randrange(1, 5) for _ in x.shape[2:]]}}

    def adaptive_avg_pool_grad(self):
        grad = self.image()
        target = grad.shape[:2] + [self.rng.randrange(1, 5) for _ in grad.shape[2:]]
        return {"AdaptiveAvgPoolGrad": {"grad": grad, "target": target}}

    def softmax(self):
        x = self.float(1, 5)
        return {"Softmax": {"x": x, "dim": self.dim(x)}}

    def log_softmax(self):
        x = self.float(1, 5)
        return {"LogSoftmax": {"x": x, "dim": self.dim(x)}}

    def fft(self):
        op = self.rng.choice(["Forward", "Backward", "Real", "Half"])
        if op == "Real":
            x = self.float(1, 4)
            return {"Fft": {"op": op, "x": x, "dim": self.dim(x)}}
        pairs = [r for r in self.leaves + self.results if r.dtype == FLOAT and r.rank > 1 and r.shape[-1] == 2]
        x = self.rng.choice(pairs) if pairs else self.leaf(shape_like(self.rng, LEAF_ELEMENTS // 2, 1, 3) + [2])
        dim = self.rng.randrange(x.rank - 1)
        if op == "Half":
            n = 2 * (x.shape[dim] - 1) + self.rng.randrange(2)
            need(n > 0)
            op = {"Half": {"n": n}}
        return {"Fft": {"op": op, "x": x, "dim": dim}}

    WEIGHTS = {
        unary: 8, binary: 8, binary_scalar: 4, compare: 2, compare_scalar: 1, clamp: 2, mask_where: 3, mask_fill: 2, cast: 2,
        reshape: 2, permute: 3, expand: 2, flip: 1, slice: 3, slice_assign: 2, cat: 3, repeat_dim: 1, reduce: 5,
        arg_reduce: 1, reduce_with_indices: 2, cumulative: 3, sort: 1, sort_with_indices: 2, topk: 2, gather: 2, scatter: 2,
        select: 2, select_assign: 2, matmul: 4, conv: 4, conv_transpose: 3, conv_weight_grad: 1, pool: 3, pool_grad: 1,
        max_pool_with_indices: 1, adaptive_avg_pool: 2, adaptive_avg_pool_grad: 1, softmax: 2, log_softmax: 1,
        fft: 2,
    }

    # Growth.

    def grow(self):
        """Adds one call."""
        leaves = len(self.leaves)
        family = self.rng.choices(list(self.WEIGHTS), list(self.WEIGHTS.values()))[0]
        try:
            call = family(self)
            tensors = lambda register: register.tensor
            need(margin(call, tensors) > MARGIN)
            try:
                results = execute(call, tensors)
            except (RuntimeError, IndexError, ValueError) as cause:
                raise Rejected from cause
            for result in results:
                need(result.numel() <= ELEMENTS)
                need(result.dim() <= 5)
                limit = LARGEST if result.is_floating_point() else LARGEST_INT
                need(result.numel() == 0 or (result.isfinite().all() and result.abs().max() < limit
                                             if result.dtype != BOOL else True))
        except Rejected:
            del self.leaves[leaves:]
            return False
        for operand in operands(call):
            operand.uses += 1
        self.calls.append(call)
        self.results.extend(Register(result) for result in results)
        return True

    def outputs(self):
        """Float results that no call uses."""
        return [r for r in self.results if r.uses == 0 and r.dtype == FLOAT]


def loss(outputs):
    total = torch.zeros((), dtype=FLOAT)
    for x in outputs:
        weights = (torch.arange(x.numel(), dtype=FLOAT) * 7 % 11 - 5.5) / 4
        total = total + (x * weights.reshape(x.shape)).sum()
    return total


def gradients(leaves, outputs):
    tracked = [leaf for leaf in leaves if leaf.requires_grad]
    total = loss(outputs)
    found = iter(torch.autograd.grad(total, tracked, allow_unused=True) if total.requires_grad and tracked else
                 [None] * len(tracked))
    return [next(found) if leaf.requires_grad else None for leaf in leaves]


def near(found, expected):
    if found is None or expected is None:
        return found is expected
    if not expected.is_floating_point():
        return torch.equal(found, expected)
    return bool(((found - expected).abs() <= AMPLIFIED * expected.abs()).all())


def noisy(x, generator):
    return x * (1 + NOISE * (2 * torch.rand(x.shape, dtype=FLOAT, generator=generator) - 1))


def is_stable(program, expected_gradients, seed):
    """Whether noise in leaves and roundings leaves results and gradients where they are."""
    generator = torch.Generator().manual_seed(seed)
    tensors = {}
    for leaf in program.leaves:
        x = leaf.tensor.detach()
        tensors[leaf] = noisy(x, generator).requires_grad_() if x.dtype == FLOAT else x
    results = iter(program.results)
    for call in program.calls:
        for x in execute(call, tensors.__getitem__):
            if x.dtype == FLOAT and next(iter(call)) not in EXACT:
                x = noisy(x, generator)
            tensors[next(results)] = x
    if not all(near(tensors[r].detach(), r.tensor.detach()) for r in program.results):
        return False
    found = gradients([tensors[leaf] for leaf in program.leaves], [tensors[r] for r in program.outputs()])
    return all(near(x, y) for x, y in zip(found, expected_gradients))


def generate(seed):
    """The program of a seed; if the first that comes is not good, another one."""
    for attempt in range(1000):
        rng = random.Random(seed * 1000 + attempt)
        builder = Builder(rng)
        for _ in range(rng.randrange(1, 4)):
            dtype = rng.choices([FLOAT, INT, BOOL], [8, 1, 1])[0]
            builder.leaf(shape_like(rng, LEAF_ELEMENTS), dtype)
        wanted = rng.randrange(1, 13)
        for _ in range(20 * wanted):
            if len(builder.calls) == wanted:
                break
            builder.grow()
        if len(builder.calls) < wanted:
            continue
        builder.leaves = [leaf for leaf in builder.leaves if leaf.uses > 0]
        found = gradients([leaf.tensor for leaf in builder.leaves], [r.tensor for r in builder.outputs()])
        finite = all(g is None or (g.isfinite().all() and (g.numel() == 0 or g.abs().max() < LARGEST)) for g in found)
        if finite and is_stable(builder, found, seed):
            return builder, found
    raise RuntimeError(f"no program for seed {seed}")


def written(x):
    """Twelve digits, of a comparison to nine."""
    values = x.detach().flatten().tolist()
    return [float(f"{value:.12g}") for value in values] if x.is_floating_point() else [int(value) for value in values]


def tensor(x):
    return [NAMES[x.dtype], list(x.shape), written(x)]


def line(name, program, found):
    numbers = {register: number for number, register in enumerate(program.leaves + program.results)}
    document = {
        "name": name,
        "leaves": [tensor(leaf.tensor) for leaf in program.leaves],
        "calls": program.calls,
        "results": [tensor(result.tensor) for result in program.results],
        "gradients": [None if gradient is None else written(gradient) for gradient in found],
    }
    return json.dumps(document, default=numbers.__getitem__, separators=(",", ":"))


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--count", type=int, default=500)
    arguments.add_argument("--seed", type=int, default=SEED, help="of the first program; the others follow")
    arguments.add_argument("--out", required=True)
    arguments = arguments.parse_args()
    torch.set_num_threads(1)
    if torch.__version__.split("+")[0] != "2.11.0":
        print(f"note: written for PyTorch 2.11.0, this is {torch.__version__}")
    seen = {}
    with open(arguments.out, "w") as file:
        for seed in range(arguments.seed, arguments.seed + arguments.count):
            program, found = generate(seed)
            file.write(line(f"seed {seed}", program, found) + "\n")
            for call in program.calls:
                name = next(iter(call))
                seen[name] = seen.get(name, 0) + 1
    print(f"{arguments.out}: {arguments.count} programs of {sum(seen.values())} calls")
    print(", ".join(f"{name} {count}" for name, count in sorted(seen.items(), key=lambda pair: -pair[1])))


if __name__ == "__main__":
    main()
