"""Compares the speed, the memory and the text of the program `burn-lm` with those of llama.cpp.

    CMAKE_ARGS=-DGGML_NATIVE=ON pip install --no-binary llama-cpp-python llama-cpp-python gguf
    cargo build --release -p burn-lm --features cli
    python scripts/language_model_check.py target/release/burn-lm MODEL.gguf

Both programs have the same number of threads. Speed: rounds of the two alternate, each in a process of its own, and the
table has the medians. llama.cpp is called through its C functions, and its memory is what its process takes beyond
Python. Text: the greedy continuations of ten prompts, the log probabilities of the 20 most likely tokens as long as the
texts are equal, and the perplexity of the first 20,000 tokens of Moby Dick.

Both programs round what they multiply with quantized weights to 8 bits, which turns the last bits of `f32` into visible
differences. `--only exact` compares them without: the weights become `f32` in a file of a temporary folder, and llama.cpp
has `f32` caches and no flash attention. `--only rounding` moves the `f32` weights of the file, those of its norms, by one
unit in their last place, and prints how far the log probabilities of each program move, with the blocks and without.

The exit status is the number of failures of `exact`: prompts whose texts first differ where llama.cpp's two best logits
are further apart than 1e-2, or after which log probabilities differ by more than 2e-2, and perplexities that differ by
more than 0.5 %. Without `exact` it is the number of the same failures with the blocks.
"""

import argparse
import collections
import ctypes
import gzip
import json
import os
import pathlib
import re
import shutil
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
    """A model of llama.cpp with a context of `sequences` sequences; `exact` rounds no keys and values to `f16`."""

    def __init__(self, path, threads, positions, sequences=1, exact=False):
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
        if exact:
            options.type_k = options.type_v = llama_cpp.GGML_TYPE_F32
            options.flash_attn_type = llama_cpp.LLAMA_FLASH_ATTN_TYPE_DISABLED
        self.context = llama_cpp.llama_init_from_model(self.model, options)
        self.vocabulary = llama_cpp.llama_model_get_vocab(self.model)
        self.size = llama_cpp.llama_vocab_n_tokens(self.vocabulary)
        self.batch = llama_cpp.llama_batch_init(512, 0, 1)

    def close(self):
        self.api.llama_free(self.context)
        self.api.llama_model_free(self.model)

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


def measure_burn(options, sequences):
    command = [options.program, "bench", options.model, "--cache-dtype", options.cache_dtype]
    command += ["--prompt-tokens", str(PROMPT_TOKENS), "--decode-tokens", str(DECODE_TOKENS)]
    command += ["--sequences", str(sequences), "--repeat", str(REPEAT[sequences])]
    environment = {**os.environ, "RAYON_NUM_THREADS": str(options.threads)}
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
    apart = ["--llama-speed", str(sequences), "--threads", str(options.threads), options.program, options.model]
    found = {"burn": [], "llama": []}
    for _ in range(options.rounds):
        found["burn"].append(undisturbed(lambda: measure_burn(options, sequences), options.tries))
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

    def complete(self, prompt, count=TOKENS):
        body = {"prompt": prompt, "max_tokens": count, "temperature": 0, "logprobs": 20}
        request = urllib.request.Request(
            f"{self.address}/v1/completions", json.dumps(body).encode(), {"content-type": "application/json"}
        )
        with urllib.request.urlopen(request) as response:
            return json.load(response)["choices"][0]["logprobs"]

    def close(self):
        self.process.terminate()
        self.process.wait()


def compare_with_itself(model, prompt, tokens, logits):
    """Prints how llama.cpp continues a prompt that it computes token by token; returns the difference after it."""
    again, others = greedy(model, prompt, at_once=False)
    moved = distance(log_probs(logits[0]), log_probs(others[0]))
    equal = first_difference(again, tokens)
    note = "equal" if equal == TOKENS else f"differs after {equal}, margin {margin(logits[equal]):.4f}"
    print(f"    llama.cpp with the prompt token by token: {note}; within {moved:.4f} after the prompt")
    return moved


def compare_texts(server, model, exact):
    """Prints the first difference of each prompt, and returns how many prompts fail."""
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
            theirs = log_probs(own)
            distances.append(max(abs(value - theirs[numbers[piece]]) for piece, value in top.items() if piece in numbers))
        after_prompts.append(distances[0])
        note = "equal" if equal == len(expected) else f"differs after {equal}, margin {margin(logits[equal]):.4f}"
        failures += distances[0] > 2e-2 or (equal < len(expected) and margin(logits[equal]) > 1e-2)
        print(f"{prompt!r}: {note}; log probabilities within {distances[0]:.4f} after the prompt, {max(distances):.4f} after all")
        if not exact:
            of_llama.append(compare_with_itself(model, prompt, tokens, logits))
    print(f"log probabilities after a prompt: within {max(after_prompts):.4f}")
    if of_llama:
        print(f"those of llama.cpp, prompt token by token: within {max(of_llama):.4f}")
    return failures


