"""Tiny language models with random weights, and their logits by transformers in float32.

    python scripts/language_model_fixtures.py

writes `crates/burn-lm/tests/fixtures/`; needs torch, transformers, safetensors and gguf. Each folder has `config.json`,
`model.safetensors` and `logits.safetensors`: token ids `tokens`, and `logits` at the last three positions.
"""

import json
import shutil
from pathlib import Path

import numpy
import torch
import transformers
from safetensors.torch import save_file

FOLDER = Path(__file__).parent.parent / "crates/burn-lm/tests/fixtures"
VOCABULARY = 48
LENGTH = 22

SIZES = dict(
    vocab_size=VOCABULARY,
    hidden_size=16,
    intermediate_size=24,
    num_hidden_layers=2,
    num_attention_heads=4,
    num_key_value_heads=2,
    max_position_embeddings=64,
    bos_token_id=1,
    eos_token_id=2,
    pad_token_id=0,
)


def rope(**options):
    return dict(rope_parameters=dict(rope_theta=1000.0, **options))


def families():
    t = transformers
    yield "llama", t.LlamaConfig(**SIZES, attention_bias=True, mlp_bias=True)
    yield "llama-linear", t.LlamaConfig(**SIZES, **rope(rope_type="linear", factor=4.0))
    dynamic = {**SIZES, "max_position_embeddings": LENGTH}
    yield "llama-dynamic", t.LlamaConfig(**dynamic, **rope(rope_type="dynamic", factor=2.0))
    yarn = rope(rope_type="yarn", factor=4.0, original_max_position_embeddings=16)
    yield "llama-yarn", t.LlamaConfig(**SIZES, **yarn)
    llama3 = dict(low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=32)
    yield "llama-llama3", t.LlamaConfig(**SIZES, **rope(rope_type="llama3", factor=8.0, **llama3))
    yield "mistral", t.MistralConfig(**SIZES, sliding_window=5, tie_word_embeddings=False)
    yield "qwen2", t.Qwen2Config(**SIZES, use_sliding_window=True, sliding_window=6, max_window_layers=1)
    yield "qwen3", t.Qwen3Config(**SIZES, head_dim=8, tie_word_embeddings=True)
    yield "smollm3", t.SmolLM3Config(**{**SIZES, "num_hidden_layers": 4})
    yield "gemma", t.GemmaConfig(**SIZES, head_dim=8)
    caps = dict(attn_logit_softcapping=5.0, final_logit_softcapping=3.0)
    yield "gemma2", t.Gemma2Config(**SIZES, head_dim=8, sliding_window=5, query_pre_attn_scalar=12, **caps)
    sizes = {**SIZES, "num_hidden_layers": 3}
    layers = ["sliding_attention", "full_attention", "sliding_attention"]
    yield "gemma3", t.Gemma3TextConfig(**sizes, head_dim=8, sliding_window=5, layer_types=layers)
    yield "phi", t.PhiConfig(**SIZES, partial_rotary_factor=0.5)
    yield "phi3", t.Phi3Config(**SIZES, sliding_window=7)
    factors = dict(short_factor=[1.0, 1.5], long_factor=[2.0, 3.0], original_max_position_embeddings=32)
    long = {**SIZES, "original_max_position_embeddings": 32}
    yield "phi3-longrope", t.Phi3Config(**long, **rope(rope_type="longrope", **factors))
    yield "gpt2", t.GPT2Config(
        vocab_size=VOCABULARY, n_embd=16, n_layer=2, n_head=4, n_positions=64, bos_token_id=1, eos_token_id=2
    )


def write(name, config):
    torch.manual_seed(len(name))
    config._attn_implementation = "eager"
    model = transformers.AutoModelForCausalLM.from_config(config).float().eval()
    with torch.no_grad():
        # Larger than the initial weights, so that every part changes the logits.
        for parameter in model.parameters():
            parameter.copy_(torch.randn_like(parameter) * 0.3)
    folder = FOLDER / name
    shutil.rmtree(folder, ignore_errors=True)
    model.save_pretrained(folder)
    (folder / "generation_config.json").unlink(missing_ok=True)
    tokens = torch.randint(3, VOCABULARY, (1, LENGTH), generator=torch.Generator().manual_seed(7))
    with torch.no_grad():
        logits = model(tokens).logits[0, -3:]
    save_file({"tokens": tokens[0], "logits": logits.contiguous()}, folder / "logits.safetensors")
    config = json.loads((folder / "config.json").read_text())
    config.pop("transformers_version", None)
    (folder / "config.json").write_text(json.dumps(config, indent=1, sort_keys=True) + "\n")


CORPUS = """It is a truth universally acknowledged, that a single man in possession of a good fortune, must be in want of a wife.
However little known the feelings or views of such a man may be on his first entering a neighbourhood, this truth is so
well fixed in the minds of the surrounding families, that he is considered the rightful property of some one or other of
their daughters. "My dear Mr. Bennet," said his lady to him one day, "have you heard that Netherfield Park is let at
last?" Mr. Bennet replied that he had not. "But it is," returned she; "for Mrs. Long has just been here, and she told me
all about it." In 1813 there were 12 of them, and 3,456 more.
"""
TEXTS = [
    "It is a truth",
    " a  man\n\nof  fortune",
    "naïve façade – 東京 🙂!",
    "I'll say 12345 things; they've 3 more.",
    "",
    "<|user|>must be<|end|>",
    "\ttabs\r\nand lines\n",
]


