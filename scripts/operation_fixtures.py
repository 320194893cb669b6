#!/usr/bin/env python3
"""Writes crates/burn-conformance/tests/pytorch/operations.jsonl: operations at their edges, with results and gradients of PyTorch.

The format is that of random-programs.py; each program is one call. Here values lie on kinks and ties and are NaN or infinite on
purpose. Run it with PyTorch 2.11.0 from the root of the repository:
    python scripts/operation_fixtures.py
"""

import itertools
import json
import math
import pathlib
import random

import torch
from torch_operations import BINARY, COMPARE, DTYPES, NAMES, UNARY, execute, operands

RANDOM = random.Random(7)
INF, NAN = math.inf, math.nan
LINES = []

FLOATS = ["F64", "F32", "F16", "BF16"]
SHIFTS = ("ShiftLeft", "ShiftRight")
INTS = ["I64", "I32", "I16", "I8", "U8"]


def tensor(values, dtype="F64", shape=None):
    x = torch.tensor(values, dtype=DTYPES[dtype])
    return x if shape is None else x.reshape(shape)


def spread(*shape, dtype="F64", low=-2.0, high=2.0):
    """Distinct values in random order."""
    count = math.prod(shape)
    values = [round(low + (high - low) * (i + 0.5) / max(count, 1), 4) for i in range(count)]
    RANDOM.shuffle(values)
    return tensor(values, dtype, shape)


def number(value, digits):
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    return float(f"{value:.{digits}g}") if isinstance(value, float) else int(value)


def values(x, of_float64=12):
    """As many digits as tell the values of a dtype apart; of results in float64, twelve."""
    digits = {torch.float64: of_float64, torch.float32: 9, torch.float16: 5, torch.bfloat16: 4}.get(x.dtype)
    return [number(value, digits) for value in x.detach().flatten().tolist()]


def literal(x, of_float64=12):
    return [NAMES[x.dtype], list(x.shape), values(x, of_float64)]


def weights(x):
    return ((torch.arange(x.numel(), dtype=torch.float64) * 7 % 11 - 5.5) / 4).reshape(x.shape)


def case(name, call, gradients=True):
    """One call; its operands are tensors, named by the keys that an operation has for them."""
    leaves = []
    for operand in operands(call):
        if not any(operand is leaf for leaf in leaves):
            leaves.append(operand)
    tracked = [leaf.clone().requires_grad_(gradients and leaf.dtype == torch.float64) for leaf in leaves]

    def place(operand):
        return next(index for index, leaf in enumerate(leaves) if leaf is operand)

    results = execute(call, lambda operand: tracked[place(operand)])
    document = {"name": name, "leaves": [literal(leaf, 17) for leaf in leaves], "calls": [call],
                "results": [literal(result) for result in results]}
    outputs = [result for result in results if result.requires_grad]
    if outputs:
        loss = sum((result * weights(result)).sum() for result in outputs)
        wanted = [leaf for leaf in tracked if leaf.requires_grad]
        found = iter(torch.autograd.grad(loss, wanted, allow_unused=True))
        by_leaf = [next(found) if leaf.requires_grad else None for leaf in tracked]
        document["gradients"] = [None if gradient is None else values(gradient) for gradient in by_leaf]
    LINES.append(json.dumps(document, default=place, separators=(",", ":"), allow_nan=False))


def elementwise():
    special = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 1e-8, -1e-8, 1e-300, 20.0, -20.0, 100.0, -100.0, 700.0, -700.0,
               1e300, INF, -INF, NAN]
    for op in UNARY:
        if op == "Not":
            continue
        for dtype in FLOATS:
            # Where PyTorch's kernels for narrow types lose digits, only ordinary values say something.
            given = {"F64": special, "F32": [x for x in special if not 80 < abs(x) < INF]}.get(dtype, special[:9])
            x = tensor(given, dtype)
            case(f"{op} of special {dtype}", {"Unary": {"op": op, "x": x}}, gradients=False)
        # Below 1, `acosh` is NaN, and its slope is whatever a formula gives.
        slopes = [value for value in special if abs(value) <= 20.0 and (op != "Acosh" or value >= 1.0)]
        case(f"gradient of {op} at special values", {"Unary": {"op": op, "x": tensor(slopes)}})
    for op, dtype in itertools.product(["Neg", "Abs", "Sign", "Square", "Relu", "Not"], INTS):
        if (op, dtype) == ("Relu", "Bool"):
            continue
        low = 0 if dtype == "U8" else torch.iinfo(DTYPES[dtype]).min
        high = torch.iinfo(DTYPES[dtype]).max
        case(f"{op} of {dtype}", {"Unary": {"op": op, "x": tensor([0, 1, 7, 100, low, low + 1, high], dtype)}})
    case("Not of Bool", {"Unary": {"op": "Not", "x": tensor([True, False], "Bool")}})


