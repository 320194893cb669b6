"""Compares the speed, the memory and the text of the program `burn-lm` with those of llama.cpp.

    CMAKE_ARGS=-DGGML_NATIVE=ON pip install --no-binary llama-cpp-python llama-cpp-python
    cargo build --release -p burn-lm --features cli
    python scripts/language_model_check.py target/release/burn-lm MODEL.gguf

Both programs have the same number of threads. Speed: rounds of the two alternate, each in a process of its own, and the
table has the medians. llama.cpp is called through its C functions, and its memory is what its process takes beyond
Python. Text: the greedy continuations of ten prompts, the log probabilities of the 20 most likely tokens as long as the
texts are equal, and the perplexity of the first 20,000 tokens of Moby Dick. The exit status is the number of prompts
whose texts first differ where llama.cpp's two best logits are further apart than 1e-2.
"""

import argparse
import collections
import ctypes
import gzip
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

import numpy

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
TEXT = pathlib.Path(__file__).parent.parent / "examples/text-generation/data/moby_dick.txt.gz"
WINDOW = 512
PROMPT_TOKENS, DECODE_TOKENS, SEQUENCES = 512, 64, 8
# Measurements of a process, by the number of sequences.
REPEAT = {1: 3, SEQUENCES: 1}


class Llama:
    """A model of llama.cpp with a context of `sequences` sequences."""

    def __init__(self, path, threads, positions, sequences=1):
        import llama_cpp

        self.api = llama_cpp
        quiet = llama_cpp.llama_log_callback(lambda *_: None)
        llama_cpp.llama_log_set(quiet, None)
        self.quiet = quiet
        llama_cpp.llama_backend_init()
        options = llama_cpp.llama_model_default_params()
        options.n_gpu_layers = 0
        self.model = llama_cpp.llama_model_load_from_file(path.encode(), options)
        options = llama_cpp.llama_context_default_params()
        options.n_ctx, options.n_batch, options.n_ubatch = positions * sequences, 512, 512
        options.n_seq_max, options.n_threads, options.n_threads_batch = sequences, threads, threads
        self.context = llama_cpp.llama_init_from_model(self.model, options)
        self.vocabulary = llama_cpp.llama_model_get_vocab(self.model)
        self.size = llama_cpp.llama_vocab_n_tokens(self.vocabulary)
        self.batch = llama_cpp.llama_batch_init(512, 0, 1)

    def clear(self):
        self.api.llama_memory_clear(self.api.llama_get_memory(self.context), True)

    def decode(self, rows, wanted):
        """Appends rows of token, position and sequence; logits are computed of the rows `wanted`."""
        batch = self.batch
        batch.n_tokens = len(rows)
        for i, (token, position, sequence) in enumerate(rows):
            batch.token[i], batch.pos[i] = token, position
            batch.n_seq_id[i], batch.seq_id[i][0] = 1, sequence
            batch.logits[i] = i in wanted
        if self.api.llama_decode(self.context, batch) != 0:
            sys.exit("llama_decode failed")

    def logits(self, row):
        pointer = self.api.llama_get_logits_ith(self.context, row)
        return numpy.ctypeslib.as_array(pointer, (self.size,))

    def tokenize(self, text):
        text = text.encode()
        tokens = (ctypes.c_int32 * (len(text) + 8))()
        count = self.api.llama_tokenize(self.vocabulary, text, len(text), tokens, len(tokens), True, True)
        return list(tokens[:count])

    def piece(self, token):
        buffer = ctypes.create_string_buffer(256)
        count = self.api.llama_token_to_piece(self.vocabulary, token, buffer, 256, 0, True)
        return buffer.raw[:count].decode(errors="replace")


def resident(field):
    """Bytes of a field of this process's status."""
    status = pathlib.Path("/proc/self/status").read_text()
    return int(re.search(rf"{field}:\s+(\d+) kB", status)[1]) * 1024


def measure_llama(path, threads, sequences):
    """Does what `burn-lm bench` does, and returns its figures."""
    import llama_cpp as _loaded

    before = resident("VmRSS")
    start = time.perf_counter()
    model = Llama(path, threads, PROMPT_TOKENS + DECODE_TOKENS, sequences)
    load = time.perf_counter() - start
    prefill, decode = [], []
    for round_ in range(REPEAT[sequences]):
        model.clear()
        tokens, seconds = [], 0.0
        for sequence in range(sequences):
            prompt = [(7 + 31 * i + 1009 * (sequence + round_)) % model.size for i in range(PROMPT_TOKENS)]
            rows = [(token, i, sequence) for i, token in enumerate(prompt)]
            start = time.perf_counter()
            model.decode(rows, {PROMPT_TOKENS - 1})
            tokens.append(int(model.logits(PROMPT_TOKENS - 1).argmax()))
            seconds += time.perf_counter() - start
        prefill.append(PROMPT_TOKENS * sequences / seconds)
        start = time.perf_counter()
        every = set(range(sequences))
        for position in range(PROMPT_TOKENS, PROMPT_TOKENS + DECODE_TOKENS):
            model.decode([(token, position, sequence) for sequence, token in enumerate(tokens)], every)
            tokens = [int(model.logits(row).argmax()) for row in range(sequences)]
        decode.append(DECODE_TOKENS * sequences / (time.perf_counter() - start))
    memory = resident("VmHWM") - before
    return {"load": load, "prefill": statistics.median(prefill), "decode": statistics.median(decode), "memory": memory}