def byte_level(folder):
    """A tokenizer of GPT-2's kind in a folder with a tiny model, and the same vocabulary in a GGUF file."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, processors, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    special = ["<|pad|>", "<|begin|>", "<|end|>", "<|user|>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=320, initial_alphabet=alphabet, special_tokens=special, show_progress=False)
    tokenizer.train_from_iterator(CORPUS.splitlines(keepends=True), trainer)
    begin = processors.TemplateProcessing(single="<|begin|> $A", special_tokens=[("<|begin|>", 1)])
    tokenizer.post_processor = begin
    tokenizer.save(str(folder / "tokenizer.json"), pretty=False)
    template = (
        "{{ bos_token }}{% for message in messages %}<|user|>{{ message['role'] }}: {{ message['content'].strip() }}"
        "<|end|>{% endfor %}{% if add_generation_prompt %}<|user|>assistant:{% endif %}"
    )
    options = dict(bos_token="<|begin|>", eos_token="<|end|>", chat_template=template)
    (folder / "tokenizer_config.json").write_text(json.dumps(options, indent=1) + "\n")
    encoded = [tokenizer.encode(text).ids for text in TEXTS]
    return tokenizer, template, dict(texts=TEXTS, tokens=encoded)


def sentence_piece(kind):
    """A SentencePiece model, its pieces, and its tokens."""
    import io

    import sentencepiece

    out = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(CORPUS.split("\n") * 4),
        model_writer=out,
        model_type=kind,
        vocab_size=420,
        byte_fallback=True,
        normalization_rule_name="identity",
        remove_extra_whitespaces=False,
        add_dummy_prefix=True,
        user_defined_symbols=["<|user|>"],
        control_symbols=["<|end|>"],
        hard_vocab_limit=False,
        minloglevel=2,
    )
    model = sentencepiece.SentencePieceProcessor(model_proto=out.getvalue())
    size = model.get_piece_size()
    types = [
        2 if model.is_unknown(i) else 3 if model.is_control(i) else 6 if model.is_byte(i) else 1 for i in range(size)
    ]
    types = [4 if model.id_to_piece(i) == "<|user|>" else types[i] for i in range(size)]
    texts = [text for text in TEXTS if "<|" not in text]
    pieces = dict(
        tokens=[model.id_to_piece(i) for i in range(size)],
        scores=[model.get_score(i) for i in range(size)],
        types=types,
    )
    return pieces, dict(texts=texts, tokens=[[1] + model.encode(text) for text in texts])


def vocabulary_file(path, kind, pieces, merges=None, template=None):
    """A GGUF file with a vocabulary and no tensors."""
    import gguf

    writer = gguf.GGUFWriter(path, "llama")
    add_vocabulary(writer, kind, pieces, merges, template)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def add_vocabulary(writer, kind, pieces, merges, template):
    writer.add_tokenizer_model(kind)
    writer.add_tokenizer_pre("gpt-2" if kind == "gpt2" else "default")
    writer.add_token_list(pieces["tokens"])
    if "scores" in pieces:
        writer.add_token_scores(pieces["scores"])
    writer.add_token_types(pieces["types"])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    writer.add_add_bos_token(True)
    if merges:
        writer.add_token_merges(merges)
    if template:
        writer.add_chat_template(template)


def permuted(weight, heads):
    """Rows of query or key in the order of GGUF files of Llama: pairs of a rotation are neighbours."""
    rows, columns = weight.shape
    return weight.reshape(heads, 2, rows // heads // 2, columns).swapaxes(1, 2).reshape(rows, columns)


GGUF_NAMES = {
    "input_layernorm": "attn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm",
    "post_attention_layernorm": "ffn_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}


def model_file(name, path, vocabulary=None, quantized=False):
    """The model of the folder `name` as GGUF in f32, or with its matrices in Q8_0."""
    import gguf
    from safetensors.numpy import load_file

    weights = load_file(FOLDER / name / "model.safetensors")
    config = json.loads((FOLDER / name / "config.json").read_text())
    gemma = config["model_type"].startswith("gemma3")
    names = dict(GGUF_NAMES)
    if gemma:
        names["post_attention_layernorm"] = "post_attention_norm"
        names["pre_feedforward_layernorm"] = "ffn_norm"
        names["post_feedforward_layernorm"] = "post_ffw_norm"
    architecture = "gemma3" if gemma else "llama"
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_head_count_kv(config["num_key_value_heads"])
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_key_length(config["head_dim"])
    writer.add_value_length(config["head_dim"])
    if gemma:
        writer.add_sliding_window(config["sliding_window"])
        writer.add_array("gemma3.attention.sliding_window_pattern", [True, False, True])
        writer.add_rope_freq_base(1e6)
        writer.add_float32("gemma3.attention.scale", config["query_pre_attn_scalar"] ** -0.5)
    else:
        writer.add_rope_freq_base(10000.0)
        writer.add_rope_dimension_count(config["head_dim"])
    if vocabulary:
        add_vocabulary(writer, *vocabulary)
    for key, weight in weights.items():
        plain = key.removeprefix("model.")
        if plain.startswith("layers."):
            _, layer, rest = plain.split(".", 2)
            module, kind = rest.rsplit(".", 1)
            target = f"blk.{layer}.{names[module]}.{kind}"
            if not gemma and module in ("self_attn.q_proj", "self_attn.k_proj"):
                heads = config["num_attention_heads" if "q_proj" in module else "num_key_value_heads"]
                weight = permuted(weight.reshape(len(weight), -1), heads).reshape(weight.shape)
        else:
            target = {
                "embed_tokens.weight": "token_embd.weight",
                "norm.weight": "output_norm.weight",
                "lm_head.weight": "output.weight",
            }[plain]
        if gemma and target.endswith("norm.weight"):
            weight = weight + 1
        weight = numpy.ascontiguousarray(weight, dtype=numpy.float32)
        if quantized and weight.ndim == 2:
            kind = gguf.GGMLQuantizationType.Q8_0
            writer.add_tensor(target, gguf.quantize(weight, kind), raw_dtype=kind)
        else:
            writer.add_tensor(target, weight)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def blocks():
    """A model in blocks of 32 elements: GGUF alone, with the logits of its dequantized matrices."""
    import gguf
    from safetensors.torch import load_file

    sizes = {**SIZES, "hidden_size": 32, "intermediate_size": 64, "num_attention_heads": 2, "tie_word_embeddings": True}
    write("blocks", transformers.LlamaConfig(**sizes))
    model_file("blocks", FOLDER / "blocks.gguf", quantized=True)
    model = transformers.AutoModelForCausalLM.from_pretrained(FOLDER / "blocks").float().eval()
    kind = gguf.GGMLQuantizationType.Q8_0
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim == 2:
                stored = gguf.quantize(parameter.numpy(), kind)
                parameter.copy_(torch.from_numpy(gguf.dequantize(stored, kind)))
        tokens = load_file(FOLDER / "blocks/logits.safetensors")["tokens"]
        logits = model(tokens[None]).logits[0, -3:]
    save_file({"tokens": tokens, "logits": logits.contiguous()}, FOLDER / "blocks.safetensors")
    shutil.rmtree(FOLDER / "blocks")


def tokenizers_and_files():
    chat = FOLDER / "chat"
    shutil.rmtree(chat, ignore_errors=True)
    torch.manual_seed(1)
    # A model of its own with the vocabulary of the byte-level tokenizer: generation, the engine and the server.
    config = transformers.LlamaConfig(**{**SIZES, "vocab_size": 320, "max_position_embeddings": 256})
    model = transformers.AutoModelForCausalLM.from_config(config).float().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(torch.randn_like(parameter) * 0.5)
    model.save_pretrained(chat)
    (chat / "generation_config.json").unlink(missing_ok=True)
    tokenizer, template, encodings = byte_level(chat)
    expected = dict(byte_level=encodings)
    prompt = torch.tensor([encodings["tokens"][0]])
    with torch.no_grad():
        greedy = model.generate(prompt, max_new_tokens=24, do_sample=False, eos_token_id=None, pad_token_id=0)
    expected["greedy"] = dict(prompt=prompt[0].tolist(), tokens=greedy[0, prompt.shape[1] :].tolist())
    messages = [dict(role="user", content=" Is it let? "), dict(role="assistant", content="It is.")]
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<|begin|>", eos_token="<|end|>")
    text = fast.apply_chat_template(messages, chat_template=template, tokenize=False, add_generation_prompt=True)
    expected["chat"] = dict(messages=messages, text=text)

    vocabulary = tokenizer.get_vocab()
    tokens = sorted(vocabulary, key=vocabulary.get)
    types = [3 if token in ("<|pad|>", "<|begin|>", "<|end|>", "<|user|>") else 1 for token in tokens]
    merges = json.loads(tokenizer.to_str())["model"]["merges"]
    pieces = dict(tokens=tokens, types=types)
    bytes_of = ("gpt2", pieces, [" ".join(merge) for merge in merges], template)
    model_file("chat", FOLDER / "chat.gguf", bytes_of)
    model_file("llama", FOLDER / "llama.gguf")
    model_file("gemma3", FOLDER / "gemma3.gguf")
    blocks()
    for kind, name in [("bpe", "llama"), ("unigram", "t5")]:
        pieces, encodings = sentence_piece(kind)
        vocabulary_file(FOLDER / f"{kind}.gguf", name, pieces)
        expected[kind] = encodings
    (FOLDER / "tokens.json").write_text(json.dumps(expected, ensure_ascii=True, indent=1) + "\n")


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, config in families():
        write(name, config)
        print(name)
    tokenizers_and_files()