def pairs(first, second, dtype):
    grid = list(itertools.product(first, second))
    return tensor([x for x, _ in grid], dtype), tensor([y for _, y in grid], dtype)


def binary():
    special = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 1e-3, INF, -INF, NAN]
    for op in BINARY:
        if op in ("And", "Or", "Xor"):
            for dtype in INTS + ["Bool"]:
                one = [0, 1, 5, 100, 127] if dtype != "Bool" else [0, 1]
                lhs, rhs = pairs(one, one, dtype)
                case(f"{op} of {dtype}", {"Binary": {"op": op, "lhs": lhs, "rhs": rhs}})
            continue
        for dtype in () if op in SHIFTS else ("F64", "F32"):
            lhs, rhs = pairs(special, special, dtype)
            case(f"{op} of special {dtype}", {"Binary": {"op": op, "lhs": lhs, "rhs": rhs}}, gradients=False)
        if op in ("Atan2", "Hypot"):
            lhs, rhs = pairs([1.0, -1.0, 0.5], [2.0, -2.0, 0.0], "F64")
        elif op == "Pow":
            lhs, rhs = pairs([0.0, 1.0, 2.0, 0.5], [0.0, 1.0, 2.0, 3.0, 0.5], "F64")
        else:
            lhs, rhs = pairs([0.0, 1.0, -1.0, 7.0, -7.5], [1.0, -1.0, 3.0, -2.0], "F64")
        if op not in SHIFTS:
            case(f"gradient of {op} at edges", {"Binary": {"op": op, "lhs": lhs, "rhs": rhs}})
        for dtype in INTS:
            if op in ("Atan2", "Hypot"):
                continue
            first = [0, 1, 5, 7, 100] + ([] if dtype == "U8" else [-1, -5, -7, -100])
            second = [1, 2, 3, 5] + ([] if dtype == "U8" or op in ("Pow", *SHIFTS) else [-1, -2, -3])
            lhs, rhs = pairs(first, second, dtype)
            case(f"{op} of {dtype}", {"Binary": {"op": op, "lhs": lhs, "rhs": rhs}})
    for power in [0.0, 1.0, 2.0, 3.0, -1.0, 0.5, -2.0]:
        x = tensor([0.0, 1.0, -1.0, 2.0, -2.0, 0.25])
        case(f"gradient of Pow by {power}", {"BinaryScalar": {"op": "Pow", "lhs": x, "rhs": {"Float": power}}})
    for op in COMPARE:
        for dtype in ("F64", "F32"):
            lhs, rhs = pairs([0.0, -0.0, 1.0, INF, -INF, NAN], [0.0, 1.0, INF, NAN], dtype)
            case(f"{op} of {dtype}", {"Compare": {"op": op, "lhs": lhs, "rhs": rhs}})
        lhs, rhs = pairs([-(2**63), -1, 0, 2**53, 2**53 + 1, 2**63 - 1], [0, 2**53, 2**63 - 1], "I64")
        case(f"{op} of I64", {"Compare": {"op": op, "lhs": lhs, "rhs": rhs}})


def clamp():
    x = tensor([-3.0, -1.0, 0.0, 1.0, 3.0, INF, -INF, NAN])
    for low, high in [(-1.0, 1.0), (1.0, -1.0), (None, 0.5), (0.5, None), (-INF, INF), (0.0, 0.0)]:
        bounds = [None if value is None else {"Float": value} for value in (low, high)]
        if low == -INF:
            continue
        case(f"clamp {low} {high}", {"Clamp": {"x": x, "min": bounds[0], "max": bounds[1]}})
    for dtype in INTS:
        x = tensor([0, 1, 5, 9, 100], dtype)
        case(f"clamp of {dtype}", {"Clamp": {"x": x, "min": {"Int": 1}, "max": {"Int": 9}}})