def measure_burn(program, path, threads, sequences):
    command = [program, "bench", path, "--prompt-tokens", str(PROMPT_TOKENS), "--decode-tokens", str(DECODE_TOKENS)]
    command += ["--sequences", str(sequences), "--repeat", str(REPEAT[sequences])]
    environment = {**os.environ, "RAYON_NUM_THREADS": str(threads)}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{command} failed")
    load, prefill, decode = (float(x) for x in re.findall(r": ([\d.]+) ", output))
    return {"load": load, "prefill": prefill, "decode": decode, "memory": usage.ru_maxrss * 1024}


def busy_seconds():
    """Seconds that the processors have worked, for any process."""
    user, nice, system, _, _, irq, softirq = (int(x) for x in pathlib.Path("/proc/stat").read_text().split()[1:8])
    return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")


def own_seconds():
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def undisturbed(measure, tries):
    """Calls `measure` until other processes take less than a twentieth of a processor meanwhile, or gives up."""
    best, least = None, float("inf")
    for _ in range(tries):
        start, busy, own = time.perf_counter(), busy_seconds(), own_seconds()
        found = measure()
        others = (busy_seconds() - busy - (own_seconds() - own)) / (time.perf_counter() - start)
        if others < least:
            best, least = found, others
        if others < 0.05:
            break
    return {**best, "others": least}


def measured_apart(arguments):
    """Calls this script in a process of its own, whose output is JSON."""
    command = [sys.executable, __file__, *arguments]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def speed(options, sequences):
    """The medians of burn-lm and llama.cpp, whose rounds alternate."""
    program, path, threads = options.program, options.model, options.threads
    apart = ["--llama-speed", str(sequences), "--threads", str(threads), program, path]
    found = {"burn": [], "llama": []}
    for _ in range(options.rounds):
        found["burn"].append(undisturbed(lambda: measure_burn(program, path, threads, sequences), options.tries))
        found["llama"].append(undisturbed(lambda: measured_apart(apart), options.tries))
        print(sequences, "sequences:", {name: values[-1] for name, values in found.items()}, file=sys.stderr)
    return [{key: statistics.median(x[key] for x in found[name]) for key in found[name][0]} for name in found]


def greedy(model, prompt, at_once=True):
    """Tokens of the greedy continuation, and the logits of each. The prompt is computed at once or token by token."""
    model.clear()
    tokens = model.tokenize(prompt)
    rows = [(token, i, 0) for i, token in enumerate(tokens)]
    for part in [rows] if at_once else [[row] for row in rows]:
        model.decode(part, {len(part) - 1})
    last, chosen, logits = len(part) - 1, [], []
    for position in range(len(rows), len(rows) + TOKENS):
        logits.append(model.logits(last).copy())
        chosen.append(int(logits[-1].argmax()))
        model.decode([(chosen[-1], position, 0)], {0})
        last = 0
    return chosen, logits


def first_difference(a, b):
    return next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))


def margin(logits):
    second, best = numpy.partition(logits, -2)[-2:]
    return float(best - second)


def log_probs(logits):
    logits = logits.astype(numpy.float64)
    return logits - logits.max() - numpy.log(numpy.exp(logits - logits.max()).sum())


def perplexity(model, tokens):
    total, count = 0.0, 0
    for start in range(0, len(tokens), WINDOW):
        part = tokens[start : start + WINDOW]
        if len(part) < 2:
            continue
        model.clear()
        model.decode([(token, i, 0) for i, token in enumerate(part)], set(range(len(part) - 1)))
        for row, target in enumerate(part[1:]):
            logits = model.logits(row)
            largest = float(logits.max())
            total += largest + float(numpy.log(numpy.exp(logits - largest).sum(dtype=numpy.float64))) - float(logits[target])
        count += len(part) - 1
    return float(numpy.exp(total / count))


class Server:
    """`burn-lm serve`, asked over HTTP."""

    def __init__(self, program, path, threads):
        environment = {**os.environ, "RAYON_NUM_THREADS": str(threads)}
        command = [program, "serve", "--model", path, "--listen", "127.0.0.1:0", "--sequences", "1"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True)
        self.address = self.process.stdout.readline().strip()

    def complete(self, prompt):
        body = {"prompt": prompt, "max_tokens": TOKENS, "temperature": 0, "logprobs": 20}
        request = urllib.request.Request(
            f"{self.address}/v1/completions", json.dumps(body).encode(), {"content-type": "application/json"}
        )
        with urllib.request.urlopen(request) as response:
            return json.load(response)["choices"][0]["logprobs"]

    def close(self):
        self.process.terminate()
        self.process.wait()


