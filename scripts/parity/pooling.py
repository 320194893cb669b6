"""Pooling and unpooling, and normalization over windows of channels."""

import torch
import torch.nn.functional as F

MAX = {1: F.max_pool1d, 2: F.max_pool2d, 3: F.max_pool3d}
AVG = {1: F.avg_pool1d, 2: F.avg_pool2d, 3: F.avg_pool3d}
LP = {1: F.lp_pool1d, 2: F.lp_pool2d, 3: F.lp_pool3d}
UNPOOL = {1: F.max_unpool1d, 2: F.max_unpool2d, 3: F.max_unpool3d}
ADAPTIVE_AVG = {1: F.adaptive_avg_pool1d, 2: F.adaptive_avg_pool2d, 3: F.adaptive_avg_pool3d}
ADAPTIVE_MAX = {1: F.adaptive_max_pool1d, 2: F.adaptive_max_pool2d, 3: F.adaptive_max_pool3d}


def one(values):
    values = list(values)
    return values[0] if len(values) == 1 else values


def flat(sides):
    return [count for pair in reversed(sides) for count in pair]


def explicit(sides):
    """The config of the padding of each dimension, or of `(before, after)` of each."""
    if isinstance(sides[0], tuple):
        return {"Asymmetric": [list(pair) for pair in sides] if len(sides) > 1 else list(sides[0])}
    return {"Explicit": one(sides)}


def max_pool(case, name, size, kernel, stride=None, padding=None, dilation=None, ceil=False, indices=False):
    n = len(kernel)
    config = {"kernel_size": one(kernel), "ceil_mode": ceil}
    if stride is not None:
        config["stride"] = one(stride)
    if padding is not None:
        config["padding"] = explicit(padding)
    if dilation is not None:
        config["dilation"] = one(dilation)

    def forward(x, _):
        x, sides = x["x"], padding or (0,) * n
        if isinstance(sides[0], tuple):
            x, sides = F.pad(x, flat(sides), value=-torch.inf), (0,) * n
        return MAX[n](x, kernel, stride, sides, dilation or (1,) * n, ceil, indices)

    layer = f"MaxPool{n}d" + ("WithIndices" if indices else "")
    case(name, layer, forward, {"x": torch.randn(*size)}, config=config)


def avg_pool(case, name, size, kernel, stride=None, padding=None, ceil=False, include=True, divisor=None):
    n = len(kernel)
    config = {"kernel_size": one(kernel), "ceil_mode": ceil, "count_include_pad": include, "divisor_override": divisor}
    if stride is not None:
        config["stride"] = one(stride)
    if padding is not None:
        config["padding"] = explicit(padding)
    options = {} if n == 1 else {"divisor_override": divisor}
    forward = lambda x, _: AVG[n](x["x"], kernel, stride, padding or (0,) * n, ceil, include, **options)
    case(name, f"AvgPool{n}d", forward, {"x": torch.randn(*size)}, config=config)


def lp_pool(case, name, size, norm, kernel, stride=None, ceil=False, positive=False):
    n = len(kernel)
    config = {"norm_type": norm, "kernel_size": one(kernel), "ceil_mode": ceil}
    if stride is not None:
        config["stride"] = one(stride)
    x = torch.randn(*size)
    forward = lambda x, _: LP[n](x["x"], norm, one(kernel), stride and one(stride), ceil)
    case(name, f"LpPool{n}d", forward, {"x": x.abs() + 0.1 if positive else x}, config=config)


def unpool(case, name, size, kernel, stride=None, padding=None, out=None):
    """Inputs and indices are those of a pooling of random numbers."""
    n = len(kernel)
    padding = padding or (0,) * n
    values, indices = MAX[n](torch.randn(*size), kernel, stride, padding, return_indices=True)
    config = {"kernel_size": one(kernel), "padding": one(padding)}
    if stride is not None:
        config["stride"] = one(stride)
    layer = f"MaxUnpool{n}d"
    if out is not None:
        layer, config = layer + "WithSize", config | {"output_size": one(out)}
    forward = lambda x, _: UNPOOL[n](x["x"], x["indices"], kernel, stride, padding, out)
    case(name, layer, forward, {"x": values, "indices": indices}, config=config, constants=("indices",))


