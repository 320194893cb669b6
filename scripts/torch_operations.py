"""What each of Burn's operations is in PyTorch.

A call is written as `burn_ir::Operation` is serialised, `{"Binary": {"op": "Add", "lhs": 0, "rhs": 1}}`, with an index
into a list of tensors in the place of each operand. Used by the scripts beside it; PyTorch 2.11.0.
"""

import warnings

import torch
import torch.nn.functional as F

warnings.filterwarnings("ignore", message="index_reduce")

DTYPES = {
    "F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16, "I64": torch.int64,
    "I32": torch.int32, "I16": torch.int16, "I8": torch.int8, "U8": torch.uint8, "Bool": torch.bool,
}
NAMES = {dtype: name for name, dtype in DTYPES.items()}

OPERANDS = {"x", "lhs", "rhs", "mask", "on", "off", "value", "indices", "grad", "other", "weight", "bias"}

UNARY = {
    "Neg": torch.neg, "Abs": torch.abs, "Sign": torch.sign, "Square": torch.square, "Exp": torch.exp,
    "ExpM1": torch.expm1, "Log": torch.log, "Log1p": torch.log1p, "Sqrt": torch.sqrt, "Recip": torch.reciprocal,
    "Sin": torch.sin, "Cos": torch.cos, "Tan": torch.tan, "Asin": torch.asin, "Acos": torch.acos, "Atan": torch.atan,
    "Sinh": torch.sinh, "Cosh": torch.cosh, "Tanh": torch.tanh, "Asinh": torch.asinh, "Acosh": torch.acosh,
    "Atanh": torch.atanh, "Erf": torch.erf, "Sigmoid": torch.sigmoid,
    "LogSigmoid": F.logsigmoid, "Relu": torch.relu, "Gelu": F.gelu, "Silu": F.silu, "Floor": torch.floor,
    "Ceil": torch.ceil, "Round": torch.round, "Trunc": torch.trunc,
    "Not": lambda x: torch.logical_not(x) if x.dtype == torch.bool else torch.bitwise_not(x),
}

BINARY = {
    "Add": torch.add, "Sub": torch.sub, "Mul": torch.mul,
    "Div": lambda x, y: torch.div(x, y, rounding_mode=None if x.is_floating_point() else "trunc"),
    "Remainder": torch.remainder, "Fmod": torch.fmod, "Pow": torch.pow, "Atan2": torch.atan2, "Hypot": torch.hypot,
    "Max": torch.maximum, "Min": torch.minimum, "And": torch.bitwise_and, "Or": torch.bitwise_or, "Xor": torch.bitwise_xor,
    "ShiftLeft": torch.bitwise_left_shift, "ShiftRight": torch.bitwise_right_shift,
}

COMPARE = {
    "Equal": torch.eq, "NotEqual": torch.ne, "Less": torch.lt, "LessEqual": torch.le, "Greater": torch.gt,
    "GreaterEqual": torch.ge,
}


def scalar(value, dtype):
    """A `burn_ir::Scalar` in the dtype of the tensor that it meets."""
    return torch.tensor(next(iter(value.values())), dtype=dtype)


def reduce(op, x, dims):
    if not dims:
        return x.clone()
    match op:
        case "Sum":
            return torch.sum(x, dims, keepdim=True, dtype=x.dtype)
        case "Mean":
            return torch.mean(x, dims, keepdim=True)
        case "Prod":
            for dim in dims:
                x = torch.prod(x, dim, keepdim=True, dtype=x.dtype)
            return x
        case "Max":
            return torch.amax(x, dims, keepdim=True)
        case "Min":
            return torch.amin(x, dims, keepdim=True)
        case "Any":
            return torch.any(x, dims, keepdim=True)
        case "All":
            return torch.all(x, dims, keepdim=True)


def cumulative(op, x, dim):
    match op:
        case "Sum":
            return torch.cumsum(x, dim, dtype=x.dtype)
        case "Prod":
            return torch.cumprod(x, dim, dtype=x.dtype)
        case "Max":
            return torch.cummax(x, dim).values
        case "Min":
            return torch.cummin(x, dim).values


def with_slice(x, slices):
    """Where the slice is, as an index."""
    return tuple(slice(s["start"], max(s["start"], s["end"]), s["step"]) for s in slices)


REDUCTIONS = {"Multiply": "prod", "Min": "amin", "Max": "amax"}


