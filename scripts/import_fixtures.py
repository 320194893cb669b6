"""Files of PyTorch, safetensors, NumPy and GGUF for the tests of `burn-import`, and what is in them.

    python scripts/import_fixtures.py

writes `crates/burn-import/tests/fixtures/`; needs torch, numpy, safetensors and gguf. Values of tensors are closed forms
(`wave`), so that a test need not keep them; outputs of layers, and numbers that gguf's reference dequantizes, are in
`expected.json`.
"""

import collections
import io
import json
import math
import pickle
import zipfile
from pathlib import Path

import gguf
import numpy
import torch
from safetensors.torch import save_file
from torch import nn

FOLDER = Path(__file__).parent.parent / "crates/burn-import/tests/fixtures"
EXPECTED = {}


def wave(*shape, start=0):
    """`cos(start), cos(start + 1), ..` in float64."""
    count = math.prod(shape)
    return torch.tensor([math.cos(start + k) for k in range(count)], dtype=torch.float64).reshape(shape)


def fill(module):
    """Every parameter and buffer of floats gets a wave of its own: the same in every run."""
    start = 0
    for name, tensor in module.state_dict().items():
        if not tensor.is_floating_point():
            continue
        values = wave(*tensor.shape, start=start) * 0.5
        tensor.copy_(values.abs() + 0.5 if name.endswith("running_var") else values)
        start += tensor.numel()
    return module.eval()


def save(name, value, legacy=False):
    torch.save(value, FOLDER / name, _use_new_zipfile_serialization=not legacy)


def tensor_json(tensor):
    return {"shape": list(tensor.shape), "values": [float(f"{x:.9g}") for x in tensor.detach().double().flatten().tolist()]}


