"""Convolutions: plain, transposed and deformable."""

import torch
import torch.nn.functional as F

CONV = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}
TRANSPOSED = {1: F.conv_transpose1d, 2: F.conv_transpose2d, 3: F.conv_transpose3d}


def one(values):
    """A number for one dimension, a list for more, as configs have it."""
    values = list(values)
    return values[0] if len(values) == 1 else values


def explicit(sides):
    return {"Explicit": one(sides)}


def asymmetric(sides):
    return {"Asymmetric": [list(pair) for pair in sides] if len(sides) > 1 else list(sides[0])}


def flat(sides):
    """`(before, after)` of each dimension as `F.pad` takes it: the last dimension first."""
    return [count for pair in reversed(sides) for count in pair]


def conv(case, name, size, channels, kernel, groups=1, bias=True, sides=None, same=False, mode="zeros", **options):
    """`sides` has the padding of each dimension, or `(before, after)` of each."""
    n = len(kernel)
    stride, dilation = options.get("stride", (1,) * n), options.get("dilation", (1,) * n)
    params = {"weight": torch.randn(channels[1], channels[0] // groups, *kernel)}
    if bias:
        params["bias"] = torch.randn(channels[1])
    config = {"channels": list(channels), "kernel_size": one(kernel), "stride": one(stride), "dilation": one(dilation),
              "groups": groups, "bias": bias, "padding_mode": {"zeros": "Zeros", "reflect": "Reflect",
              "replicate": "Replicate", "circular": "Circular"}[mode]}
    if same:
        config["padding"] = "Same"
    elif sides is not None:
        uneven = isinstance(sides[0], tuple)
        config["padding"] = asymmetric(sides) if uneven else explicit(sides)

    def forward(x, p):
        x, weight, bias = x["x"], p["weight"], p.get("bias")
        if same:
            return CONV[n](x, weight, bias, stride, "same", dilation, groups)
        if sides is None:
            return CONV[n](x, weight, bias, stride, 0, dilation, groups)
        if mode == "zeros" and not isinstance(sides[0], tuple):
            return CONV[n](x, weight, bias, stride, sides, dilation, groups)
        pairs = [pair if isinstance(pair, tuple) else (pair, pair) for pair in sides]
        x = F.pad(x, flat(pairs), mode="constant" if mode == "zeros" else mode)
        return CONV[n](x, weight, bias, stride, 0, dilation, groups)

    case(name, f"Conv{n}d", forward, {"x": torch.randn(*size)}, params, config)


def transposed(case, name, size, channels, kernel, groups=1, bias=True, out=None, **options):
    n = len(kernel)
    stride, dilation = options.get("stride", (1,) * n), options.get("dilation", (1,) * n)
    padding, padding_out = options.get("padding", (0,) * n), options.get("padding_out", (0,) * n)
    params = {"weight": torch.randn(channels[0], channels[1] // groups, *kernel)}
    if bias:
        params["bias"] = torch.randn(channels[1])
    config = {"channels": list(channels), "kernel_size": one(kernel), "stride": one(stride), "dilation": one(dilation),
              "groups": groups, "padding": one(padding), "padding_out": one(padding_out), "bias": bias}
    layer = f"ConvTranspose{n}d"
    if out is not None:
        layer, config = layer + "WithSize", config | {"output_size": one(out)}

    def forward(x, p):
        x, weight, bias = x["x"], p["weight"], p.get("bias")
        if out is None:
            return TRANSPOSED[n](x, weight, bias, stride, padding, padding_out, groups, dilation)
        module = {1: torch.nn.ConvTranspose1d, 2: torch.nn.ConvTranspose2d, 3: torch.nn.ConvTranspose3d}[n]
        module = module(*channels, kernel, stride, padding, 0, groups, bias is not None, dilation)
        parameters = {"weight": weight} | ({} if bias is None else {"bias": bias})
        return torch.func.functional_call(module, parameters, (x, list(out)))

    case(name, layer, forward, {"x": torch.randn(*size)}, params, config)


def deform_conv2d(x, offset, weight, mask, bias, stride, padding, dilation, groups, offset_groups):
    """Deformable convolution by its definition; `grid_sample` is the bilinear interpolation with zeros outside."""
    batch, channels, height, width = x.shape
    outputs, _, rows, columns = weight.shape
    out_height, out_width = offset.shape[2:]
    offset = offset.reshape(batch, offset_groups, rows * columns, 2, out_height, out_width)
    y = torch.arange(out_height, dtype=x.dtype)[:, None] * stride[0] - padding[0]
    z = torch.arange(out_width, dtype=x.dtype)[None, :] * stride[1] - padding[1]
    samples = []
    for group in range(offset_groups):
        share = channels // offset_groups
        plane = x[:, group * share:(group + 1) * share]
        taps = []
        for k in range(rows * columns):
            down = y + (k // columns) * dilation[0] + offset[:, group, k, 0]
            across = z + (k % columns) * dilation[1] + offset[:, group, k, 1]
            grid = torch.stack([2 * across / (width - 1) - 1, 2 * down / (height - 1) - 1], dim=-1)
            tap = F.grid_sample(plane, grid, mode="bilinear", padding_mode="zeros", align_corners=True)
            if mask is not None:
                tap = tap * mask[:, group * rows * columns + k][:, None]
            taps.append(tap)
        samples.append(torch.stack(taps, dim=2))
    samples = torch.cat(samples, dim=1)
    samples = samples.reshape(batch, groups, channels // groups, rows * columns, out_height, out_width)
    weight = weight.reshape(groups, outputs // groups, channels // groups, rows * columns)
    result = torch.einsum("bgckhw,gock->bgohw", samples, weight).reshape(batch, outputs, out_height, out_width)
    return result if bias is None else result + bias[None, :, None, None]


def deform(case, name, size, channels, kernel, groups=1, offset_groups=1, bias=True, masked=False, **options):
    stride, dilation = options.get("stride", (1, 1)), options.get("dilation", (1, 1))
    padding = options.get("padding", (0, 0))
    out = [(size[2 + d] + 2 * padding[d] - dilation[d] * (kernel[d] - 1) - 1) // stride[d] + 1 for d in range(2)]
    count = offset_groups * kernel[0] * kernel[1]
    inputs = {"x": torch.randn(*size), "offset": torch.randn(size[0], 2 * count, *out)}
    if masked:
        inputs["mask"] = torch.rand(size[0], count, *out)
    params = {"weight": torch.randn(channels[1], channels[0] // groups, *kernel)}
    if bias:
        params["bias"] = torch.randn(channels[1])
    config = {"channels": list(channels), "kernel_size": list(kernel), "stride": list(stride),
              "dilation": list(dilation), "weight_groups": groups, "offset_groups": offset_groups,
              "padding": explicit(padding), "bias": bias}
    forward = lambda x, p: deform_conv2d(x["x"], x["offset"], p["weight"], x.get("mask"), p.get("bias"), stride,
                                         padding, dilation, groups, offset_groups)
    case(name, "DeformConv2d", forward, inputs, params, config)


def cases(case):
    conv(case, "conv1d", (2, 3, 11), (3, 4), (3,), stride=(2,), sides=(1,), dilation=(2,))
    conv(case, "conv1d_groups", (1, 4, 6), (4, 6), (2,), groups=2, bias=False)
    conv(case, "conv1d_same", (1, 2, 7), (2, 2), (4,), same=True)
    conv(case, "conv1d_asymmetric", (1, 2, 5), (2, 2), (3,), sides=((2, 0),))
    for mode in ["reflect", "replicate", "circular"]:
        conv(case, f"conv1d_{mode}", (1, 2, 6), (2, 2), (3,), sides=(2,), mode=mode)
        conv(case, f"conv2d_{mode}", (1, 1, 4, 5), (1, 2), (3, 2), sides=(1, 2), mode=mode)
    conv(case, "conv2d", (2, 3, 7, 8), (3, 4), (3, 2), stride=(2, 1), sides=(1, 2), dilation=(1, 2))
    conv(case, "conv2d_groups", (1, 4, 5, 4), (4, 6), (2, 3), groups=2, bias=False)
    conv(case, "conv2d_depthwise", (1, 3, 4, 4), (3, 6), (3, 3), groups=3, sides=(1, 1))
    conv(case, "conv2d_same", (1, 2, 5, 6), (2, 3), (2, 4), same=True, dilation=(2, 1))
    conv(case, "conv2d_asymmetric", (1, 2, 4, 4), (2, 2), (3, 3), sides=((0, 1), (2, 1)), stride=(2, 2))
    conv(case, "conv3d", (1, 2, 5, 6, 5), (2, 3), (3, 2, 2), stride=(2, 1, 2), sides=(1, 0, 1), dilation=(1, 2, 1))
    conv(case, "conv3d_groups", (1, 4, 3, 3, 4), (4, 2), (2, 2, 3), groups=2, bias=False)
    conv(case, "conv3d_same", (1, 1, 3, 4, 3), (1, 2), (2, 3, 1), same=True)
    conv(case, "conv3d_asymmetric", (1, 1, 3, 3, 3), (1, 2), (2, 2, 2), sides=((1, 0), (0, 0), (0, 2)))
    conv(case, "conv3d_circular", (1, 1, 3, 3, 4), (1, 2), (3, 2, 3), sides=(1, 0, 1), mode="circular")

    transposed(case, "conv_transpose1d", (2, 3, 5), (3, 4), (3,), stride=(2,), padding=(1,), padding_out=(1,))
    transposed(case, "conv_transpose1d_dilated", (1, 4, 4), (4, 2), (3,), groups=2, bias=False, dilation=(2,))
    transposed(case, "conv_transpose1d_size", (1, 2, 3), (2, 2), (2,), stride=(3,), out=(9,))
    # Output padding of at least the stride, but less than the dilation.
    transposed(case, "conv_transpose1d_wide", (1, 2, 4), (2, 2), (2,), stride=(1,), dilation=(3,), padding_out=(2,))
    transposed(case, "conv_transpose2d", (2, 2, 3, 4), (2, 3), (3, 2), stride=(2, 1), padding=(1, 0),
               padding_out=(1, 0), dilation=(1, 2))
    transposed(case, "conv_transpose2d_groups", (1, 4, 3, 3), (4, 6), (2, 3), groups=2, bias=False)
    transposed(case, "conv_transpose2d_size", (1, 2, 3, 3), (2, 1), (3, 3), stride=(2, 3), padding=(1, 1), out=(6, 8))
    transposed(case, "conv_transpose3d", (1, 2, 3, 2, 3), (2, 3), (2, 3, 2), stride=(2, 1, 2), padding=(0, 1, 1),
               padding_out=(1, 0, 1), dilation=(1, 1, 2))
    transposed(case, "conv_transpose3d_groups", (1, 2, 2, 2, 2), (2, 4), (2, 2, 2), groups=2, bias=False)
    transposed(case, "conv_transpose3d_size", (1, 1, 2, 2, 2), (1, 2), (2, 2, 2), stride=(2, 2, 3), out=(5, 4, 7))

    deform(case, "deform_conv2d", (2, 2, 5, 4), (2, 3), (3, 2), stride=(2, 1), padding=(1, 0), dilation=(1, 2))
    deform(case, "deform_conv2d_masked", (1, 4, 4, 5), (4, 4), (2, 2), groups=2, offset_groups=4, masked=True)
    deform(case, "deform_conv2d_without_bias", (1, 2, 4, 4), (2, 2), (2, 2), offset_groups=2, bias=False, padding=(1, 1))
