"""Exports well-known architectures with random weights by both ONNX exporters of PyTorch, with inputs and PyTorch's outputs.

usage: onnx_exports.py FOLDER [--tiny | --bench] [--light] [--only NAME] [--exporter torchscript|dynamo]     (needs torch, onnx, onnxscript, onnxruntime)

FOLDER gets `EXPORTER/NAME/model.onnx` and `EXPORTER/NAME/test_data_set_0/{input,output}_I.pb`, as the official test data of ONNX has
them. Sizes of batches and sequences differ from those of the export where they are dynamic. `--tiny` makes models of few channels:
those in crates/burn-onnx/tests/exports. `--light` adds the architectures of ONNX's own test data under `light/`: their weights are all
the same number, which hides mistakes, so they get random ones, and the outputs are those of onnxruntime. `--bench` makes the models of `cargo xtask bench --against onnxruntime`
under `bench/`: one image, or one sequence of 128 tokens.
"""

import argparse
import pathlib
import shutil
import warnings

import numpy
import onnx
import onnxruntime
import torch
from onnx import numpy_helper

from exports import language, vision


def image(batch, size):
    return (torch.randn(batch, 3, size, size),)


def ids(vocabulary, *shape):
    return torch.randint(0, vocabulary, shape)


def mask(*lengths):
    longest = max(lengths)
    return torch.stack([(torch.arange(longest) < length).to(torch.int64) for length in lengths])


def vision_case(make, size):
    """A model of images whose batch is dynamic: module, example, test inputs, names with dynamic dimensions, outputs."""
    return make(), image(2, size), image(3, size), {"image": {0: "batch"}}, ["output"]


BATCH_LENGTH = {0: "batch", 1: "length"}


def bert(vocabulary, **sizes):
    model = language.Bert(vocabulary=vocabulary, **sizes)
    inputs = lambda *lengths: (ids(vocabulary, len(lengths), max(lengths)), mask(*lengths), ids(2, len(lengths), max(lengths)))
    return model, inputs(7, 5), inputs(11, 4, 9), {name: BATCH_LENGTH for name in ("ids", "mask", "types")}, ["states", "pooled"]


def gpt2(vocabulary, **sizes):
    model = language.Gpt2(vocabulary=vocabulary, **sizes)
    return model, (ids(vocabulary, 2, 6),), (ids(vocabulary, 3, 9),), {"ids": BATCH_LENGTH}, ["logits", "present"]