class Convs(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(2, 2, (2, 2))
        self.conv2 = nn.Conv2d(2, 2, (2, 2), bias=False)


class Wrapped(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = Convs()


class Layers(nn.Module):
    """A layer of every family whose names or layouts differ."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 3)
        self.layer_norm = nn.LayerNorm(3)
        self.batch_norm = nn.BatchNorm1d(3)
        self.group_norm = nn.GroupNorm(2, 4)
        self.instance_norm = nn.InstanceNorm1d(3, affine=True)
        self.rms_norm = nn.RMSNorm(4, eps=1e-5)
        self.prelu = nn.PReLU(3)
        self.embedding = nn.Embedding(5, 4)
        self.conv = nn.Conv1d(4, 2, 3)
        self.conv_transpose = nn.ConvTranspose1d(2, 3, 2)
        self.lstm = nn.LSTM(4, 3, num_layers=2, batch_first=True)
        self.bi_lstm = nn.LSTM(4, 3, bidirectional=True, batch_first=True)
        self.gru = nn.GRU(4, 3, batch_first=True)
        self.bi_gru = nn.GRU(4, 2, num_layers=2, bidirectional=True, batch_first=True)
        self.rnn = nn.RNN(4, 3, batch_first=True)
        self.attention = nn.MultiheadAttention(4, 2, batch_first=True)
        self.cross = nn.MultiheadAttention(4, 2, kdim=3, vdim=5, batch_first=True)
        self.encoder = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(4, 2, 6, dropout=0.0, batch_first=True), 2, enable_nested_tensor=False)
        self.decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 6, dropout=0.0, batch_first=True), 1)

    def outputs(self):
        x = wave(2, 5, 4, start=100).float()  # [batch, time, features]
        channels = x.transpose(1, 2)  # [batch, channels, length]
        y = self.linear(x)
        memory = wave(2, 3, 4, start=7).float()
        return {
            "linear": y,
            "layer_norm": self.layer_norm(y),
            "batch_norm": self.batch_norm(y.transpose(1, 2)),
            "group_norm": self.group_norm(channels),
            "instance_norm": self.instance_norm(y.transpose(1, 2)),
            "rms_norm": self.rms_norm(x),
            "prelu": self.prelu(y.transpose(1, 2)),
            "embedding": self.embedding(torch.tensor([[0, 4], [2, 1]])),
            "conv": self.conv(channels),
            "conv_transpose": self.conv_transpose(self.conv(channels)),
            "lstm": self.lstm(x)[0],
            "bi_lstm": self.bi_lstm(x)[0],
            "gru": self.gru(x)[0],
            "bi_gru": self.bi_gru(x)[0],
            "rnn": self.rnn(x)[0],
            "attention": self.attention(x, x, x)[0],
            "encoder": self.encoder(x),
            "decoder": self.decoder(x, memory),
        }


def pytorch():
    convs = fill(Wrapped())
    save("convs.pt", convs.state_dict())
    save("convs_legacy.pt", convs.state_dict(), legacy=True)
    save("checkpoint.pt", {
        "epoch": 7,
        "my_state_dict": fill(Convs()).state_dict(),
        "nested": {"model": fill(Convs()).state_dict()},
        "optimizer": {"state": {0: {"exp_avg": torch.zeros(2), "step": torch.tensor(3.0)}}, "param_groups": [{"lr": 0.1}]},
        "config": {
            "n_heads": 4, "d_model": 2 ** 40, "dropout": 0.125, "bias": True, "name": "net", "sizes": [8, 16],
            "nested": {"scale": -1.5e-3, "shape": torch.Size([2, 3])}, "none": None, "epsilon": numpy.float64(1e-5),
        },
        "labels": collections.OrderedDict(a=1),
        "names": {"x", "y"},
    })
    # The indices of layers with parameters have gaps, and more than one digit.
    sequential = nn.Sequential(*[nn.Linear(2, 2) if k % 2 == 0 else nn.ReLU() for k in range(23)])
    save("sequential.pt", nn.ModuleDict({"fc": fill(sequential)}).state_dict())
    save("enum.pt", nn.ModuleDict({"conv": fill(nn.Conv2d(3, 2, (2, 2), bias=True)), "linear": fill(nn.Linear(3, 2))}).state_dict())

    floats = [torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.float8_e4m3fn, torch.float8_e5m2]
    ints = [torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.uint16, torch.uint32, torch.uint64]
    dtypes = {str(d).removeprefix("torch."): torch.tensor([0.5, -1.0, 2.0, 0.25]).to(d) for d in floats}
    for d in ints:
        info = torch.iinfo(d)
        dtypes[str(d).removeprefix("torch.")] = torch.tensor([0, 1, info.min, info.max], dtype=d)
    dtypes["bool"] = torch.tensor([True, False, False, True])
    dtypes["scalar"] = torch.tensor(2.5)
    dtypes["empty"] = torch.zeros(3, 0)
    save("dtypes.pt", dtypes)
    legacy = {name: dtypes[name] for name in ["float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool", "scalar", "empty"]}
    save("dtypes_legacy.pt", legacy, legacy=True)
    save_file(dtypes, FOLDER / "dtypes.safetensors")

    base = wave(4, 6).float()
    views = {
        "whole": base, "transposed": base.T, "slice": base[1:3, 2:5], "step": base[:, ::2], "expanded": base[0, :1].expand(3, 2),
        "permuted": wave(2, 3, 4).float().permute(2, 0, 1), "tied": base,
        "parameter": nn.Parameter(base[2]),
    }
    save("views.pt", views)
    save("views_legacy.pt", views, legacy=True)

    # The byte order is a file in the zip file.
    memory = io.BytesIO()
    torch.save({"w": torch.zeros(2)}, memory)
    with zipfile.ZipFile(memory) as old, zipfile.ZipFile(FOLDER / "big_endian.pt", "w") as new:
        for name in old.namelist():
            new.writestr(name, b"big" if name.endswith("byteorder") else old.read(name))
    system = {"protocol_version": 1001, "little_endian": False, "type_sizes": {"short": 2, "int": 4, "long": 4}}
    parts = [0x1950A86A20F9469CFC6C, 1001, system, {}, []]
    (FOLDER / "big_endian_legacy.pt").write_bytes(b"".join(pickle.dumps(part, protocol=2) for part in parts))

    layers = fill(Layers())
    save("layers.pt", layers.state_dict())
    state = {name: tensor.contiguous() for name, tensor in layers.state_dict().items()}
    save_file(state, FOLDER / "layers.safetensors", metadata={"format": "pt"})
    names = sorted(state)
    shards = [names[::2], names[1::2]]
    index = {"metadata": {"total_size": sum(t.nbytes for t in state.values())}, "weight_map": {}}
    for number, shard in enumerate(shards, 1):
        file = f"layers-{number:05}-of-00002.safetensors"
        save_file({name: state[name] for name in shard}, FOLDER / file, metadata={"format": "pt"})
        index["weight_map"].update({name: file for name in shard})
    (FOLDER / "layers.safetensors.index.json").write_text(json.dumps(index, indent=1))
    EXPECTED["layers"] = {name: tensor_json(y) for name, y in layers.outputs().items()}
    EXPECTED["layer_names"] = list(layers.state_dict())


def npz():
    arrays = {
        "f4": wave(3, 4).numpy().astype("f4"), "f8": wave(5).numpy(), "f2": wave(2, 2).numpy().astype("f2"),
        "i8": numpy.arange(-3, 3), "u1": numpy.array([[0, 255]], dtype="u1"), "b1": numpy.array([True, False]),
        "scalar": numpy.array(1.5), "empty": numpy.zeros((0, 3), dtype="f4"),
        "fortran": numpy.asfortranarray(wave(3, 4).numpy().astype("f4")), "big": wave(4).numpy().astype(">f8"),
    }
    numpy.savez(FOLDER / "arrays.npz", **arrays)
    numpy.savez_compressed(FOLDER / "arrays_compressed.npz", **arrays)
    numpy.save(FOLDER / "matrix.npy", arrays["f4"])
    numpy.save(FOLDER / "vector.npy", arrays["f8"])
    numpy.save(FOLDER / "flags.npy", numpy.array(True))
    numpy.save(FOLDER / "objects.npy", numpy.array([{}], dtype=object))


def quantized_blocks(kind, count):
    """Blocks of any bytes, whose half-precision scales are ordinary numbers."""
    size = gguf.GGML_QUANT_SIZES[kind][1]
    blocks = ((numpy.arange(count * size, dtype=numpy.int64) * 7919 + 131 * kind) % 251).astype(numpy.uint8).reshape(count, size)
    kinds = gguf.GGMLQuantizationType
    scales = {kinds.Q2_K: [80, 82], kinds.Q3_K: [108], kinds.Q4_K: [0, 2], kinds.Q5_K: [0, 2], kinds.Q6_K: [208],
              kinds.Q4_0: [0], kinds.Q4_1: [0, 2], kinds.Q5_0: [0], kinds.Q5_1: [0, 2], kinds.Q8_0: [0]}
    for row in range(count):
        for number, at in enumerate(scales[kind]):
            scale = numpy.float16(0.01 * (row + 1) * (-1) ** row + 0.003 * number)
            blocks[row, at:at + 2] = numpy.frombuffer(scale.tobytes(), dtype=numpy.uint8)
    return blocks


def gguf_file():
    kinds = gguf.GGMLQuantizationType
    writer = gguf.GGUFWriter(FOLDER / "tensors.gguf", "llama")
    writer.add_name("waves")
    writer.add_context_length(2048)
    writer.add_rope_freq_base(10000.0)
    writer.add_token_list(["<s>", "a", "\u00e9"])
    writer.add_token_scores([0.0, -1.5, 2.25])
    writer.add_add_bos_token(True)
    writer.add_int32("test.negative", -5)
    writer.add_tensor("f32", wave(3, 4).numpy().astype("f4"))
    writer.add_tensor("f16", wave(3, 4).numpy().astype("f2"))
    writer.add_tensor("i32", numpy.arange(-2, 4, dtype="i4").reshape(2, 3))
    bf16 = gguf.quants.quantize(wave(2, 4).numpy().astype("f4"), kinds.BF16)
    writer.add_tensor("bf16", bf16, raw_dtype=kinds.BF16)
    EXPECTED["gguf"] = {}
    for kind in [kinds.Q8_0, kinds.Q4_0, kinds.Q4_1, kinds.Q5_0, kinds.Q5_1, kinds.Q2_K, kinds.Q3_K, kinds.Q4_K, kinds.Q5_K, kinds.Q6_K]:
        blocks = quantized_blocks(kind, 4).reshape(2, -1)
        writer.add_tensor(kind.name.lower(), blocks, raw_dtype=kind)
        EXPECTED["gguf"][kind.name.lower()] = tensor_json(torch.tensor(gguf.quants.dequantize(blocks, kind)))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    with torch.no_grad():
        pytorch()
        npz()
        gguf_file()
    (FOLDER / "expected.json").write_text(json.dumps(EXPECTED) + "\n")


if __name__ == "__main__":
    main()
