"""Models of sequences as their papers describe them, with sizes, so that the same code makes large and tiny ones."""

import math

import torch
from torch import nn
from torch.nn import functional as F


class SelfAttention(nn.Module):
    """Attention as BERT's first implementations wrote it: scores, a mask that is added, a softmax."""

    def __init__(self, size, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.out = (nn.Linear(size, size) for _ in range(4))

    def split(self, x):
        return x.view(x.shape[0], x.shape[1], self.heads, -1).permute(0, 2, 1, 3)

    def forward(self, x, mask):
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1]) + mask
        y = F.softmax(scores, dim=-1) @ v
        return self.out(y.permute(0, 2, 1, 3).reshape(x.shape))


class BertLayer(nn.Module):
    def __init__(self, size, heads):
        super().__init__()
        self.attention, self.norm1 = SelfAttention(size, heads), nn.LayerNorm(size, 1e-12)
        self.up, self.down, self.norm2 = nn.Linear(size, 4 * size), nn.Linear(4 * size, size), nn.LayerNorm(size, 1e-12)

    def forward(self, x, mask):
        x = self.norm1(x + self.attention(x, mask))
        return self.norm2(x + self.down(F.gelu(self.up(x))))


class Bert(nn.Module):
    """Devlin et al. 2019: hidden states and the pooled output."""

    def __init__(self, size=768, heads=12, layers=2, vocabulary=2000, positions=512):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(vocabulary, size), nn.Embedding(positions, size)
        self.types, self.norm = nn.Embedding(2, size), nn.LayerNorm(size, 1e-12)
        self.layers = nn.ModuleList([BertLayer(size, heads) for _ in range(layers)])
        self.pooler = nn.Linear(size, size)

    def forward(self, ids, mask, types):
        places = torch.arange(ids.shape[1], device=ids.device).unsqueeze(0)
        x = self.norm(self.tokens(ids) + self.positions(places) + self.types(types))
        mask = (1.0 - mask[:, None, None, :].to(x.dtype)) * torch.finfo(x.dtype).min
        for layer in self.layers:
            x = layer(x, mask)
        return x, torch.tanh(self.pooler(x[:, 0]))


class Gpt2Layer(nn.Module):
    def __init__(self, size, heads):
        super().__init__()
        self.heads, self.norm1, self.norm2 = heads, nn.LayerNorm(size), nn.LayerNorm(size)
        self.qkv, self.out = nn.Linear(size, 3 * size), nn.Linear(size, size)
        self.up, self.down = nn.Linear(size, 4 * size), nn.Linear(4 * size, size)

    def forward(self, x, past=None):
        batch, length, size = x.shape
        split = lambda y: y.view(batch, length, self.heads, size // self.heads).transpose(1, 2)
        q, k, v = (split(y) for y in self.qkv(self.norm1(x)).split(size, dim=2))
        if past is not None:
            k, v = torch.cat([past[0], k], dim=2), torch.cat([past[1], v], dim=2)
        scores = q @ k.transpose(-1, -2) / math.sqrt(size // self.heads)
        total = k.shape[2]
        causal = torch.ones(total, total, dtype=torch.bool, device=x.device).tril()[total - length:]
        scores = torch.where(causal, scores, torch.full((), torch.finfo(x.dtype).min))
        y = (torch.softmax(scores, -1) @ v).transpose(1, 2).reshape(batch, length, size)
        x = x + self.out(y)
        return x + self.down(F.gelu(self.up(self.norm2(x)), approximate="tanh")), torch.stack([k, v])


class Gpt2(nn.Module):
    """Radford et al. 2019: logits, and the keys and values of each layer."""

    def __init__(self, size=768, heads=12, layers=2, vocabulary=2000, positions=1024):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(vocabulary, size), nn.Embedding(positions, size)
        self.layers, self.norm = nn.ModuleList([Gpt2Layer(size, heads) for _ in range(layers)]), nn.LayerNorm(size)

    def forward(self, ids, past=None):
        start = 0 if past is None else past.shape[4]
        places = torch.arange(start, start + ids.shape[1], device=ids.device)
        x, present = self.tokens(ids) + self.positions(places), []
        for place, layer in enumerate(self.layers):
            x, pair = layer(x, None if past is None else past[place])
            present.append(pair)
        return self.norm(x) @ self.tokens.weight.T, torch.stack(present)


class RmsNorm(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(size) + 0.5)

    def forward(self, x):
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))


class LlamaLayer(nn.Module):
    """Touvron et al. 2023: rotary embeddings, heads that share keys and values, a gated hidden layer."""

    def __init__(self, size=256, heads=8, shared=2):
        super().__init__()
        self.heads, self.shared, self.width = heads, shared, size // heads
        linear = lambda a, b: nn.Linear(a, b, bias=False)
        self.norm1, self.norm2 = RmsNorm(size), RmsNorm(size)
        self.query, self.out = linear(size, size), linear(size, size)
        self.key, self.value = linear(size, shared * self.width), linear(size, shared * self.width)
        self.gate, self.up, self.down = linear(size, 3 * size), linear(size, 3 * size), linear(3 * size, size)
        frequencies = 10000.0 ** (-torch.arange(0, self.width, 2).float() / self.width)
        self.register_buffer("frequencies", frequencies)

    def rotate(self, x, cos, sin):
        half = self.width // 2
        turned = torch.cat([-x[..., half:], x[..., :half]], dim=-1)
        return x * cos + turned * sin

    def forward(self, x, positions):
        batch, length, size = x.shape
        angles = positions[:, :, None].to(x.dtype) * self.frequencies
        angles = torch.cat([angles, angles], -1).unsqueeze(1)
        cos, sin = angles.cos(), angles.sin()
        y = self.norm1(x)
        split = lambda z, heads: z.view(batch, length, heads, self.width).transpose(1, 2)
        q, k = (self.rotate(z, cos, sin) for z in (split(self.query(y), self.heads), split(self.key(y), self.shared)))
        repeat = lambda z: z[:, :, None].expand(-1, -1, self.heads // self.shared, -1, -1).reshape(batch, self.heads, length, self.width)
        y = F.scaled_dot_product_attention(q, repeat(k), repeat(split(self.value(y), self.shared)), is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(batch, length, size))
        y = self.norm2(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class LstmTagger(nn.Module):
    """A bidirectional LSTM of two layers with a class for each token (Huang et al. 2015)."""

    def __init__(self, size=64, hidden=96, vocabulary=500, tags=12):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, size)
        self.lstm = nn.LSTM(size, hidden, 2, batch_first=True, bidirectional=True)
        self.tags = nn.Linear(2 * hidden, tags)

    def forward(self, ids):
        return F.log_softmax(self.tags(self.lstm(self.tokens(ids))[0]), dim=-1)
