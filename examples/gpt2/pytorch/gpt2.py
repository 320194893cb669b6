"""The same model and step in PyTorch, for times: `torch.compile`, flash attention, fused AdamW, autocast to bf16.

    python examples/gpt2/pytorch/gpt2.py --batch 16 --context 1024 --vocabulary 50304 --steps 30

On several GPUs, with `DistributedDataParallel`:

    python -m torch.distributed.run --nproc-per-node 2 examples/gpt2/pytorch/gpt2.py --steps 30

Sequences are random bytes of the text that examples/gpt2 trains on; the lines are those of its report.
"""

import argparse
import gzip
import math
import os
import statistics
import time
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel

TEXT = Path(__file__).parent.parent.parent / "text-generation/data/moby_dick.txt.gz"
SIZES = {"tiny": (4, 128, 4), "mini": (6, 384, 6), "124m": (12, 768, 12), "355m": (24, 1024, 16)}


class Block(nn.Module):
    def __init__(self, width: int, heads: int, layers: int):
        super().__init__()
        self.heads = heads
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.c_attn, self.attn_proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.c_fc, self.mlp_proj = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        for linear in (self.c_attn, self.attn_proj, self.c_fc, self.mlp_proj):
            std = 0.02 / math.sqrt(2 * layers) if linear in (self.attn_proj, self.mlp_proj) else 0.02
            nn.init.normal_(linear.weight, std=std)
            nn.init.zeros_(linear.bias)

    def forward(self, x):
        batch, length, width = x.shape
        heads = self.c_attn(self.ln_1(x)).split(width, dim=2)
        query, key, value = (h.view(batch, length, self.heads, -1).transpose(1, 2) for h in heads)
        context = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.attn_proj(context.transpose(1, 2).reshape(batch, length, width))
        return x + self.mlp_proj(F.gelu(self.c_fc(self.ln_2(x)), approximate="tanh"))


class Gpt2(nn.Module):
    def __init__(self, layers: int, width: int, heads: int, vocabulary: int, context: int):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(vocabulary, width), nn.Embedding(context, width)
        nn.init.normal_(self.wte.weight, std=0.02)
        nn.init.normal_(self.wpe.weight, std=0.02)
        self.blocks = nn.ModuleList(Block(width, heads, layers) for _ in range(layers))
        self.ln_f = nn.LayerNorm(width)

    def forward(self, tokens, following):
        positions = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.wte(tokens) + self.wpe(positions)
        for block in self.blocks:
            x = block(x)
        logits = F.linear(self.ln_f(x), self.wte.weight)
        return F.cross_entropy(logits.flatten(0, 1).float(), following.flatten())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", choices=SIZES, default="124m")
    parser.add_argument("--dtype", choices=["f32", "bf16"], default="bf16")
    parser.add_argument("--vocabulary", type=int, default=50304)
    parser.add_argument("--context", type=int, default=1024)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--accumulation", type=int, default=1)
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--learning-rate", type=float, default=6e-4)
    parser.add_argument("--warmup", type=int, default=20)
    parser.add_argument("--report-every", type=int, default=10)
    parser.add_argument("--peak-tflops", type=float)
    parser.add_argument("--eager", action="store_true")
    args = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    rank, ranks = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
    if ranks > 1:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
        dist.init_process_group("nccl", device_id=torch.device("cuda", torch.cuda.current_device()))
    torch.manual_seed(42)
    torch.set_float32_matmul_precision("high")
    layers, width, heads = SIZES[args.size]
    model = Gpt2(layers, width, heads, args.vocabulary, args.context).to(device)
    parameters = list(model.parameters())
    count = sum(p.numel() for p in parameters)
    say = print if rank == 0 else lambda line: None
    say(f"{count} parameters, vocabulary of {args.vocabulary}")
    groups = [
        {"params": [p for p in parameters if p.dim() == 2], "weight_decay": 0.1},
        {"params": [p for p in parameters if p.dim() == 1], "weight_decay": 0.0},
    ]
    fused = device == "cuda"
    optimizer = torch.optim.AdamW(groups, lr=args.learning_rate, betas=(0.9, 0.95), eps=1e-8, fused=fused)
    run = DistributedDataParallel(model, gradient_as_bucket_view=True) if ranks > 1 else model
    run = run if args.eager else torch.compile(run)
    torch.manual_seed(42 + rank)
    text = torch.frombuffer(bytearray(gzip.decompress(TEXT.read_bytes())), dtype=torch.uint8)
    weights = count - args.context * width
    flops = 6 * weights + 12 * layers * width * args.context
    tokens = args.batch * args.context * args.accumulation * ranks

    def batch():
        starts = torch.randint(len(text) - args.context, (args.batch,))
        rows = torch.stack([text[s : s + args.context + 1] for s in starts]).long().to(device)
        return rows[:, :-1], rows[:, 1:]

    def rate_at(step: int) -> float:
        if step < args.warmup:
            return args.learning_rate * (step + 1) / args.warmup
        progress = (step - args.warmup) / max(args.steps - args.warmup, 1)
        return args.learning_rate * (0.1 + 0.9 * 0.5 * (1 + math.cos(math.pi * progress)))

    synchronize = torch.cuda.synchronize if device == "cuda" else lambda: None
    times, begin, reported = [], time.perf_counter(), 0
    for step in range(args.steps):
        optimizer.zero_grad(set_to_none=True)
        for _ in range(args.accumulation):
            with torch.autocast(device, dtype=torch.bfloat16, enabled=args.dtype == "bf16"):
                loss = run(*batch()) / args.accumulation
            loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        for group in optimizer.param_groups:
            group["lr"] = rate_at(step)
        optimizer.step()
        if (step + 1) % args.report_every == 0 or step + 1 == args.steps:
            value = loss.item() * args.accumulation
            synchronize()
            seconds = (time.perf_counter() - begin) / (step + 1 - reported)
            times.append(seconds)
            line = f"step {step + 1}  loss {value:.4f}  lr {rate_at(step):.1e}  tokens/s {tokens / seconds:.0f}"
            line += f"  ms {seconds * 1e3:.1f}"
            if args.peak_tflops:
                line += f"  mfu {flops * tokens / ranks / seconds / args.peak_tflops / 1e12:.3f}"
            say(line)
            begin, reported = time.perf_counter(), step + 1
    # The first report has the compilation.
    median = statistics.median(times[1:] or times)
    say(f"median step {median * 1e3:.2f} ms, {tokens / median:.0f} tokens/s")
    if device == "cuda":
        say(f"device memory {torch.cuda.max_memory_reserved() / 2**30:.2f} GiB")
    if ranks > 1:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
