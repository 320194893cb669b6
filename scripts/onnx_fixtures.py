"""Writes the ONNX models that the tests of burn-onnx run, with inputs and the outputs of onnxruntime.

usage: onnx_fixtures.py FOLDER        (crates/burn-onnx/tests/models; needs torch, onnx, onnxruntime)

Each model is a folder: model.onnx, input_N.pb and output_N.pb, as the official test data of ONNX has them.
"""

import pathlib
import sys

import numpy
import onnx
import onnxruntime
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn


class ConvNet(nn.Module):
    """Convolutions with batch normalization, pooling, and linear layers: every layer has a counterpart in burn::nn."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 4, 3, padding=1)
        self.norm1 = nn.BatchNorm2d(4)
        self.conv2 = nn.Conv2d(4, 8, 3, stride=2, groups=2, bias=False)
        self.pool = nn.MaxPool2d(2)
        self.fc1 = nn.Linear(8 * 3 * 3, 16)
        self.fc2 = nn.Linear(16, 10)

    def forward(self, x):
        x = torch.relu(self.norm1(self.conv1(x)))
        x = self.pool(torch.relu(self.conv2(x)))
        x = torch.flatten(x, 1)
        x = torch.nn.functional.gelu(self.fc1(x))
        return torch.log_softmax(self.fc2(x), dim=1)


class Encoder(nn.Module):
    """An embedding and a transformer block, with a mask and sizes that are known only when it runs."""

    def __init__(self, size=16, heads=2):
        super().__init__()
        self.heads = heads
        self.tokens = nn.Embedding(20, size)
        self.positions = nn.Embedding(12, size)
        self.query, self.key, self.value = (nn.Linear(size, size) for _ in range(3))
        self.out = nn.Linear(size, size)
        self.norm1, self.norm2 = nn.LayerNorm(size), nn.LayerNorm(size)
        self.up, self.down = nn.Linear(size, 32), nn.Linear(32, size)

    def forward(self, ids, mask):
        batch, length = ids.shape
        places = torch.arange(length, device=ids.device).unsqueeze(0)
        x = self.tokens(ids) + self.positions(places)

        def split(y):
            return y.view(batch, length, self.heads, -1).transpose(1, 2)

        q, k, v = split(self.query(x)), split(self.key(x)), split(self.value(x))
        scores = q @ k.transpose(-1, -2) / (q.shape[-1] ** 0.5)
        scores = scores.masked_fill(mask[:, None, None, :] == 0, -1e9)
        y = (torch.softmax(scores, dim=-1) @ v).transpose(1, 2).reshape(batch, length, -1)
        x = self.norm1(x + self.out(y))
        return self.norm2(x + self.down(torch.nn.functional.gelu(self.up(x))))


def export(folder, name, module, inputs, names, axes):
    path = folder / name
    path.mkdir(parents=True, exist_ok=True)
    torch.onnx.export(
        module.eval(), inputs, str(path / "model.onnx"), input_names=names, output_names=["output"],
        dynamic_axes=axes, opset_version=17, dynamo=False,
        # Otherwise batch normalization is folded by the exporter.
        training=torch.onnx.TrainingMode.PRESERVE,
    )
    return path


def data(path, feeds):
    session = onnxruntime.InferenceSession(str(path / "model.onnx"), providers=["CPUExecutionProvider"])
    outputs = session.run(None, feeds)
    for place, value in enumerate(feeds.values()):
        (path / f"input_{place}.pb").write_bytes(numpy_helper.from_array(value).SerializeToString())
    for place, value in enumerate(outputs):
        (path / f"output_{place}.pb").write_bytes(numpy_helper.from_array(value).SerializeToString())


def shapes(folder):
    """Shape arithmetic: a reshape to sizes that are computed, a slice to half of a size, an expansion."""
    nodes = [
        helper.make_node("Shape", ["x"], ["shape"]),
        helper.make_node("Gather", ["shape", "zero"], ["batch"]),
        helper.make_node("Gather", ["shape", "one"], ["length"]),
        helper.make_node("Div", ["length", "two"], ["half"]),
        helper.make_node("Unsqueeze", ["batch", "axes"], ["batch_list"]),
        helper.make_node("Unsqueeze", ["half", "axes"], ["half_list"]),
        helper.make_node("Slice", ["x", "start", "half_list", "first"], ["front"]),
        helper.make_node("Concat", ["batch_list", "half_list", "rest"], ["sizes"], axis=0),
        helper.make_node("Reshape", ["front", "sizes"], ["split"]),
        helper.make_node("ReduceMean", ["split"], ["mean"], axes=[1], keepdims=0),
        helper.make_node("Expand", ["mean", "wide"], ["wider"]),
        helper.make_node("Mul", ["wider", "scale"], ["y"]),
        helper.make_node("Cast", ["length"], ["count"], to=TensorProto.FLOAT),
        helper.make_node("Div", ["y", "count"], ["z"]),
    ]
    ints = lambda name, values: numpy_helper.from_array(numpy.array(values, numpy.int64), name)
    constants = [
        ints("zero", 0), ints("one", 1), ints("two", 2), ints("axes", [0]), ints("start", [0]), ints("first", [1]),
        ints("rest", [2, -1]), ints("wide", [1, 1, 1, 1]),
        numpy_helper.from_array(numpy.array([[0.5, -1.0]], numpy.float32), "scale"),
    ]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", "length", 4])
    z = helper.make_tensor_value_info("z", TensorProto.FLOAT, None)
    graph = helper.make_graph(nodes, "shapes", [x], [z], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    path = folder / "shapes"
    path.mkdir(parents=True, exist_ok=True)
    onnx.save(model, str(path / "model.onnx"))
    return path


def control(folder):
    """A branch, loops and a scan: by data, by a count that is known only when it runs, and with a value that grows."""
    value = lambda name, kind=TensorProto.FLOAT, shape=None: helper.make_tensor_value_info(name, kind, shape)
    node = helper.make_node
    ints = lambda name, values: numpy_helper.from_array(numpy.array(values, numpy.int64), name)
    floats = lambda name, values: numpy_helper.from_array(numpy.array(values, numpy.float32), name)

    doubled = helper.make_graph([node("Mul", ["x", "double"], ["a"])], "doubled", [], [value("a", shape=[None, 3])])
    turned = helper.make_graph([node("Neg", ["x"], ["b"])], "turned", [], [value("b", shape=[None, 3])])
    # Up to `steps` times, while the sum is small: a matrix product, and the sum as a part of an output.
    step = helper.make_graph(
        [
            node("MatMul", ["in", "weight"], ["mixed"]),
            node("Cast", ["i"], ["number"], to=TensorProto.FLOAT),
            node("Add", ["mixed", "number"], ["moved"]),
            node("Add", ["moved", "x"], ["out"]),
            node("ReduceSum", ["out"], ["sum"], keepdims=0),
            node("Less", ["sum", "enough"], ["goes_on"]),
        ],
        "step",
        [value("i", TensorProto.INT64, []), value("goes_in", TensorProto.BOOL, []), value("in", shape=[None, 3])],
        [value("goes_on", TensorProto.BOOL, []), value("out", shape=[None, 3]), value("sum", shape=[])],
    )
    # Three times: the rows so far, and the first of them once more.
    grow = helper.make_graph(
        [
            node("Identity", ["grow_in"], ["grow_on"]),
            node("Slice", ["rows", "zeros", "ones", "zeros"], ["first_row"]),
            node("Concat", ["rows", "first_row"], ["more"], axis=0),
        ],
        "grow",
        [value("g", TensorProto.INT64, []), value("grow_in", TensorProto.BOOL, []), value("rows", shape=[None, 3])],
        [value("grow_on", TensorProto.BOOL, []), value("more", shape=[None, 3])],
    )
    running = helper.make_graph(
        [node("Add", ["so_far", "row"], ["total"]), node("Mul", ["total", "double"], ["scaled"])],
        "running", [value("so_far", shape=[3]), value("row", shape=[3])], [value("total", shape=[3]), value("scaled", shape=[3])],
    )
    nodes = [
        node("ReduceSum", ["x"], ["mass"], keepdims=0),
        node("Greater", ["mass", "nothing"], ["is_positive"]),
        node("If", ["is_positive"], ["start"], then_branch=doubled, else_branch=turned),
        node("Loop", ["steps", "", "start"], ["moved_all", "sums"], body=step),
        node("Loop", ["three", "", "moved_all"], ["grown"], body=grow),
        node("Scan", ["zero_row", "grown"], ["last", "totals"], body=running, num_scan_inputs=1),
        node("Add", ["totals", "last"], ["y"]),
    ]
    constants = [
        floats("double", 2), floats("nothing", 0), floats("enough", 80), floats("zero_row", [0, 0, 0]),
        floats("weight", [[0.5, -0.25, 1], [0.125, 1, 0], [1, 0.5, -0.5]]), ints("three", 3), ints("zeros", [0]), ints("ones", [1]),
    ]
    graph = helper.make_graph(
        nodes, "control", [value("x", shape=["rows", 3]), value("steps", TensorProto.INT64, [])],
        [value("y", shape=[None, 3]), value("sums", shape=[None])], constants,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    path = folder / "control"
    path.mkdir(parents=True, exist_ok=True)
    onnx.save(model, str(path / "model.onnx"))
    return path


def folding(folder):
    """Parameters that are arranged, scaled and joined before they are used: an LSTM, a weight with its norm as a parameter
    of its own, a table whose parts change places; and a bias that is used as it is."""
    numbers = numpy.random.default_rng(1)
    node = helper.make_node
    floats = lambda name, *shape: numpy_helper.from_array(numbers.standard_normal(shape, numpy.float32), name)
    ints = lambda name, *values: numpy_helper.from_array(numpy.array(values, numpy.int64), name)
    nodes = [
        node("LSTM", ["x", "lstm.input", "lstm.recurrent", "lstm.bias"], ["states"], hidden_size=3),
        node("Squeeze", ["states", "one"], ["sequence"]),
        node("ReduceL2", ["direction"], ["length"], axes=[1], keepdims=1),
        node("Div", ["direction", "length"], ["unit"]),
        node("Mul", ["unit", "gain"], ["scaled"]),
        node("Transpose", ["scaled"], ["turned"], perm=[1, 0]),
        node("MatMul", ["sequence", "turned"], ["wide"]),
        node("Slice", ["table", "zero", "two"], ["front"]),
        node("Slice", ["table", "two", "five"], ["back"]),
        node("Concat", ["back", "front"], ["mixed"], axis=0),
        node("MatMul", ["wide", "mixed"], ["narrow"]),
        node("Add", ["narrow", "out.bias"], ["y"]),
    ]
    constants = [
        floats("lstm.input", 1, 12, 4), floats("lstm.recurrent", 1, 12, 3), floats("lstm.bias", 1, 24),
        floats("direction", 5, 3), floats("gain", 5, 1), floats("table", 5, 2), floats("out.bias", 2),
        ints("zero", 0), ints("one", 1), ints("two", 2), ints("five", 5),
    ]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["steps", "batch", 4])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["steps", "batch", 2])
    graph = helper.make_graph(nodes, "folding", [x], [y], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    path = folder / "folding"
    path.mkdir(parents=True, exist_ok=True)
    onnx.save(model, str(path / "model.onnx"))
    return path


def main():
    folder = pathlib.Path(sys.argv[1])
    torch.manual_seed(0)
    numbers = numpy.random.default_rng(0)
    net = ConvNet()
    # Statistics of some data, so that the normalization does something.
    for _ in range(3):
        net(torch.randn(8, 1, 14, 14))
    image = torch.randn(2, 1, 14, 14)
    path = export(folder, "convnet", net, (image,), ["image"], {"image": {0: "batch"}, "output": {0: "batch"}})
    data(path, {"image": numbers.standard_normal((3, 1, 14, 14), numpy.float32)})
    ids, mask = torch.randint(0, 20, (2, 5)), torch.ones(2, 5, dtype=torch.int64)
    axes = {"ids": {0: "batch", 1: "length"}, "mask": {0: "batch", 1: "length"}, "output": {0: "batch", 1: "length"}}
    path = export(folder, "encoder", Encoder(), (ids, mask), ["ids", "mask"], axes)
    lengths = numpy.array([[7], [4], [2]])
    data(path, {"ids": numbers.integers(0, 20, (3, 7)), "mask": (numpy.arange(7) < lengths).astype(numpy.int64)})
    path = shapes(folder)
    data(path, {"x": numbers.standard_normal((2, 6, 4), numpy.float32)})
    path = control(folder)
    data(path, {"x": numpy.array([[1, -2, 3], [0.5, 4, -1]], numpy.float32), "steps": numpy.array(5)})
    path = folding(folder)
    data(path, {"x": numpy.random.default_rng(2).standard_normal((6, 2, 4), numpy.float32)})


main()