def casts():
    x = [0.0, -0.0, 0.9, -0.9, 1.5, -1.5, 2.5, 100.7, 126.99]
    for source, target in itertools.product(FLOATS, INTS + ["Bool"] + FLOATS):
        given = [value for value in x if target != "U8" or value > -1.0]
        case(f"cast {source} to {target}", {"Cast": {"x": tensor(given, source), "dtype": target}}, gradients=False)
    wide = [INF, -INF, NAN, 1e-8, 65504.0, 65519.0, 65520.0, 3.4028235677973366e38, 1e39, 1.00048828125, 1.0009765625 + 2**-11, 1e-45]
    for target in FLOATS:
        case(f"cast of extremes to {target}", {"Cast": {"x": tensor(wide), "dtype": target}}, gradients=False)
    case("cast of extremes to Bool", {"Cast": {"x": tensor(wide), "dtype": "Bool"}})
    ints = [0, 1, -1, 127, 128, 255, 256, -128, -129, 65535, 65536, 2**24 + 1, 2**31, -(2**31) - 1, 2**53 + 1, 2**63 - 1, -(2**63)]
    for target in INTS + ["Bool", "F64", "F32", "BF16"]:
        case(f"cast I64 to {target}", {"Cast": {"x": tensor(ints, "I64"), "dtype": target}})
    for target in INTS + FLOATS:
        case(f"cast Bool to {target}", {"Cast": {"x": tensor([True, False], "Bool"), "dtype": target}})


def reductions():
    rows = tensor([[1.0, NAN, 3.0], [INF, 2.0, -INF], [0.0, -0.0, 0.0], [2.0, 2.0, 1.0], [INF, INF, 1.0]])
    for op in ["Sum", "Mean", "Prod", "Max", "Min"]:
        for dtype in ("F64", "F32"):
            case(f"reduce {op} of special {dtype}", {"Reduce": {"op": op, "x": rows.to(DTYPES[dtype]), "dims": [1]}}, gradients=False)
        x = tensor([[1.0, 2.0, 2.0], [0.0, 3.0, 1.0], [0.0, 0.0, 4.0]])
        for dims in ([1], [0], [0, 1], []):
            case(f"gradient of reduce {op} over {dims} with ties and zeros", {"Reduce": {"op": op, "x": x, "dims": dims}})
        if op in ("Sum", "Mean", "Prod"):
            for shape, dims in [([0], [0]), ([2, 0], [1]), ([0, 3], [1]), ([0, 3], [0]), ([2, 0, 3], [0, 1])]:
                case(f"reduce {op} of {shape} over {dims}", {"Reduce": {"op": op, "x": torch.zeros(shape, dtype=torch.float64), "dims": dims}})
        else:
            case(f"reduce {op} of [0, 3] over [1]", {"Reduce": {"op": op, "x": torch.zeros([0, 3], dtype=torch.float64), "dims": [1]}})
        case(f"reduce {op} of rank 0", {"Reduce": {"op": op, "x": tensor(1.5), "dims": []}})
    for op, dtype in itertools.product(["Sum", "Prod", "Max", "Min"], INTS):
        x = tensor([[100, 100, 100], [1, 2, 3], [50, 0, 7]], dtype)
        case(f"reduce {op} of {dtype}", {"Reduce": {"op": op, "x": x, "dims": [1]}})
    for op in ("Any", "All"):
        x = tensor([[True, False], [True, True], [False, False]], "Bool")
        case(f"reduce {op} of Bool", {"Reduce": {"op": op, "x": x, "dims": [1]}})
        case(f"reduce {op} of nothing", {"Reduce": {"op": op, "x": x[:, :0].contiguous(), "dims": [1]}})
    for op in ("Max", "Min"):
        for x in (rows, rows.to(torch.float32), tensor([[3, 1, 3], [1, 1, 2]], "I64"), tensor([[3, 1, 3], [1, 1, 2]], "U8")):
            name = f"{op} of {NAMES[x.dtype]} {list(x.shape)}"
            case(f"Arg{name}", {"ArgReduce": {"op": op, "x": x, "dim": 1, "index": "I64"}})
            case(f"indices with {name}", {"ReduceWithIndices": {"op": op, "x": x, "dim": 1, "index": "I64"}}, gradients=False)
        x = tensor([[1.0, 2.0, 2.0], [0.0, 0.0, 1.0]])
        case(f"gradient of indices with {op} and ties", {"ReduceWithIndices": {"op": op, "x": x, "dim": 1, "index": "I64"}})
        x = torch.zeros([0, 3], dtype=torch.float64)
        case(f"indices with {op} of [0, 3]", {"ReduceWithIndices": {"op": op, "x": x, "dim": 1, "index": "I64"}})