def gpt2_cached(vocabulary, size=768, heads=12, layers=2, **sizes):
    model = language.Gpt2(size, heads, layers, vocabulary, **sizes)
    past = lambda batch, length: torch.randn(layers, 2, batch, heads, length, size // heads)
    dynamic = {"ids": BATCH_LENGTH, "past": {2: "batch", 4: "past"}}
    return model, (ids(vocabulary, 2, 3), past(2, 5)), (ids(vocabulary, 3, 2), past(3, 8)), dynamic, ["logits", "present"]


def llama(**sizes):
    model = language.LlamaLayer(**sizes)
    size = model.heads * model.width
    inputs = lambda batch, length: (torch.randn(batch, length, size), torch.arange(length).repeat(batch, 1))
    return model, inputs(2, 6), inputs(3, 10), {"x": BATCH_LENGTH, "positions": BATCH_LENGTH}, ["y"]


def tagger(vocabulary, **sizes):
    model = language.LstmTagger(vocabulary=vocabulary, **sizes)
    return model, (ids(vocabulary, 2, 6),), (ids(vocabulary, 2, 6),), {"ids": {}}, ["tags"]


CASES = {
    "resnet18": lambda: vision_case(vision.ResNet18, 224),
    "mobilenet_v2": lambda: vision_case(vision.MobileNetV2, 224),
    "efficientnet_b0": lambda: vision_case(vision.EfficientNetB0, 224),
    "squeezenet": lambda: vision_case(vision.SqueezeNet, 224),
    "unet": lambda: vision_case(vision.UNet, 96),
    "vit": lambda: vision_case(vision.VisionTransformer, 224),
    "yolo": lambda: vision_case(vision.YoloHead, 128),
    "bert": lambda: bert(2000),
    "gpt2": lambda: gpt2(2000),
    "gpt2_cached": lambda: gpt2_cached(2000),
    "llama": lambda: llama(),
    "lstm_tagger": lambda: tagger(500),
}

def minilm():
    """The sizes of all-MiniLM-L6-v2."""
    model = language.Bert(size=384, heads=12, layers=6, vocabulary=30522)
    inputs = lambda batch, length: (ids(30522, batch, length), mask(*[length] * batch), torch.zeros(batch, length, dtype=torch.int64))
    return model, inputs(2, 7), inputs(1, 128), {name: BATCH_LENGTH for name in ("ids", "mask", "types")}, ["states", "pooled"]


def gpt2_block():
    model = language.Gpt2(layers=1, vocabulary=2000)
    return model, (ids(2000, 2, 6),), (ids(2000, 1, 128),), {"ids": BATCH_LENGTH}, ["logits", "present"]


def bench_image(make):
    return make(), image(2, 224), image(1, 224), {"image": {0: "batch"}}, ["output"]


BENCH = {
    "resnet18": lambda: bench_image(vision.ResNet18),
    "mobilenet_v2": lambda: bench_image(vision.MobileNetV2),
    "minilm": minilm,
    "gpt2": gpt2_block,
}

TINY = {
    "resnet18": lambda: vision_case(lambda: vision.ResNet18(2, 10), 32),
    "mobilenet_v2": lambda: vision_case(lambda: vision.MobileNetV2(0.02, 10), 32),
    "efficientnet_b0": lambda: vision_case(lambda: vision.EfficientNetB0(0.01, 10), 32),
    "squeezenet": lambda: vision_case(lambda: vision.SqueezeNet(2, 10), 33),
    "unet": lambda: vision_case(lambda: vision.UNet(4), 12),
    "vit": lambda: vision_case(lambda: vision.VisionTransformer(16, 2, 2, 8, 24, 10), 24),
    "yolo": lambda: vision_case(lambda: vision.YoloHead(4, 3), 32),
    "bert": lambda: bert(30, size=16, heads=2, positions=16),
    "gpt2": lambda: gpt2(30, size=16, heads=2, positions=16),
    "gpt2_cached": lambda: gpt2_cached(30, size=16, heads=2, positions=16),
    "llama": lambda: llama(size=32, heads=4, shared=2),
    "lstm_tagger": lambda: tagger(20, size=8, hidden=12, tags=5),
}


def with_statistics(module):
    """Gives batch normalizations the statistics of some data, so that they do something."""
    for norm in module.modules():
        if isinstance(norm, torch.nn.BatchNorm2d):
            norm.running_mean.normal_(0.0, 0.2)
            norm.running_var.uniform_(0.5, 1.5)
            torch.nn.init.uniform_(norm.weight, 0.7, 1.3)
            torch.nn.init.normal_(norm.bias, 0.0, 0.1)
    return module.eval()


def export(exporter, path, module, example, dynamic, outputs):
    names = list(dynamic)
    if exporter == "torchscript":
        axes = {name: dims for name, dims in dynamic.items() if dims}
        torch.onnx.export(module, example, path, input_names=names, output_names=outputs, dynamic_axes=axes, opset_version=17, dynamo=False)
        return
    dims = tuple({place: torch.export.Dim.DYNAMIC for place in dims} for dims in dynamic.values())
    torch.onnx.export(
        module, example, path, input_names=names, output_names=outputs, dynamic_shapes=dims, dynamo=True, external_data=False, verbose=False
    )


def write(folder, kind, values):
    for place, value in enumerate(values):
        (folder / f"{kind}_{place}.pb").write_bytes(numpy_helper.from_array(value).SerializeToString())


def case(exporter, name, make, path):
    torch.manual_seed(0)
    module, example, inputs, dynamic, outputs = make()
    module = with_statistics(module)
    shutil.rmtree(path, ignore_errors=True)
    data = path / "test_data_set_0"
    data.mkdir(parents=True)
    model = str(path / "model.onnx")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        export(exporter, model, module, example, dynamic, outputs)
    strip(model)
    with torch.no_grad():
        expected = module(*inputs)
    expected = [value.numpy() for value in (expected if isinstance(expected, tuple) else (expected,))]
    feeds = {name: value.numpy() for name, value in zip(dynamic, inputs)}
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    errors = [
        float(numpy.abs(found - value).max() / max(numpy.abs(value).max(), 1e-3))
        for found, value in zip(session.run(None, feeds), expected)
    ]
    # An export that computes something else than PyTorch is none.
    assert max(errors) < 1e-4, (exporter, name, errors)
    write(data, "input", feeds.values())
    write(data, "output", expected)
    print(f"{exporter}/{name}: {pathlib.Path(model).stat().st_size} bytes, onnxruntime differs by {max(errors):.1e}", flush=True)


def light(source, folder):
    """A model of ONNX's test data, its weights `ConstantOfShape` nodes, with random weights."""
    numbers = numpy.random.default_rng(0)
    model = onnx.load(source)
    graph = model.graph
    constants = {initializer.name: numpy_helper.to_array(initializer) for initializer in graph.initializer}
    nodes = []
    for node in graph.node:
        if node.op_type != "ConstantOfShape":
            nodes.append(node)
            continue
        shape = tuple(constants[node.input[0]])
        graph.initializer.append(numpy_helper.from_array(random_weight(numbers, node.output[0], shape), node.output[0]))
    del graph.node[:]
    graph.node.extend(nodes)
    for initializer in graph.initializer:
        values = numpy_helper.to_array(initializer)
        if initializer.name in constants and values.dtype == numpy.float32 and values.ndim > 0:
            initializer.CopyFrom(numpy_helper.from_array(random_weight(numbers, initializer.name, values.shape), initializer.name))
    used = {name for node in graph.node for name in node.input}
    kept = [initializer for initializer in graph.initializer if initializer.name in used]
    del graph.initializer[:]
    graph.initializer.extend(kept)
    initializers = {initializer.name for initializer in kept}
    inputs = [value for value in graph.input if value.name in used and value.name not in initializers]
    del graph.input[:]
    graph.input.extend(inputs)
    model.ir_version = max(model.ir_version, 4)
    path = folder / "light" / source.stem.removeprefix("light_")
    data = path / "test_data_set_0"
    data.mkdir(parents=True, exist_ok=True)
    shapes = [[dim.dim_value for dim in value.type.tensor_type.shape.dim] for value in inputs]
    feeds = {value.name: numbers.standard_normal(shape, numpy.float32) for value, shape in zip(inputs, shapes)}
    calm(model, feeds)
    onnx.save(model, str(path / "model.onnx"))
    outputs = run(model, feeds)
    assert all(numpy.isfinite(value).all() and value.std() > 0 for value in outputs), source
    write(data, "input", feeds.values())
    write(data, "output", outputs)
    print(f"light/{path.name}", flush=True)


def run(model, feeds):
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, feeds)


