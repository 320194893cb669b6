"""Interpolation, and shuffles between channels and space."""

import math

import torch
import torch.nn.functional as F

TORCH = {"Nearest": ["nearest"] * 3, "NearestExact": ["nearest-exact"] * 3, "Linear": ["linear", "bilinear", "trilinear"],
         "Cubic": [None, "bicubic", None]}
NAMES = {"Nearest": "nearest", "NearestExact": "nearest_exact", "Linear": "linear", "Cubic": "cubic",
         "Lanczos": "lanczos"}


def one(values):
    values = list(values)
    return values[0] if len(values) == 1 else values


def cubic(t, a=-0.75):
    """The kernel of Keys (1981)."""
    t = abs(t)
    if t <= 1:
        return ((a + 2) * t - (a + 3)) * t * t + 1
    return ((t - 5) * t + 8) * t * a - 4 * a if t < 2 else 0.0


def lanczos(t):
    """The kernel of Duchon (1979), three lobes."""
    sinc = lambda t: 1.0 if t == 0 else math.sin(math.pi * t) / (math.pi * t)
    return sinc(t) * sinc(t / 3) if abs(t) < 3 else 0.0


def matrix(kernel, reach, size, out, factor, corners):
    """`[out, size]`: the weights of a separable interpolation by its definition; edges are repeated."""
    rows = torch.zeros(out, size)
    for i in range(out):
        if corners:
            at = i * (size - 1) / (out - 1) if out > 1 else 0.0
        else:
            at = (i + 0.5) * (1 / factor if factor else size / out) - 0.5
        first = math.floor(at) - reach + 1
        taps = [(first + k, kernel(at - first - k)) for k in range(2 * reach)]
        total = sum(weight for _, weight in taps)
        for index, weight in taps:
            rows[i, min(max(index, 0), size - 1)] += weight / total
    return rows


def separable(x, mode, out, factors, corners):
    kernel, reach = {"Cubic": (cubic, 2), "Lanczos": (lanczos, 3)}[mode]
    for d, size in enumerate(out):
        weights = matrix(kernel, reach, x.shape[2 + d], size, factors[d] if factors else None, corners)
        x = torch.tensordot(x, weights, dims=([2 + d], [1])).movedim(-1, 2 + d)
    return x


def interpolate(x, mode, size, factors, corners, recompute):
    n = x.dim() - 2
    name = None if mode == "Lanczos" else TORCH[mode][n - 1]
    if name is None:
        out = size or [math.floor(x.shape[2 + d] * factors[d]) for d in range(n)]
        return separable(x, mode, out, None if recompute else factors, corners)
    align = {} if mode.startswith("Nearest") else {"align_corners": corners}
    return F.interpolate(x, size, None if factors is None else tuple(factors), name,
                         recompute_scale_factor=recompute or None, **align)


def resize(case, name, shape, mode, size=None, factors=None, corners=False, recompute=False, layer="Interpolate"):
    n = len(shape) - 2
    config = {"output_size": size and one(size), "scale_factor": factors and one(factors), "mode": mode,
              "align_corners": corners, "recompute_scale_factor": recompute}
    if layer == "Upsample":
        config |= {"output_size": size and list(size), "scale_factor": factors and list(factors)}
        every = lambda values: values and (list(values) * n if len(values) == 1 else list(values))
        size, factors = every(size), every(factors)
    forward = lambda x, _: interpolate(x["x"], mode, size, factors, corners, recompute)
    case(name, f"{layer}{n}d", forward, {"x": torch.randn(*shape)}, config=config)


