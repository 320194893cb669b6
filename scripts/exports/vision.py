"""Image models as their papers describe them, with a width, so that the same code makes large and tiny ones."""

import torch
from torch import nn
from torch.nn import functional as F


def conv_norm(inputs, outputs, kernel=1, stride=1, groups=1, activation=None):
    layers = [nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False), nn.BatchNorm2d(outputs)]
    return nn.Sequential(*layers, *([activation()] if activation else []))


class ResidualBlock(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.first = conv_norm(inputs, outputs, 3, stride, activation=nn.ReLU)
        self.second = conv_norm(outputs, outputs, 3)
        changes = stride != 1 or inputs != outputs
        self.shortcut = conv_norm(inputs, outputs, 1, stride) if changes else nn.Identity()

    def forward(self, x):
        return F.relu(self.second(self.first(x)) + self.shortcut(x))


class ResNet18(nn.Module):
    """He et al. 2015."""

    def __init__(self, width=64, classes=1000):
        super().__init__()
        sizes = [width, width, 2 * width, 4 * width, 8 * width]
        self.stem = nn.Sequential(conv_norm(3, width, 7, 2, activation=nn.ReLU), nn.MaxPool2d(3, 2, 1))
        blocks = []
        for place, (inputs, outputs) in enumerate(zip(sizes, sizes[1:])):
            blocks += [ResidualBlock(inputs, outputs, 1 if place == 0 else 2), ResidualBlock(outputs, outputs, 1)]
        self.blocks = nn.Sequential(*blocks)
        self.pool, self.fc = nn.AdaptiveAvgPool2d(1), nn.Linear(sizes[-1], classes)

    def forward(self, x):
        return self.fc(torch.flatten(self.pool(self.blocks(self.stem(x))), 1))


class InvertedResidual(nn.Module):
    """A wide depthwise convolution between two narrow tensors; with `squeeze` its channels are weighted."""

    def __init__(self, inputs, outputs, kernel, stride, expansion, activation, squeeze=False):
        super().__init__()
        wide = inputs * expansion
        self.expand = conv_norm(inputs, wide, activation=activation) if expansion != 1 else nn.Identity()
        self.depthwise = conv_norm(wide, wide, kernel, stride, groups=wide, activation=activation)
        self.squeeze = SqueezeExcitation(wide, max(1, inputs // 4)) if squeeze else nn.Identity()
        self.project = conv_norm(wide, outputs)
        self.is_residual = stride == 1 and inputs == outputs

    def forward(self, x):
        y = self.project(self.squeeze(self.depthwise(self.expand(x))))
        return x + y if self.is_residual else y


class SqueezeExcitation(nn.Module):
    def __init__(self, channels, reduced):
        super().__init__()
        self.reduce, self.expand = nn.Conv2d(channels, reduced, 1), nn.Conv2d(reduced, channels, 1)

    def forward(self, x):
        scale = F.adaptive_avg_pool2d(x, 1)
        return x * torch.sigmoid(self.expand(F.silu(self.reduce(scale))))


def inverted_residuals(inputs, stages, width, activation, squeeze=False):
    blocks = []
    for expansion, channels, count, stride, kernel in stages:
        outputs = max(4, int(channels * width))
        for place in range(count):
            first = stride if place == 0 else 1
            blocks.append(InvertedResidual(inputs, outputs, kernel, first, expansion, activation, squeeze))
            inputs = outputs
    return nn.Sequential(*blocks), inputs


class MobileNetV2(nn.Module):
    """Sandler et al. 2018."""

    STAGES = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]

    def __init__(self, width=1.0, classes=1000):
        super().__init__()
        stem, last = max(4, int(32 * width)), max(8, int(1280 * width))
        self.stem = conv_norm(3, stem, 3, 2, activation=nn.ReLU6)
        stages = [(*stage, 3) for stage in self.STAGES]
        self.blocks, channels = inverted_residuals(stem, stages, width, nn.ReLU6)
        self.head = conv_norm(channels, last, activation=nn.ReLU6)
        self.classifier = nn.Sequential(nn.Dropout(0.2), nn.Linear(last, classes))

    def forward(self, x):
        return self.classifier(self.head(self.blocks(self.stem(x))).mean([2, 3]))


class EfficientNetB0(nn.Module):
    """Tan and Le 2019."""

    STAGES = [(1, 16, 1, 1, 3), (6, 24, 2, 2, 3), (6, 40, 2, 2, 5), (6, 80, 3, 2, 3), (6, 112, 3, 1, 5), (6, 192, 4, 2, 5), (6, 320, 1, 1, 3)]

    def __init__(self, width=1.0, classes=1000):
        super().__init__()
        stem, last = max(4, int(32 * width)), max(8, int(1280 * width))
        self.stem = conv_norm(3, stem, 3, 2, activation=nn.SiLU)
        self.blocks, channels = inverted_residuals(stem, self.STAGES, width, nn.SiLU, squeeze=True)
        self.head = conv_norm(channels, last, activation=nn.SiLU)
        self.pool, self.fc = nn.AdaptiveAvgPool2d(1), nn.Linear(last, classes)

    def forward(self, x):
        return self.fc(self.pool(self.head(self.blocks(self.stem(x)))).flatten(1))


class Fire(nn.Module):
    def __init__(self, inputs, squeezed, expanded):
        super().__init__()
        self.squeeze = nn.Conv2d(inputs, squeezed, 1)
        self.expand1, self.expand3 = nn.Conv2d(squeezed, expanded, 1), nn.Conv2d(squeezed, expanded, 3, padding=1)

    def forward(self, x):
        x = F.relu(self.squeeze(x))
        return torch.cat([F.relu(self.expand1(x)), F.relu(self.expand3(x))], 1)


class SqueezeNet(nn.Module):
    """Version 1.1 of Iandola et al. 2016."""

    def __init__(self, width=16, classes=1000):
        super().__init__()
        pool = lambda: nn.MaxPool2d(3, 2, ceil_mode=True)
        w = width
        fire = lambda inputs, squeezed: Fire(inputs, squeezed, 4 * squeezed)
        self.features = nn.Sequential(
            nn.Conv2d(3, 4 * w, 3, 2), nn.ReLU(), pool(), fire(4 * w, w), fire(8 * w, w), pool(), fire(8 * w, 2 * w),
            fire(16 * w, 2 * w), pool(), fire(16 * w, 3 * w), fire(24 * w, 3 * w), fire(24 * w, 4 * w), fire(32 * w, 4 * w),
        )
        self.classifier = nn.Sequential(nn.Dropout(), nn.Conv2d(32 * w, classes, 1), nn.ReLU(), nn.AdaptiveAvgPool2d(1))

    def forward(self, x):
        return torch.flatten(self.classifier(self.features(x)), 1)


class UNet(nn.Module):
    """Ronneberger et al. 2015 with padding; one way up is a transposed convolution, the other an interpolation."""

    def __init__(self, width=32, classes=3):
        super().__init__()
        pair = lambda a, b: nn.Sequential(conv_norm(a, b, 3, activation=nn.ReLU), conv_norm(b, b, 3, activation=nn.ReLU))
        self.down = nn.ModuleList([pair(3, width), pair(width, 2 * width), pair(2 * width, 4 * width)])
        self.up1 = nn.ConvTranspose2d(4 * width, 2 * width, 2, 2)
        self.mid = pair(4 * width, 2 * width)
        self.up2 = nn.Sequential(nn.Upsample(scale_factor=2, mode="bilinear", align_corners=False), nn.Conv2d(2 * width, width, 1))
        self.last = nn.Sequential(pair(2 * width, width), nn.Conv2d(width, classes, 1))

    def forward(self, x):
        a = self.down[0](x)
        b = self.down[1](F.max_pool2d(a, 2))
        c = self.down[2](F.max_pool2d(b, 2))
        y = self.mid(torch.cat([b, self.up1(c)], 1))
        return self.last(torch.cat([a, self.up2(y)], 1)).softmax(1)


class VisionTransformer(nn.Module):
    """Dosovitskiy et al. 2020: patches, a class token, pre-norm blocks."""

    def __init__(self, size=192, heads=3, layers=2, patch=16, image=224, classes=1000):
        super().__init__()
        self.patches = nn.Conv2d(3, size, patch, patch)
        self.token = nn.Parameter(torch.randn(1, 1, size))
        self.positions = nn.Parameter(torch.randn(1, (image // patch) ** 2 + 1, size) * 0.02)
        layer = lambda: nn.TransformerEncoderLayer(size, heads, 4 * size, 0.0, "gelu", batch_first=True, norm_first=True)
        self.layers = nn.ModuleList([layer() for _ in range(layers)])
        self.norm, self.head = nn.LayerNorm(size), nn.Linear(size, classes)

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], 1) + self.positions
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x)[:, 0])


class YoloHead(nn.Module):
    """The neck and head of a single-stage detector: pyramid pooling, two scales, boxes decoded on a grid."""

    def __init__(self, width=32, classes=20):
        super().__init__()
        conv = lambda a, b, kernel=1, stride=1: conv_norm(a, b, kernel, stride, activation=nn.SiLU)
        self.stem = nn.Sequential(conv(3, width, 3, 2), conv(width, 2 * width, 3, 2), conv(2 * width, 2 * width, 3, 2))
        self.down = conv(2 * width, 4 * width, 3, 2)
        self.reduce, self.merge = conv(4 * width, 2 * width), conv(8 * width, 4 * width)
        self.lateral, self.fused = conv(4 * width, 2 * width), conv(4 * width, 2 * width, 3)
        self.outputs = nn.ModuleList([nn.Conv2d(2 * width, 3 * (5 + classes), 1), nn.Conv2d(4 * width, 3 * (5 + classes), 1)])
        self.register_buffer("anchors", torch.rand(2, 1, 3, 1, 1, 2) * 50 + 10)

    def decode(self, y, place, stride):
        batch, _, height, width = y.shape
        y = y.view(batch, 3, -1, height, width).permute(0, 1, 3, 4, 2).sigmoid()
        rows, columns = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
        grid = torch.stack((columns, rows), 2).to(y.dtype).view(1, 1, height, width, 2)
        xy, wh, scores = y.split((2, 2, y.shape[-1] - 4), -1)
        xy, wh = (xy * 2 - 0.5 + grid) * stride, (wh * 2) ** 2 * self.anchors[place]
        return torch.cat((xy, wh, scores), -1).reshape(batch, 3 * height * width, -1)

    def forward(self, x):
        fine = self.stem(x)
        x = self.reduce(self.down(fine))
        pools = [x]
        for _ in range(3):
            pools.append(F.max_pool2d(pools[-1], 5, 1, 2))
        coarse = self.merge(torch.cat(pools, 1))
        fine = self.fused(torch.cat([F.interpolate(self.lateral(coarse), scale_factor=2.0, mode="nearest"), fine], 1))
        return torch.cat([self.decode(self.outputs[0](fine), 0, 8), self.decode(self.outputs[1](coarse), 1, 16)], 1)