def adaptive(case, name, size, out):
    n = len(out)
    config = {"output_size": one(out)}
    x = {"x": torch.randn(*size)}
    case(f"adaptive_avg_{name}", f"AdaptiveAvgPool{n}d", lambda x, _: ADAPTIVE_AVG[n](x["x"], out), x, config=config)
    case(f"adaptive_max_{name}", f"AdaptiveMaxPool{n}d", lambda x, _: ADAPTIVE_MAX[n](x["x"], out), x, config=config)
    case(f"adaptive_max_{name}_indices", f"AdaptiveMaxPool{n}dWithIndices",
         lambda x, _: ADAPTIVE_MAX[n](x["x"], out, return_indices=True), x, config=config)


def same(case):
    """Padding that keeps the size, by its definition: PyTorch's pooling has none."""
    config = {"kernel_size": [2, 3], "stride": [1, 2], "padding": "Same"}
    x = {"x": torch.randn(1, 2, 4, 5)}
    padded = lambda x, value: F.pad(x["x"], (1, 1, 0, 1), value=value)
    case("max_pool2d_same", "MaxPool2d", lambda x, _: F.max_pool2d(padded(x, -torch.inf), (2, 3), (1, 2)), x,
         config=config)
    case("avg_pool2d_same", "AvgPool2d", lambda x, _: F.avg_pool2d(padded(x, 0.0), (2, 3), (1, 2)), x, config=config)

    def inside(x, _):
        ones = F.avg_pool2d(padded({"x": torch.ones(1, 1, 4, 5)}, 0.0), (2, 3), (1, 2))
        return F.avg_pool2d(padded(x, 0.0), (2, 3), (1, 2)) / ones

    case("avg_pool2d_same_without_pad", "AvgPool2d", inside, x, config=config | {"count_include_pad": False})