def calm(model, feeds):
    """Scales the weights before a final softmax so that no class has all of the probability."""
    last = model.graph.node[-1]
    if last.op_type != "Softmax":
        return
    probe = onnx.ModelProto()
    probe.CopyFrom(model)
    probe.graph.output.append(onnx.helper.make_tensor_value_info(last.input[0], onnx.TensorProto.FLOAT, None))
    logits = run(probe, feeds)[-1]
    weighted = [node for node in model.graph.node if node.op_type in ("Gemm", "Conv")][-1]
    for initializer in model.graph.initializer:
        if initializer.name in weighted.input[1:]:
            values = (numpy_helper.to_array(initializer) / logits.std()).astype(numpy.float32)
            initializer.CopyFrom(numpy_helper.from_array(values, initializer.name))


def random_weight(numbers, name, shape):
    """Kernels and matrices keep the size of what they are applied to; vectors are factors or variances, which are positive."""
    if len(shape) < 2:
        return numbers.uniform(0.5, 1.5, shape).astype(numpy.float32)
    size = numpy.prod(shape[1:])
    return (numbers.standard_normal(shape) * numpy.sqrt(1.5 / size)).astype(numpy.float32)


def strip(path):
    """Removes the names of nodes, and the stack traces and paths that the exporters write into them."""
    model = onnx.load(path)
    for node in list(model.graph.node) + [node for function in model.functions for node in function.node]:
        del node.metadata_props[:]
        node.doc_string = ""
        node.name = ""
    for value in list(model.graph.value_info) + list(model.graph.input) + list(model.graph.output):
        del value.metadata_props[:]
    for initializer in model.graph.initializer:
        del initializer.metadata_props[:]
    del model.graph.metadata_props[:]
    del model.graph.value_info[:]
    onnx.save(model, path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--bench", action="store_true")
    parser.add_argument("--light", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--exporter", default="")
    options = parser.parse_args()
    torch.set_num_threads(2)
    if options.bench:
        for name, make in BENCH.items():
            case("torchscript", name, make, options.folder / "bench" / name)
        return
    for exporter in ("torchscript", "dynamo"):
        if options.exporter not in ("", exporter):
            continue
        for name, make in (TINY if options.tiny else CASES).items():
            if options.only in name:
                case(exporter, name, make, options.folder / exporter / name)
    if options.light:
        models = pathlib.Path(onnx.__file__).parent / "backend/test/data/light"
        for source in sorted(models.glob("*.onnx")):
            if options.only in source.stem:
                light(source, options.folder)


main()
