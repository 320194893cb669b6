"""Models: training steps with Adam, and inference.

An entry takes `wrap`, which is the identity or `torch.compile`, and returns the call that is timed.
"""

import torch
from torch import nn
from torch.nn import functional


def training(model, wrap, loss_of):
    """Forward, loss, backward, Adam."""
    # A tiny rate: a model that has learnt its data makes denormal numbers, which are slow everywhere.
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-6)
    wrapped = wrap(model)

    def run():
        loss = loss_of(wrapped)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    return run


def inference(model, wrap, *shape):
    x, wrapped = torch.randn(shape), wrap(model.eval())
    return torch.no_grad()(lambda: wrapped(x))


def mlp():
    return nn.Sequential(
        nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10)
    )


def mlp_step(wrap):
    model = mlp()
    images, targets = torch.randn(64, 784), torch.randint(0, 10, (64,))
    return training(model, wrap, lambda model: functional.cross_entropy(model(images), targets))


class Guide(nn.Module):
    """The network of the book's guide."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3)
        self.conv2 = nn.Conv2d(8, 16, 3)
        self.pool = nn.AdaptiveAvgPool2d(8)
        self.dropout = nn.Dropout(0.5)
        self.linear1 = nn.Linear(1024, 512)
        self.linear2 = nn.Linear(512, 10)

    def forward(self, images):
        x = self.dropout(self.conv1(images[:, None]))
        x = self.dropout(self.conv2(x)).relu()
        x = self.pool(x).flatten(1)
        return self.linear2(self.dropout(self.linear1(x)).relu())


def guide_step(wrap):
    def loss_of(model):
        images, targets = torch.randn(64, 28, 28), torch.randint(0, 10, (64,))
        return functional.cross_entropy(model(images), targets)

    return training(Guide(), wrap, loss_of)


def transformer():
    layer = nn.TransformerEncoderLayer(256, 8, 1024, dropout=0.0, batch_first=True)
    return nn.TransformerEncoder(layer, 4, enable_nested_tensor=False)


def transformer_step(wrap):
    x, targets = torch.randn(8, 128, 256), torch.randn(8, 128, 256)
    return training(transformer(), wrap, lambda model: functional.mse_loss(model(x), targets))


class CachedDecoderLayer(nn.TransformerDecoderLayer):
    """A layer that decodes a position with keys and values in memory that was allocated before."""

    def start(self, memory, length):
        self.keys, self.values = torch.empty(2, 1, 8, length, 32)
        _, key, value = self.multihead_attn.in_proj_weight.chunk(3)
        _, key_bias, value_bias = self.multihead_attn.in_proj_bias.chunk(3)
        self.memory_keys = self.heads(functional.linear(memory, key, key_bias))
        self.memory_values = self.heads(functional.linear(memory, value, value_bias))

    def heads(self, x):
        return x.unflatten(-1, (8, 32)).transpose(1, 2)

    def step(self, x, position):
        attend = functional.scaled_dot_product_attention
        own, other = self.self_attn, self.multihead_attn
        query, key, value = functional.linear(x, own.in_proj_weight, own.in_proj_bias).chunk(3, -1)
        self.keys[:, :, position : position + 1] = self.heads(key)
        self.values[:, :, position : position + 1] = self.heads(value)
        seen = slice(0, position + 1)
        y = attend(self.heads(query), self.keys[:, :, seen], self.values[:, :, seen])
        x = self.norm1(x + own.out_proj(y.transpose(1, 2).flatten(2)))
        query = functional.linear(x, other.in_proj_weight[:256], other.in_proj_bias[:256])
        y = attend(self.heads(query), self.memory_keys, self.memory_values)
        x = self.norm2(x + other.out_proj(y.transpose(1, 2).flatten(2)))
        return self.norm3(x + self.linear2(self.linear1(x).relu()))


def decoding():
    layers = [CachedDecoderLayer(256, 8, 1024, dropout=0.0, batch_first=True).eval() for _ in range(4)]
    token, memory = torch.randn(1, 1, 256), torch.randn(1, 128, 256)

    def run():
        for layer in layers:
            layer.start(memory, 128)
        for position in range(128):
            x = token
            for layer in layers:
                x = layer.step(x, position)

    return torch.inference_mode()(run)


def recurrent_step(layer):
    model = layer(128, 256, batch_first=True)
    x, leaves = torch.randn(32, 64, 128), list(model.parameters())
    return lambda: torch.autograd.grad(model(x)[0].sum(), leaves)


class Block(nn.Module):
    """Two convolutions and what goes around them (He et al. 2015)."""

    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(outputs)
        self.around = nn.Identity()
        if stride != 1 or inputs != outputs:
            self.around = nn.Sequential(
                nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs)
            )

    def forward(self, x):
        y = self.norm1(self.conv1(x)).relu()
        return (self.norm2(self.conv2(y)) + self.around(x)).relu()


def resnet18():
    stages = [(64, 64, 1), (64, 128, 2), (128, 256, 2), (256, 512, 2)]
    blocks = [
        block
        for inputs, outputs, stride in stages
        for block in (Block(inputs, outputs, stride), Block(outputs, outputs, 1))
    ]
    return nn.Sequential(
        nn.Conv2d(3, 64, 7, 2, padding=3, bias=False),
        nn.BatchNorm2d(64),
        nn.ReLU(),
        nn.MaxPool2d(3, 2, padding=1),
        *blocks,
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(512, 1000),
    )


def normed(inputs, outputs, kernel, stride):
    """A convolution and the norm of what it gives."""
    conv = nn.Conv2d(inputs, outputs, kernel, stride, padding=kernel // 2, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(outputs))


class Bottleneck(nn.Module):
    """A 3 x 3 convolution between two of 1 x 1, and what goes around them (He et al. 2015)."""

    def __init__(self, inputs, width, stride):
        super().__init__()
        self.reduce = normed(inputs, width, 1, 1)
        self.spatial = normed(width, width, 3, stride)
        self.expand = normed(width, 4 * width, 1, 1)
        changes = stride != 1 or inputs != 4 * width
        self.around = normed(inputs, 4 * width, 1, stride) if changes else nn.Identity()

    def forward(self, x):
        y = self.spatial(self.reduce(x).relu()).relu()
        return (self.expand(y) + self.around(x)).relu()


def resnet50():
    blocks, inputs = [], 64
    for width, count, stride in [(64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)]:
        for block in range(count):
            blocks.append(Bottleneck(inputs, width, stride if block == 0 else 1))
            inputs = 4 * width
    return nn.Sequential(
        normed(3, 64, 7, 2),
        nn.ReLU(),
        nn.MaxPool2d(3, 2, padding=1),
        *blocks,
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(2048, 1000),
    )


class ViT(nn.Module):
    """ViT-B/16 (Dosovitskiy et al. 2020)."""

    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(3, 768, 16, 16)
        self.cls = nn.Parameter(torch.randn(1, 1, 768))
        self.positions = nn.Parameter(torch.randn(1, 14 * 14 + 1, 768))
        layer = nn.TransformerEncoderLayer(
            768, 12, 3072, dropout=0.0, activation="gelu", batch_first=True, norm_first=True
        )
        self.encoder = nn.TransformerEncoder(layer, 12, nn.LayerNorm(768), enable_nested_tensor=False)
        self.head = nn.Linear(768, 1000)

    def forward(self, images):
        patches = self.patches(images).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.expand(len(images), -1, -1), patches], 1) + self.positions
        return self.head(self.encoder(x)[:, 0])


def image_step(model, batch, wrap):
    """A training step of images of 224 x 224 in 1000 classes."""
    images, targets = torch.randn(batch, 3, 224, 224), torch.randint(0, 1000, (batch,))
    return training(model, wrap, lambda model: functional.cross_entropy(model(images), targets))


def twice(inputs, outputs):
    """Two convolutions, each with a norm and an activation."""
    return nn.Sequential(
        normed(inputs, outputs, 3, 1), nn.ReLU(), normed(outputs, outputs, 3, 1), nn.ReLU()
    )


class UNet(nn.Module):
    """U-Net (Ronneberger et al. 2015) with batch norms, padded convolutions and 32 channels at the top."""

    def __init__(self):
        super().__init__()
        channels = [32, 64, 128, 256, 512]
        pairs = list(zip(channels[1:], channels))[::-1]
        self.down = nn.ModuleList(twice(*pair) for pair in zip([3, *channels], channels))
        self.pool = nn.MaxPool2d(2)
        self.up = nn.ModuleList(nn.ConvTranspose2d(below, above, 2, 2) for below, above in pairs)
        self.merge = nn.ModuleList(twice(below, above) for below, above in pairs)
        self.out = nn.Conv2d(32, 1, 1)

    def forward(self, x):
        skipped = []
        for level in self.down:
            x = level(self.pool(x) if skipped else x)
            skipped.append(x)
        skipped.pop()
        for up, merge in zip(self.up, self.merge):
            x = merge(torch.cat([skipped.pop(), up(x)], 1))
        return self.out(x)


def unet_step(wrap):
    x, targets = torch.randn(2, 3, 128, 128), torch.randn(2, 1, 128, 128)
    return training(UNet(), wrap, lambda model: functional.mse_loss(model(x), targets))


WORKLOADS = {
    "mlp step": mlp_step,
    "mlp inference": lambda wrap: inference(mlp(), wrap, 64, 784),
    "guide step": guide_step,
    "guide inference": lambda wrap: inference(Guide(), wrap, 64, 28, 28),
    "transformer step": transformer_step,
    "transformer inference": lambda wrap: inference(transformer(), wrap, 1, 128, 256),
    "decoder with caches": lambda wrap: decoding(),
    "lstm": lambda wrap: recurrent_step(nn.LSTM),
    "gru": lambda wrap: recurrent_step(nn.GRU),
    "resnet-50": lambda wrap: inference(resnet50(), wrap, 1, 3, 224, 224),
    "resnet-50 step": lambda wrap: image_step(resnet50(), 4, wrap),
    "vit-b/16": lambda wrap: inference(ViT(), wrap, 1, 3, 224, 224),
    "vit-b/16 step": lambda wrap: image_step(ViT(), 2, wrap),
    "u-net step": unet_step,
    "resnet-18": lambda wrap: inference(resnet18(), wrap, 1, 3, 224, 224),
}
