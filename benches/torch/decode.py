"""Decoding of one sequence by a Llama of 1.2 billion random weights in PyTorch: `torch.compile` with CUDA graphs and a static cache.

    python benches/torch/decode.py --prompt-tokens 512 --decode-tokens 128

Beside `burn-lm --device cuda --dtype bf16 bench --shape llama-1b`, which has the same sizes and prints the same figures.
"""

import argparse
import statistics
import time

import torch
import torch.nn.functional as F
from torch import nn

VOCABULARY, WIDTH, LAYERS, HEADS, KEY_HEADS, HIDDEN = 128_256, 2048, 16, 32, 8, 8192
HEAD = WIDTH // HEADS


def rotate(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    first, second = x.chunk(2, dim=-1)
    return x * cos + torch.cat([-second, first], dim=-1) * sin


class Block(nn.Module):
    def __init__(self, positions: int):
        super().__init__()
        self.attention_norm, self.mlp_norm = nn.RMSNorm(WIDTH, eps=1e-5), nn.RMSNorm(WIDTH, eps=1e-5)
        self.qkv = nn.Linear(WIDTH, (HEADS + 2 * KEY_HEADS) * HEAD, bias=False)
        self.out = nn.Linear(WIDTH, WIDTH, bias=False)
        self.gate, self.up = nn.Linear(WIDTH, HIDDEN, bias=False), nn.Linear(WIDTH, HIDDEN, bias=False)
        self.down = nn.Linear(HIDDEN, WIDTH, bias=False)
        for name in ("keys", "values"):
            self.register_buffer(name, torch.zeros(1, KEY_HEADS, positions, HEAD))

    def forward(self, x, cos, sin, places, mask):
        length = x.shape[1]
        heads = self.qkv(self.attention_norm(x)).view(1, length, HEADS + 2 * KEY_HEADS, HEAD).transpose(1, 2)
        query, key, value = heads.split([HEADS, KEY_HEADS, KEY_HEADS], dim=1)
        self.keys.index_copy_(2, places, rotate(key, cos, sin))
        self.values.index_copy_(2, places, value)
        context = F.scaled_dot_product_attention(
            rotate(query, cos, sin), self.keys, self.values, attn_mask=mask, enable_gqa=True
        )
        x = x + self.out(context.transpose(1, 2).reshape(1, length, WIDTH))
        y = self.mlp_norm(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Llama(nn.Module):
    def __init__(self, positions: int):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, WIDTH)
        self.blocks = nn.ModuleList(Block(positions) for _ in range(LAYERS))
        self.norm = nn.RMSNorm(WIDTH, eps=1e-5)
        angles = torch.outer(torch.arange(positions).float(), 10_000 ** (-torch.arange(0, HEAD, 2) / HEAD))
        for name, table in (("cos", angles.cos()), ("sin", angles.sin())):
            self.register_buffer(name, table.repeat(1, 2))
        self.register_buffer("causal", torch.ones(positions, positions, dtype=torch.bool).tril())

    def forward(self, tokens, places):
        x = self.embedding(tokens)
        cos, sin, mask = self.cos[places], self.sin[places], self.causal[places][None, None]
        for block in self.blocks:
            x = block(x, cos, sin, places, mask)
        return (self.norm(x[:, -1]) @ self.embedding.weight.T).argmax(-1, keepdim=True)


@torch.inference_mode()
def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--prompt-tokens", type=int, default=512)
    parser.add_argument("--decode-tokens", type=int, default=128)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--mode", default="max-autotune")
    args = parser.parse_args()
    length = args.prompt_tokens + args.decode_tokens
    positions = -(-length // 256) * 256
    torch.manual_seed(42)
    with torch.device("cuda"):
        model = Llama(positions).bfloat16()
    step = torch.compile(model, mode=args.mode, fullgraph=True)
    prefill = torch.compile(model, fullgraph=True, dynamic=False)
    prefills, decodes = [], []
    for round in range(args.repeat + 2):
        prompt = torch.tensor([[(7 + 31 * i + 1009 * round) % VOCABULARY for i in range(args.prompt_tokens)]]).cuda()
        places = torch.arange(args.prompt_tokens, device="cuda")
        torch.cuda.synchronize()
        start = time.perf_counter()
        token = prefill(prompt, places)
        torch.cuda.synchronize()
        prefills.append(args.prompt_tokens / (time.perf_counter() - start))
        start = time.perf_counter()
        for i in range(args.decode_tokens):
            place = torch.tensor([args.prompt_tokens + i], device="cuda")
            token = step(token.clone(), place)
            int(token)
        decodes.append(args.decode_tokens / (time.perf_counter() - start))
    # The first rounds compile.
    prefill_speed, decode_speed = (statistics.median(speeds[2:]) for speeds in (prefills, decodes))
    print(f"prefill of {args.prompt_tokens} tokens: {prefill_speed:.1f} tokens/s")
    print(f"decode of {args.decode_tokens} tokens after {args.prompt_tokens}: {decode_speed:.1f} tokens/s")
    read = 2 * sum(p.numel() for p in model.parameters())
    print(f"{read * decode_speed / 1e9:.0f} GB/s of weights")


if __name__ == "__main__":
    main()