def indexed_write(x, dim, indices, value, update, scatter):
    if update in REDUCTIONS:
        write = torch.scatter_reduce if scatter else torch.index_reduce
        return write(x, dim, indices, value, REDUCTIONS[update])
    if scatter:
        return torch.scatter_add(x, dim, indices, value) if update == "Add" else torch.scatter(x, dim, indices, value)
    write = torch.index_add if update == "Add" else torch.index_copy
    return write(x, dim, indices, value)


def fft(op, x, dim):
    """Complex numbers are pairs in a last dimension of size 2."""
    if op == "Real":
        return torch.view_as_real(torch.fft.rfft(x, dim=dim))
    x = torch.view_as_complex(x.contiguous())
    match op:
        case "Forward":
            return torch.view_as_real(torch.fft.fft(x, dim=dim))
        case "Backward":
            return torch.view_as_real(torch.fft.ifft(x, dim=dim, norm="forward"))
        case {"Half": {"n": n}}:
            return torch.fft.irfft(x, n=n, dim=dim, norm="forward")


def conv(x, weight, bias, options):
    call = [F.conv1d, F.conv2d, F.conv3d][len(options["stride"]) - 1]
    return call(x, weight, bias, **options)


def conv_transpose(grad, weight, target, options):
    spatial = range(len(options["stride"]))
    stride, padding, dilation = options["stride"], options["padding"], options["dilation"]
    least = [(grad.shape[d + 2] - 1) * stride[d] - 2 * padding[d] + dilation[d] * (weight.shape[d + 2] - 1) + 1
             for d in spatial]
    extra = [target[d + 2] - least[d] for d in spatial]
    call = [F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d][len(stride) - 1]
    return call(grad, weight, output_padding=extra, **options)


def gradient_at(forward, target, grad):
    """`grad` taken back through a linear `forward` whose input has the shape `target`."""
    x = torch.zeros(target, dtype=grad.dtype, requires_grad=True)
    return torch.autograd.grad(forward(x), x, grad, create_graph=grad.requires_grad)[0]


def conv_weight_grad(grad, x, target, options):
    weight = torch.zeros(target, dtype=grad.dtype, requires_grad=True)
    tracked = grad.requires_grad or x.requires_grad
    return torch.autograd.grad(conv(x, weight, None, options), weight, grad, create_graph=tracked)[0]


def pool(kind, x, options):
    spatial = len(options["kernel"]) - 1
    kernel, stride, padding = options["kernel"], options["stride"], options["padding"]
    if kind == "Max":
        call = [F.max_pool1d, F.max_pool2d, F.max_pool3d][spatial]
        return call(x, kernel, stride, padding, options["dilation"])
    if any(size != 1 for size in options["dilation"]):
        raise ValueError("an average has no dilation in PyTorch")
    call = [F.avg_pool1d, F.avg_pool2d, F.avg_pool3d][spatial]
    return call(x, kernel, stride, padding, count_include_pad=kind["Avg"]["count_include_pad"])


def pool_grad(kind, grad, x, options, target):
    if kind != "Max":
        return gradient_at(lambda x: pool(kind, x, options), target, grad)
    x = x.detach().requires_grad_()
    return torch.autograd.grad(pool(kind, x, options), x, grad, create_graph=grad.requires_grad)[0]


def max_pool_with_indices(x, options):
    call = [F.max_pool1d, F.max_pool2d, F.max_pool3d][len(options["kernel"]) - 1]
    return call(x, options["kernel"], options["stride"], options["padding"], options["dilation"], return_indices=True)


def adaptive_avg_pool(x, size):
    return [F.adaptive_avg_pool1d, F.adaptive_avg_pool2d, F.adaptive_avg_pool3d][len(size) - 1](x, size)


def operands(call):
    """What stands in the place of the operands, in order of the fields."""
    (arguments,) = call.values()
    for name, value in arguments.items():
        if name == "xs":
            yield from value
        elif name in OPERANDS and value is not None and not isinstance(value, dict):
            yield value