def compare_texts(server, model):
    """Prints the first difference of each prompt, and returns how many are not by a close call."""
    pieces = [model.piece(token) for token in range(model.size)]
    counts = collections.Counter(pieces)
    numbers = {piece: token for token, piece in enumerate(pieces) if counts[piece] == 1}
    failures, after_prompts, of_llama = 0, [], []
    for prompt in PROMPTS:
        found = server.complete(prompt)
        tokens, logits = greedy(model, prompt)
        expected = [pieces[token] for token in tokens]
        equal = first_difference(found["tokens"], expected)
        distances = []
        for top, own in zip(found["top_logprobs"][: equal + 1], logits):
            exact = log_probs(own)
            distances.append(max(abs(value - exact[numbers[piece]]) for piece, value in top.items() if piece in numbers))
        after_prompts.append(distances[0])
        again, others = greedy(model, prompt, at_once=False)
        best = numpy.argpartition(logits[0], -20)[-20:]
        of_llama.append(numpy.abs(log_probs(logits[0])[best] - log_probs(others[0])[best]).max())
        own_difference = first_difference(again, tokens)
        own_note = "equal" if own_difference == TOKENS else f"differs after {own_difference}, margin {margin(logits[own_difference]):.4f}"
        note = "equal" if equal == len(expected) else f"differs after {equal}, margin {margin(logits[equal]):.4f}"
        failures += equal < len(expected) and margin(logits[equal]) > 1e-2
        print(f"{prompt!r}: {note}; log probabilities within {distances[0]:.4f} after the prompt, {max(distances):.4f} after all")
        print(f"    llama.cpp with the prompt token by token: {own_note}; within {of_llama[-1]:.4f} after the prompt")
    print(f"log probabilities after a prompt: within {max(after_prompts):.4f}; llama.cpp, prompt token by token: {max(of_llama):.4f}")
    return failures


def compare_perplexities(options, model):
    content, count = gzip.decompress(TEXT.read_bytes()).decode(), options.text_tokens
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(content)
        file.flush()
        command = [options.program, "perplexity", options.model, file.name, "--window", str(WINDOW), "--tokens", str(count)]
        environment = {**os.environ, "RAYON_NUM_THREADS": str(options.threads)}
        found = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True, env=environment).stdout
    expected = perplexity(model, model.tokenize(content)[:count])
    print(f"burn-lm: {found.strip()}\nllama.cpp: {expected:.4f}")


def text(options):
    model, failures = Llama(options.model, options.threads, 1024), 0
    if options.only != "perplexity":
        server = Server(options.program, options.model, options.threads)
        try:
            failures = compare_texts(server, model)
        finally:
            server.close()
    if options.only != "continuations":
        compare_perplexities(options, model)
    return failures


def table(one, many):
    (burn, llama), (burn_many, llama_many) = one, many
    ms = 1000.0
    rows = [
        ("load, s", burn["load"], llama["load"]),
        (f"prefill of {PROMPT_TOKENS} tokens, ms", PROMPT_TOKENS / burn["prefill"] * ms, PROMPT_TOKENS / llama["prefill"] * ms),
        (f"a token after {PROMPT_TOKENS}, ms", ms / burn["decode"], ms / llama["decode"]),
        (f"a token of each of {SEQUENCES} sequences, ms", SEQUENCES * ms / burn_many["decode"], SEQUENCES * ms / llama_many["decode"]),
        (f"tokens a second of {SEQUENCES} sequences over 1", burn_many["decode"] / burn["decode"], llama_many["decode"] / llama["decode"]),
        ("resident memory, MiB", burn["memory"] / 2**20, llama["memory"] / 2**20),
    ]
    print("| | `burn-lm` | llama.cpp | ratio |\n|---|---|---|---|")
    for name, ours, theirs in rows:
        print(f"| {name} | {ours:.2f} | {theirs:.2f} | {ours / theirs:.2f} |")
    others = max(x["others"] for x in (burn, llama, burn_many, llama_many))
    print(f"Other processes took {others:.2f} processors meanwhile, at most.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("model")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--tries", type=int, default=3, help="measurements of a program in a round, while others disturb it")
    parser.add_argument("--only", choices=["speed", "continuations", "perplexity"])
    parser.add_argument("--text-tokens", type=int, default=20_000, help="tokens of the text for the perplexity")
    parser.add_argument("--llama-speed", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.llama_speed:
        print(json.dumps(measure_llama(options.model, options.threads, options.llama_speed)))
        return 0
    if options.only in (None, "speed"):
        table(speed(options, 1), speed(options, SEQUENCES))
    return text(options) if options.only != "speed" else 0


if __name__ == "__main__":
    sys.exit(main())