def cumulative():
    rows = tensor([[1.0, NAN, 3.0, 0.0], [INF, 2.0, -INF, 1.0], [1.0, 3.0, 2.0, 4.0], [2.0, 0.0, 5.0, -1.0]])
    for op in ["Sum", "Prod", "Max", "Min"]:
        for dim in (0, 1):
            case(f"cumulative {op} of special along {dim}", {"Cumulative": {"op": op, "x": rows, "dim": dim}}, gradients=False)
        case(f"cumulative {op} of F32", {"Cumulative": {"op": op, "x": rows.to(torch.float32), "dim": 1}})
        x = tensor([[1.0, 2.0, 2.0, 1.0], [0.0, 3.0, 0.0, 4.0], [2.0, -1.0, 0.5, 3.0]])
        case(f"gradient of cumulative {op} with ties and zeros", {"Cumulative": {"op": op, "x": x, "dim": 1}})
        for dtype in INTS:
            x = tensor([100, 3, 100, 0, 7], dtype)
            case(f"cumulative {op} of {dtype}", {"Cumulative": {"op": op, "x": x, "dim": 0}})
        empty = torch.zeros([2, 0], dtype=torch.float64)
        for dim in (0, 1):
            case(f"cumulative {op} of [2, 0] along {dim}", {"Cumulative": {"op": op, "x": empty, "dim": dim}})


def order():
    rows = [tensor([[3.0, NAN, -1.0, INF], [-INF, 0.0, NAN, NAN], [2.0, 1.0, 2.0, 1.0], [0.0, -0.0, 0.0, -0.0]]),
            tensor([[3, 1, 3, 2], [0, 0, 0, 0]], "I64"), tensor([[3, 1, 3, 2], [0, 255, 0, 7]], "U8")]
    rows += [rows[0].to(DTYPES[dtype]) for dtype in FLOATS[1:]]
    for x, dim, flag in itertools.product(rows, (0, 1), (False, True)):
        name = f"of {NAMES[x.dtype]} along {dim}, {flag}"
        case(f"sort {name}", {"Sort": {"x": x, "dim": dim, "descending": flag}}, gradients=False)
        call = {"SortWithIndices": {"x": x, "dim": dim, "descending": flag, "index": "I64"}}
        case(f"sort with indices {name}", call, gradients=False)
    x = tensor([[1.0, 2.0, 2.0, 1.0], [4.0, 3.0, 0.0, 5.0]])
    for flag in (False, True):
        case(f"gradient of sort, {flag}", {"SortWithIndices": {"x": x, "dim": 1, "descending": flag, "index": "I64"}})
        distinct = tensor([[3.0, NAN, -1.0, INF, 0.5], [-INF, 0.0, 7.0, NAN, 2.0]])
        for k in (0, 1, 3, 5):
            call = {"TopK": {"x": distinct, "k": k, "dim": 1, "largest": flag, "index": "I64"}}
            case(f"topk {k} with NaN, largest {flag}", call, gradients=False)
        call = {"TopK": {"x": tensor([[4.0, 2.0, 3.0, 1.0]]), "k": 2, "dim": 1, "largest": flag, "index": "I64"}}
        case(f"gradient of topk, largest {flag}", call)
    for descending in (False, True):
        for shape, dim in [([0], 0), ([2, 0], 1), ([0, 2], 1)]:
            x = torch.zeros(shape, dtype=torch.float64)
            call = {"SortWithIndices": {"x": x, "dim": dim, "descending": descending, "index": "I64"}}
            case(f"sort of {shape}, {descending}", call)