def execute(call, tensors):
    """The results of `call`; `tensors(operand)` is the tensor of an operand."""
    ((name, given),) = call.items()
    a = {key: tensors(value) if key in OPERANDS and value is not None and not isinstance(value, dict) else value
         for key, value in given.items()}
    match name:
        case "Unary":
            results = UNARY[a["op"]](a["x"])
        case "Binary":
            results = BINARY[a["op"]](a["lhs"], a["rhs"])
        case "BinaryScalar":
            results = BINARY[a["op"]](a["lhs"], scalar(a["rhs"], a["lhs"].dtype))
        case "Compare":
            results = COMPARE[a["op"]](a["lhs"], a["rhs"])
        case "CompareScalar":
            results = COMPARE[a["op"]](a["lhs"], scalar(a["rhs"], a["lhs"].dtype))
        case "Clamp":
            low, high = (None if a[bound] is None else next(iter(a[bound].values())) for bound in ("min", "max"))
            results = a["x"].clone() if low is None and high is None else torch.clamp(a["x"], low, high)
        case "MaskWhere":
            results = torch.where(a["mask"], a["on"], a["off"])
        case "MaskFill":
            results = torch.masked_fill(a["x"], a["mask"], next(iter(a["value"].values())))
        case "Cast":
            results = a["x"].to(DTYPES[a["dtype"]])
        case "Reshape":
            results = a["x"].reshape(a["shape"])
        case "Permute":
            results = a["x"].permute(a["axes"])
        case "Expand":
            results = a["x"].expand(a["shape"])
        case "Flip":
            results = torch.flip(a["x"], a["axes"])
        case "Slice":
            results = a["x"][with_slice(a["x"], a["slices"])]
        case "SliceAssign":
            results = a["x"].clone()
            results[with_slice(results, a["slices"])] = a["value"]
        case "Cat":
            results = torch.cat([tensors(x) for x in a["xs"]], a["dim"])
        case "RepeatDim":
            times = [a["times"] if dim == a["dim"] else 1 for dim in range(a["x"].dim())]
            results = a["x"].repeat(times)
        case "Reduce":
            results = reduce(a["op"], a["x"], a["dims"])
        case "ArgReduce":
            call = torch.argmax if a["op"] == "Max" else torch.argmin
            results = call(a["x"], a["dim"], keepdim=True)
        case "ReduceWithIndices":
            call = torch.max if a["op"] == "Max" else torch.min
            results = call(a["x"], a["dim"], keepdim=True)
        case "Cumulative":
            results = cumulative(a["op"], a["x"], a["dim"])
        case "Sort":
            results = torch.sort(a["x"], dim=a["dim"], descending=a["descending"], stable=True).values
        case "SortWithIndices":
            results = torch.sort(a["x"], dim=a["dim"], descending=a["descending"], stable=True)
        case "TopK":
            results = torch.topk(a["x"], a["k"], a["dim"], a["largest"])
        case "Gather":
            results = torch.gather(a["x"], a["dim"], a["indices"])
        case "Scatter":
            results = indexed_write(a["x"], a["dim"], a["indices"], a["value"], a["update"], scatter=True)
        case "Select":
            results = torch.index_select(a["x"], a["dim"], a["indices"])
        case "SelectAssign":
            results = indexed_write(a["x"], a["dim"], a["indices"], a["value"], a["update"], scatter=False)
        case "Matmul":
            results = torch.matmul(a["lhs"], a["rhs"])
        case "Conv":
            results = conv(a["x"], a["weight"], a["bias"], a["options"])
        case "ConvTranspose":
            results = conv_transpose(a["grad"], a["other"], a["target"], a["options"])
        case "ConvWeightGrad":
            results = conv_weight_grad(a["grad"], a["other"], a["target"], a["options"])
        case "Pool":
            results = pool(a["kind"], a["x"], a["options"])
        case "PoolGrad":
            results = pool_grad(a["kind"], a["grad"], a["x"], a["options"], a["target"])
        case "MaxPoolWithIndices":
            results = max_pool_with_indices(a["x"], a["options"])
        case "AdaptiveAvgPool":
            results = adaptive_avg_pool(a["x"], a["size"])
        case "AdaptiveAvgPoolGrad":
            size = a["grad"].shape[2:]
            results = gradient_at(lambda x: adaptive_avg_pool(x, size), a["target"], a["grad"])
        case "Fft":
            results = fft(a["op"], a["x"], a["dim"])
        case "Softmax":
            results = torch.softmax(a["x"], a["dim"])
        case "LogSoftmax":
            results = torch.log_softmax(a["x"], a["dim"])
        case _:
            raise ValueError(f"no such operation: {name}")
    return [results] if isinstance(results, torch.Tensor) else list(results)