def cases(case):
    max_pool(case, "max_pool1d", (2, 2, 8), (3,), (2,), (1,))
    max_pool(case, "max_pool1d_dilated", (1, 2, 9), (2,), None, None, (3,))
    max_pool(case, "max_pool1d_ceil", (1, 2, 8), (3,), (2,), (1,), ceil=True)
    max_pool(case, "max_pool1d_indices", (1, 2, 8), (3,), (2,), (1,), (1,), True, True)
    max_pool(case, "max_pool2d", (2, 2, 6, 7), (3, 2), (2, 1), (1, 0), (1, 2))
    max_pool(case, "max_pool2d_default_stride", (1, 1, 6, 6), (3, 2))
    max_pool(case, "max_pool2d_ceil", (1, 2, 6, 7), (3, 2), (2, 3), (1, 0), ceil=True)
    max_pool(case, "max_pool2d_indices", (1, 2, 5, 6), (2, 3), (2, 2), (1, 1), None, False, True)
    max_pool(case, "max_pool2d_ceil_indices", (1, 2, 6, 6), (3, 3), (2, 2), None, None, True, True)
    max_pool(case, "max_pool2d_asymmetric", (1, 1, 4, 4), (2, 3), (1, 2), ((1, 0), (0, 1)))
    max_pool(case, "max_pool3d", (1, 2, 4, 5, 6), (2, 3, 2), (2, 1, 3), (1, 0, 1), (1, 2, 1))
    max_pool(case, "max_pool3d_ceil_indices", (1, 1, 4, 4, 5), (3, 3, 2), (2, 2, 2), (1, 0, 1), None, True, True)

    avg_pool(case, "avg_pool1d", (2, 2, 8), (3,), (2,))
    avg_pool(case, "avg_pool1d_pad", (1, 2, 8), (3,), None, (1,), include=False)
    avg_pool(case, "avg_pool1d_ceil", (1, 2, 8), (3,), (2,), (1,), ceil=True)
    avg_pool(case, "avg_pool2d", (2, 2, 6, 5), (3, 2), (2, 1), (1, 1))
    avg_pool(case, "avg_pool2d_without_pad", (2, 2, 6, 5), (3, 2), (2, 1), (1, 1), include=False)
    avg_pool(case, "avg_pool2d_ceil", (1, 2, 6, 6), (3, 2), (2, 3), (1, 1), ceil=True)
    avg_pool(case, "avg_pool2d_ceil_without_pad", (1, 2, 6, 6), (3, 2), (2, 3), (1, 1), ceil=True, include=False)
    avg_pool(case, "avg_pool2d_divisor", (1, 2, 4, 5), (2, 3), (1, 2), (1, 1), divisor=5)
    avg_pool(case, "avg_pool2d_ceil_divisor", (1, 1, 5, 5), (2, 2), ceil=True, divisor=3)
    avg_pool(case, "avg_pool3d", (1, 2, 4, 4, 5), (2, 3, 2), (1, 2, 2), (1, 1, 0))
    avg_pool(case, "avg_pool3d_ceil", (1, 1, 4, 5, 4), (3, 2, 3), (2, 2, 2), (1, 0, 1), ceil=True, include=False)
    avg_pool(case, "avg_pool3d_divisor", (1, 1, 3, 3, 4), (2, 2, 2), divisor=7)
    same(case)

    lp_pool(case, "lp_pool1d", (1, 2, 7), 2.0, (3,), (2,))
    lp_pool(case, "lp_pool1d_ceil", (1, 2, 8), 2.0, (3,), ceil=True)
    lp_pool(case, "lp_pool1d_fraction", (1, 2, 6), 1.5, (2,), positive=True)
    lp_pool(case, "lp_pool2d", (1, 2, 5, 6), 4.0, (2, 3), (1, 2))
    lp_pool(case, "lp_pool2d_sum", (1, 1, 4, 4), 1.0, (2, 2), positive=True)
    lp_pool(case, "lp_pool2d_ceil", (1, 1, 5, 5), 2.0, (2, 3), ceil=True)
    lp_pool(case, "lp_pool3d", (1, 1, 4, 4, 4), 2.0, (2, 2, 2), (1, 2, 2))
    # Where the sum is 0, the gradient is.
    zero = torch.tensor([[[0.0, 0.0, 1.0, -2.0]]])
    case("lp_pool1d_zero", "LpPool1d", lambda x, _: F.lp_pool1d(x["x"], 2.0, 2), {"x": zero},
         config={"norm_type": 2.0, "kernel_size": 2})

    unpool(case, "max_unpool1d", (1, 2, 8), (2,))
    unpool(case, "max_unpool1d_size", (1, 2, 9), (2,), None, None, (9,))
    unpool(case, "max_unpool2d", (2, 1, 4, 6), (2, 2))
    # Without overlap: PyTorch has the gradient of an element that another one overwrites.
    unpool(case, "max_unpool2d_stride", (1, 2, 6, 6), (2, 2), (3, 2), (1, 0))
    unpool(case, "max_unpool2d_size", (1, 1, 5, 5), (2, 2), None, None, (5, 5))
    unpool(case, "max_unpool3d", (1, 1, 4, 4, 4), (2, 2, 2))
    unpool(case, "max_unpool3d_size", (1, 1, 3, 4, 5), (1, 2, 2), None, None, (3, 4, 5))

    adaptive(case, "pool1d", (2, 2, 7), (3,))
    adaptive(case, "pool1d_up", (1, 2, 3), (5,))
    adaptive(case, "pool2d", (2, 2, 7, 6), (3, 4))
    adaptive(case, "pool3d", (1, 2, 4, 5, 3), (2, 3, 1))

    for name, size, options in [("odd", (2, 5, 3), {"size": 3}), ("even", (1, 6, 2, 2), {"size": 4}),
                                ("all", (1, 4, 3), {"size": 3, "alpha": 0.7, "beta": 1.3, "k": 2.5})]:
        forward = lambda x, _, options=options: F.local_response_norm(x["x"], **options)
        layer = f"LocalResponseNorm{len(size)}"
        case(f"local_response_norm_{name}", layer, forward, {"x": torch.randn(*size)}, config=options)