def indexed():
    for x, value in [(spread(3, 4), spread(3, 2)), (spread(3, 4, dtype="F32"), spread(3, 2, dtype="F32")),
                     (tensor(range(12), "I64", [3, 4]), tensor(range(6), "I64", [3, 2])),
                     (tensor(range(12), "U8", [3, 4]), tensor(range(250, 256), "U8", [3, 2]))]:
        dtype = NAMES[x.dtype]
        at = tensor([[2, 0], [1, 1], [0, 2]], "I64")
        for dim in (0, 1):
            case(f"gather {dtype} along {dim}", {"Gather": {"x": x, "dim": dim, "indices": at}})
            for update in ("Add", "Multiply", "Min", "Max"):
                call = {"Scatter": {"x": x, "dim": dim, "indices": at, "value": value, "update": update}}
                case(f"scatter {update} {dtype} along {dim}", call)
        unique = tensor([[2, 0], [1, 3], [0, 2]], "I64")
        call = {"Scatter": {"x": x, "dim": 1, "indices": unique, "value": value, "update": "Assign"}}
        case(f"scatter {dtype}", call)
        part = tensor([[0, 2]], "I64")
        call = {"Scatter": {"x": x, "dim": 1, "indices": part, "value": value[:1].clone(), "update": "Add"}}
        case(f"scatter add {dtype} to a part", call)
        for rows in ([2, 0, 2], [1], []):
            at = torch.tensor(rows, dtype=torch.int64)
            case(f"select {rows} of {dtype}", {"Select": {"x": x, "dim": 0, "indices": at}})
            add = x[at].clone()
            for update in ("Add", "Multiply", "Min", "Max"):
                call = {"SelectAssign": {"x": x, "dim": 0, "indices": at, "value": add, "update": update}}
                case(f"select {update} {rows} to {dtype}", call)
            if len(set(rows)) == len(rows):
                call = {"SelectAssign": {"x": x, "dim": 0, "indices": at, "value": add, "update": "Assign"}}
                case(f"select assign {rows} to {dtype}", call)
    at = tensor([1, 0, 1], "I64")
    case("gather Bool", {"Gather": {"x": tensor([True, False], "Bool"), "dim": 0, "indices": at}})


def softmax():
    rows = tensor([[1000.0, -1000.0, 999.0], [-INF, 0.0, 1.0], [-INF, -INF, -INF], [INF, 0.0, 1.0], [NAN, 0.0, 1.0],
                   [1e-300, 0.0, -1e-300], [5.0, 5.0, 5.0]])
    for name in ("Softmax", "LogSoftmax"):
        for dim in (0, 1):
            case(f"{name} of special along {dim}", {name: {"x": rows, "dim": dim}}, gradients=False)
        finite = tensor([[1000.0, -1000.0, 999.0], [-INF, 0.0, 1.0], [5.0, 5.0, 5.0], [0.3, -0.2, 30.0]])
        case(f"gradient of {name} at extremes", {name: {"x": finite, "dim": 1}})
        for dtype in FLOATS[1:]:
            x = tensor([[10.0, -10.0, 9.0], [0.5, 0.25, -INF], [3.0, 3.0, 3.0]], dtype)
            case(f"{name} of {dtype}", {name: {"x": x, "dim": 1}}, gradients=False)
        for shape in ([0], [2, 0], [0, 2]):
            case(f"{name} of {shape}", {name: {"x": torch.zeros(shape, dtype=torch.float64), "dim": len(shape) - 1}})


def layout():
    x = spread(2, 3, 4)
    steps = [{"start": 0, "end": 2, "step": 1}, {"start": 1, "end": 3, "step": 3}, {"start": 1, "end": 4, "step": 2}]
    case("slice with steps", {"Slice": {"x": x, "slices": steps}})
    case("slice of nothing", {"Slice": {"x": x, "slices": [{"start": 2, "end": 2, "step": 1}]}})
    case("slice from behind its end", {"Slice": {"x": x, "slices": [{"start": 2, "end": 1, "step": 1}]}})
    case("slice assign with steps", {"SliceAssign": {"x": x, "slices": steps, "value": spread(2, 1, 2)}})
    case("cat with an empty tensor", {"Cat": {"xs": [x, x[:, :0].clone(), x], "dim": 1}})
    case("repeat none", {"RepeatDim": {"x": x, "dim": 1, "times": 0}})
    case("expand of rank 0", {"Expand": {"x": tensor(1.5), "shape": [2, 3]}})
    case("expand to nothing", {"Expand": {"x": spread(1, 2), "shape": [0, 2]}})
    case("mask where, all broadcast",
         {"MaskWhere": {"mask": tensor([[True], [False]], "Bool"), "on": spread(3), "off": spread(2, 1)}})
    case("mask fill with NaN below", {"MaskFill": {"x": tensor([NAN, 1.0, INF]), "mask": tensor([True, False, True], "Bool"),
                                                  "value": {"Float": 2.0}}})


