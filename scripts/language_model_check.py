"""Compares the greedy text and the perplexity of the program `burn-lm` with those of llama.cpp.

    cargo build --release -p burn-lm --features cli
    python scripts/language_model_check.py target/release/burn-lm MODEL.gguf [TEXT]

needs llama-cpp-python. Prints for each of ten prompts after how many of 200 tokens the texts differ; a first difference
is a failure unless llama.cpp's two best logits are within 1e-2 there.
"""

import subprocess
import sys

import numpy
from llama_cpp import Llama

PROMPTS = [
    "The capital of France is",
    "Once upon a time",
    "def fibonacci(n):\n",
    "The sun is",
    "Water boils at",
    "In 1969, astronauts",
    "Roses are red,",
    "The opposite of hot is",
    "My favourite book is",
    "Dear Sir or Madam,\n",
]
TOKENS = 200


def greedy(model, prompt):
    """Tokens of the greedy continuation, and the distance of the two best logits of each."""
    model.reset()
    model.eval(model.tokenize(prompt.encode(), add_bos=True, special=True))
    tokens, margins = [], []
    for _ in range(TOKENS):
        logits = numpy.array(model.scores[model.n_tokens - 1])
        second, best = numpy.argsort(logits)[-2:]
        if best == model.token_eos():
            break
        tokens.append(int(best))
        margins.append(float(logits[best] - logits[second]))
        model.eval([int(best)])
    return tokens, margins


def perplexity(model, text, window=512, most=20000):
    tokens = model.tokenize(text.encode(), add_bos=True, special=True)[:most]
    total, count = 0.0, 0
    for start in range(0, len(tokens), window):
        part = tokens[start : start + window]
        if len(part) < 2:
            continue
        model.reset()
        model.eval(part)
        logits = numpy.array(model.scores[: len(part) - 1], dtype=numpy.float64)
        largest = logits.max(axis=1, keepdims=True)
        normalizer = largest[:, 0] + numpy.log(numpy.exp(logits - largest).sum(axis=1))
        total += (normalizer - logits[numpy.arange(len(part) - 1), part[1:]]).sum()
        count += len(part) - 1
    return numpy.exp(total / count)


def main(program, path, text=None):
    model = Llama(path, n_ctx=1024, n_batch=512, logits_all=True, verbose=False)
    failures = 0
    for prompt in PROMPTS:
        command = [program, "run", path, "--prompt", prompt, "--max-tokens", str(TOKENS), "--context", "1024"]
        found = subprocess.run(command, capture_output=True, check=True).stdout.decode().removesuffix("\n")
        tokens, margins = greedy(model, prompt)
        expected = model.detokenize(tokens).decode(errors="replace")
        equal = next((i for i in range(len(tokens)) if not found.startswith(model.detokenize(tokens[: i + 1]).decode(errors="ignore"))), len(tokens))
        close = equal < len(tokens) and margins[equal] <= 1e-2
        failures += found != expected and not close
        note = "equal" if found == expected else f"differs after {equal} tokens, margin {margins[min(equal, len(margins) - 1)]:.4f}"
        print(f"{prompt!r}: {note}")
    if text:
        command = [program, "perplexity", path, text, "--window", "512", "--tokens", "20000"]
        print(subprocess.run(command, capture_output=True, check=True).stdout.decode().strip())
        print(f"llama.cpp: {perplexity(model, open(text).read()):.4f}")
    return failures


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