def cases(case):
    shapes = {1: (1, 2, 5), 2: (1, 2, 4, 5), 3: (1, 1, 3, 4, 3)}
    larger, smaller = {1: (8,), 2: (7, 9), 3: (5, 6, 4)}, {1: (3,), 2: (3, 2), 3: (2, 3, 2)}
    for mode, name in NAMES.items():
        for n, shape in shapes.items():
            resize(case, f"{name}{n}d_larger", shape, mode, larger[n])
            resize(case, f"{name}{n}d_smaller", shape, mode, smaller[n])
            if not mode.startswith("Nearest"):
                resize(case, f"{name}{n}d_corners", shape, mode, larger[n], corners=True)
    resize(case, "linear1d_scale", (1, 2, 5), "Linear", factors=(1.7,))
    resize(case, "linear1d_recomputed", (1, 2, 5), "Linear", factors=(1.7,), recompute=True)
    resize(case, "linear2d_scale", (1, 2, 4, 5), "Linear", factors=(1.7, 0.6))
    resize(case, "cubic2d_scale", (1, 1, 4, 5), "Cubic", factors=(1.7, 0.6))
    resize(case, "lanczos2d_scale", (1, 1, 4, 5), "Lanczos", factors=(1.7, 0.6))
    resize(case, "linear3d_scale", (1, 1, 3, 4, 3), "Linear", factors=(1.7, 0.6, 2.2))
    resize(case, "nearest2d_scale", (1, 1, 4, 5), "Nearest", factors=(2.0, 1.5))
    resize(case, "upsample_linear1d", (1, 2, 5), "Linear", factors=(2.0,), layer="Upsample")
    resize(case, "upsample_nearest2d", (1, 2, 3, 2), "Nearest", factors=(2.0,), layer="Upsample")
    resize(case, "upsample_linear2d_corners", (1, 2, 3, 4), "Linear", (5, 7), corners=True, layer="Upsample")
    resize(case, "upsample_cubic2d", (1, 1, 3, 4), "Cubic", factors=(1.5, 2.5), layer="Upsample")
    resize(case, "upsample_linear3d", (1, 1, 3, 2, 3), "Linear", (4,), layer="Upsample")
    resize(case, "upsample_recomputed2d", (1, 1, 5, 4), "Linear", factors=(1.5, 1.3), recompute=True, layer="Upsample")

    case("pixel_shuffle", "PixelShuffle4", lambda x, _: F.pixel_shuffle(x["x"], 2), {"x": torch.randn(2, 8, 2, 3)},
         config={"upscale_factor": 2})
    case("pixel_shuffle_image", "PixelShuffle3", lambda x, _: F.pixel_shuffle(x["x"], 3), {"x": torch.randn(9, 2, 2)},
         config={"upscale_factor": 3})
    case("pixel_unshuffle", "PixelUnshuffle4", lambda x, _: F.pixel_unshuffle(x["x"], 2),
         {"x": torch.randn(1, 2, 4, 6)}, config={"downscale_factor": 2})
    case("channel_shuffle", "ChannelShuffle4", lambda x, _: F.channel_shuffle(x["x"], 3),
         {"x": torch.randn(2, 6, 2, 2)}, config={"groups": 3})
    case("channel_shuffle_signal", "ChannelShuffle3", lambda x, _: F.channel_shuffle(x["x"], 2),
         {"x": torch.randn(1, 4, 3)}, config={"groups": 2})

    options = {"kernel_size": (2, 3), "dilation": (1, 2), "padding": (1, 2), "stride": (2, 1)}
    config = {key: list(value) for key, value in options.items()}
    case("unfold4d", "Unfold4d", lambda x, _: F.unfold(x["x"], **options), {"x": torch.randn(2, 2, 4, 5)}, config=config)
    case("unfold4d_plain", "Unfold4d", lambda x, _: F.unfold(x["x"], (2, 2)), {"x": torch.randn(1, 1, 3, 3)},
         config={"kernel_size": [2, 2]})
    columns = F.unfold(torch.zeros(1, 1, 4, 5), **options).shape[-1]
    case("fold4d", "Fold4d", lambda x, _: F.fold(x["x"], (4, 5), **options), {"x": torch.randn(2, 12, columns)},
         config=config | {"output_size": [4, 5]})
    case("fold4d_plain", "Fold4d", lambda x, _: F.fold(x["x"], (3, 3), (2, 2)), {"x": torch.randn(1, 4, 4)},
         config={"output_size": [3, 3], "kernel_size": [2, 2]})