def matmul():
    for lhs, rhs in [([2, 3], [3, 4]), ([0, 3], [3, 4]), ([2, 0], [0, 4]), ([2, 3], [3, 0]), ([5, 2, 3], [3, 4]), ([2, 3], [5, 3, 4]),
                     ([2, 1, 2, 3], [3, 3, 1]), ([0, 2, 3], [3, 4]), ([1, 1], [1, 1]), ([17, 33], [33, 19])]:
        case(f"matmul {lhs} {rhs}", {"Matmul": {"lhs": spread(*lhs), "rhs": spread(*rhs)}}, gradients=math.prod(lhs) < 100)
    case("matmul of I64", {"Matmul": {"lhs": tensor(range(6), "I64", [2, 3]), "rhs": tensor(range(12), "I64", [3, 4])}})
    lhs, rhs = tensor([[INF, 0.0], [NAN, 1.0]]), tensor([[0.0, 1.0], [2.0, 3.0]])
    case("matmul with NaN and infinity", {"Matmul": {"lhs": lhs, "rhs": rhs}}, gradients=False)


def conv():
    grid = []
    for spatial in (1, 2, 3):
        for stride, padding, dilation, groups, bias in [(1, 0, 1, 1, True), (2, 1, 1, 1, False), (1, 2, 2, 2, True), (3, 1, 2, 4, True),
                                                        (2, 0, 1, 2, False)]:
            grid.append((spatial, stride, padding, dilation, groups, bias))
    for spatial, stride, padding, dilation, groups, bias in grid:
        # Each dimension its own options, so that a mixed up order shows.
        sizes = [[7], [6, 5], [4, 3, 5]][spatial - 1]
        kernel = [[3], [2, 3], [2, 1, 2]][spatial - 1]
        options = {"stride": [stride + d % 2 for d in range(spatial)], "padding": [padding] * (spatial - 1) + [min(padding, 1)],
                   "dilation": [dilation] + [1] * (spatial - 1), "groups": groups}
        channels_in, channels_out = 4, 4
        x, weight = spread(2, channels_in, *sizes), spread(channels_out, channels_in // groups, *kernel)
        name = f"{spatial}d stride {stride} padding {padding} dilation {dilation} groups {groups}"
        bias = spread(channels_out) if bias else None
        small = spatial < 3
        case(f"conv {name}", {"Conv": {"x": x, "weight": weight, "bias": bias, "options": options}}, gradients=small)
        out = execute({"Conv": {"x": x, "weight": weight, "bias": None, "options": options}}, lambda t: t)[0]
        grad = spread(*out.shape)
        call = {"ConvTranspose": {"grad": grad, "other": weight, "target": list(x.shape), "options": options}}
        case(f"conv_transpose {name}", call, gradients=small)
        call = {"ConvWeightGrad": {"grad": grad, "other": x, "target": list(weight.shape), "options": options}}
        case(f"conv_weight_grad {name}", call, gradients=False)
    x, weight = spread(1, 6, 5, 5), spread(6, 1, 3, 3)
    options = {"stride": [1, 1], "padding": [1, 1], "dilation": [1, 1], "groups": 6}
    case("conv depthwise", {"Conv": {"x": x, "weight": weight, "bias": spread(6), "options": options}})
    options = {"stride": [1, 1], "padding": [0, 0], "dilation": [1, 1], "groups": 1}
    case("conv pointwise", {"Conv": {"x": x, "weight": spread(3, 6, 1, 1), "bias": None, "options": options}})
    case("conv of no images", {"Conv": {"x": torch.zeros([0, 6, 5, 5], dtype=torch.float64), "weight": spread(3, 6, 2, 2), "bias": None,
                                        "options": options}})
    for dtype in FLOATS[1:]:
        x, weight = spread(1, 2, 4, 4, dtype=dtype), spread(2, 2, 2, 2, dtype=dtype)
        # Multiples of 1/8 of few digits: sums are exact in every order.
        x, weight = (x * 8).round() / 8, (weight * 2).round() / 2
        case(f"conv of {dtype}", {"Conv": {"x": x, "weight": weight, "bias": None, "options": options}})


def pool():
    kinds = {"max": "Max", "avg": {"Avg": {"count_include_pad": True}}, "avg without pad": {"Avg": {"count_include_pad": False}}}
    geometries = [([8], [3], [2], [1], [1]), ([8], [2], [3], [0], [2]), ([6, 7], [3, 2], [2, 1], [1, 0], [1, 1]),
                  ([6, 7], [2, 3], [1, 2], [1, 1], [2, 1]), ([4, 5, 3], [2, 3, 1], [2, 1, 1], [1, 1, 0], [1, 1, 1])]
    for name, kind in kinds.items():
        for sizes, kernel, stride, padding, dilation in geometries:
            if kind != "Max" and set(dilation) != {1}:
                continue
            options = {"kernel": kernel, "stride": stride, "padding": padding, "dilation": dilation}
            x = spread(2, 2, *sizes)
            at = f"{len(sizes)}d kernel {kernel} dilation {dilation}"
            case(f"{name} pool {at}", {"Pool": {"kind": kind, "x": x, "options": options}}, gradients=math.prod(sizes) < 60)
            out = execute({"Pool": {"kind": kind, "x": x, "options": options}}, lambda t: t)[0]
            call = {"PoolGrad": {"kind": kind, "grad": spread(*out.shape), "x": x if kind == "Max" else None,
                                 "target": list(x.shape), "options": options}}
            case(f"{name} pool gradient {at}", call, gradients=False)
            if kind == "Max":
                call = {"MaxPoolWithIndices": {"x": x, "options": options, "index": "I64"}}
                case(f"max pool with indices {at}", call, gradients=False)
    options = {"kernel": [3], "stride": [2], "padding": [1], "dilation": [1]}
    x = tensor([[[1.0, 1.0, 0.0, 2.0, 2.0, NAN, 3.0, 3.0], [-INF, -INF, -INF, -INF, INF, INF, 0.0, -0.0]]])
    case("max pool of ties and special values", {"MaxPoolWithIndices": {"x": x, "options": options, "index": "I64"}}, gradients=False)
    x = tensor([[[1.0, 1.0, 0.0, 2.0, 2.0, 5.0, 3.0, 3.0]]])
    case("gradient of max pool with ties", {"Pool": {"kind": "Max", "x": x, "options": options}})
    for dtype in FLOATS[1:]:
        x = (spread(1, 2, 6, dtype=dtype) * 8).round() / 8
        case(f"max pool of {dtype}", {"Pool": {"kind": "Max", "x": x, "options": options}})
        case(f"avg pool of {dtype}", {"Pool": {"kind": kinds["avg"], "x": x, "options": options}})
    for sizes, target in [([7], [3]), ([3], [7]), ([5], [1]), ([6, 7], [4, 2]), ([2, 3], [4, 5]), ([4, 3, 5], [2, 2, 3])]:
        x = spread(1, 2, *sizes)
        case(f"adaptive avg pool {sizes} to {target}", {"AdaptiveAvgPool": {"x": x, "size": target}})
        grad = spread(1, 2, *target)
        case(f"adaptive avg pool gradient {sizes} to {target}", {"AdaptiveAvgPoolGrad": {"grad": grad, "target": [1, 2] + sizes}})


def fourier():
    for shape, dim in [([1], 0), ([2], 0), ([5], 0), ([8], 0), ([2, 6, 3], 1), ([17], 0)]:
        x, pairs = spread(*shape), spread(*shape, 2)
        case(f"rfft {shape} along {dim}", {"Fft": {"op": "Real", "x": x, "dim": dim}})
        for op in ("Forward", "Backward"):
            case(f"fft {op} {shape} along {dim}", {"Fft": {"op": op, "x": pairs, "dim": dim}})
        for n in (2 * shape[dim] - 2, 2 * shape[dim] - 1):
            if n > 0:
                case(f"irfft {shape} along {dim} to {n}", {"Fft": {"op": {"Half": {"n": n}}, "x": pairs, "dim": dim}})


def main():
    torch.set_num_threads(1)
    for family in (elementwise, binary, clamp, casts, reductions, cumulative, order, indexed, softmax, layout, matmul, conv, pool,
                   fourier):
        family()
    names = [json.loads(line)["name"] for line in LINES]
    doubled = {name for name in names if names.count(name) > 1}
    assert not doubled, doubled
    path = pathlib.Path("crates/burn-conformance/tests/pytorch/operations.jsonl")
    path.write_text("".join(line + "\n" for line in LINES))
    print(f"{path}: {len(LINES)} calls, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