def compare_perplexities(options, path, model):
    """Prints both perplexities, and returns whether they differ by more than 0.5 %."""
    content, count = gzip.decompress(TEXT.read_bytes()).decode(), options.text_tokens
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(content)
        file.flush()
        command = [options.program, "perplexity", path, file.name, "--window", str(WINDOW), "--tokens", str(count)]
        environment = {**os.environ, "RAYON_NUM_THREADS": str(options.threads)}
        found = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True, env=environment).stdout
    expected = perplexity(model, model.tokenize(content)[:count])
    print(f"burn-lm: {found.strip()}\nllama.cpp: {expected:.4f}")
    return abs(float(found.split()[-1]) / expected - 1.0) > 5e-3


def write_dequantized(path, to):
    """Writes a GGUF file whose weights are `f32`."""
    import gguf

    source = gguf.GGUFReader(path)
    writer = gguf.GGUFWriter(to, source.fields["general.architecture"].contents())
    for name, field in source.fields.items():
        if not name.startswith("GGUF.") and name != "general.architecture":
            value = 0 if name == "general.file_type" else field.contents()
            element = field.types[-1] if field.types[0] == gguf.GGUFValueType.ARRAY else None
            writer.add_key_value(name, value, field.types[0], sub_type=element)
    for tensor in source.tensors:
        shape = [int(size) for size in reversed(tensor.shape)]
        writer.add_tensor(tensor.name, gguf.quants.dequantize(tensor.data, tensor.tensor_type).reshape(shape))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def write_nudged(path, to):
    """Writes a copy of a GGUF file whose vectors of `f32` are moved by one unit in their last place, up or down."""
    import gguf

    shutil.copy(path, to)
    directions = numpy.random.default_rng(7)
    for tensor in gguf.GGUFReader(to, "r+").tensors:
        if len(tensor.shape) == 1 and tensor.tensor_type == gguf.GGMLQuantizationType.F32:
            limits = numpy.where(directions.random(tensor.data.shape) < 0.5, -numpy.inf, numpy.inf)
            tensor.data[:] = numpy.nextafter(tensor.data, limits.astype(numpy.float32))
            tensor.data.flush()


def burn_after_prompts(options, path):
    """The log probabilities of `burn-lm` after each prompt, by the text of a token."""
    server = Server(options.program, path, options.threads)
    try:
        return [server.complete(prompt, 1)["top_logprobs"][0] for prompt in PROMPTS]
    finally:
        server.close()


def llama_after_prompts(options, path):
    """The log probabilities of llama.cpp after each prompt, by token."""
    model, found = Llama(path, options.threads, 64, exact=True), []
    for prompt in PROMPTS:
        model.clear()
        tokens = model.tokenize(prompt)
        model.decode([(token, i, 0) for i, token in enumerate(tokens)], {len(tokens) - 1})
        found.append(log_probs(model.logits(len(tokens) - 1)))
    model.close()
    return found


def distance(a, b):
    """The largest difference of the 20 most likely tokens; of texts, of those that both list."""
    if isinstance(a, dict):
        return max(abs(a[token] - b[token]) for token in a.keys() & b.keys())
    best = numpy.argpartition(a, -20)[-20:]
    return float(numpy.abs(a[best] - b[best]).max())


def compare_rounding(options, exact_path, folder):
    """Prints how far a last bit of the norms' weights moves the log probabilities."""
    for kind, path in (("blocks", options.model), ("f32", exact_path)):
        nudged = str(folder / "nudged.gguf")
        write_nudged(path, nudged)
        for name, after_prompts in (("burn-lm", burn_after_prompts), ("llama.cpp", llama_after_prompts)):
            pairs = zip(after_prompts(options, path), after_prompts(options, nudged))
            moved = [distance(before, after) for before, after in pairs]
            print(f"a last bit moves log probabilities of {name}, {kind}: median {statistics.median(moved):.5f}, at most {max(moved):.5f}")


def compare(options, path, wanted, exact):
    """Compares continuations and perplexities of a file, and returns the number of failures."""
    model, failures = Llama(path, options.threads, 1024, exact=exact), 0
    if "continuations" in wanted:
        server = Server(options.program, path, options.threads)
        try:
            failures = compare_texts(server, model, exact)
        finally:
            server.close()
    if "perplexity" in wanted:
        failures += compare_perplexities(options, path, model)
    model.close()
    return failures


def text(options):
    both, failures = ["continuations", "perplexity"], 0
    if options.only in [None, *both]:
        failures = compare(options, options.model, both if options.only is None else [options.only], exact=False)
    if options.only in [None, "exact", "rounding"]:
        with tempfile.TemporaryDirectory() as folder:
            exact_path = os.path.join(folder, "exact.gguf")
            write_dequantized(options.model, exact_path)
            if options.only != "rounding":
                print("Weights of f32, nothing rounded to fewer bits:")
                failures = compare(options, exact_path, both, exact=True)
            if options.only != "exact":
                compare_rounding(options, exact_path, pathlib.Path(folder))
    return int(failures)


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
    parser.add_argument("--cache-dtype", choices=["f32", "f16", "bf16"], default="f32", help="of the speed of burn-lm")
    parser.add_argument("--only", choices=["speed", "continuations", "perplexity", "exact", "rounding"])
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
