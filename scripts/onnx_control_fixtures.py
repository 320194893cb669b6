"""Writes the ONNX model of control flow that the tests of burn-onnx run again and again, with the outputs of onnxruntime.

usage: onnx_control_fixtures.py FOLDER        (crates/burn-onnx/tests/models; needs onnx, onnxruntime)

`voice` is built as detectors of speech are: an `If` on the sampling rate, an `If` on a shape whose branches have different ranks, and a
`Loop` that ends by its data. Its cases differ in the rate, in the shapes, and in the number of iterations.
"""

import pathlib
import sys

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper


def voice():
    """The level of a signal, halved until the sum over the batch is small, and a state to which it is added."""
    value = lambda name, kind=TensorProto.FLOAT, shape=None: helper.make_tensor_value_info(name, kind, shape)
    node = helper.make_node
    ints = lambda name, values: numpy_helper.from_array(numpy.array(values, numpy.int64), name)
    floats = lambda name, values: numpy_helper.from_array(numpy.array(values, numpy.float32), name)

    wide = helper.make_graph([node("Mul", ["power", "half"], ["wide_power"])], "wide", [], [value("wide_power")])
    narrow = helper.make_graph([node("Mul", ["power", "quarter"], ["narrow_power"])], "narrow", [], [value("narrow_power")])
    one = helper.make_graph([node("Squeeze", ["mean", "zeros"], ["one_mean"])], "one", [], [value("one_mean")])
    many = helper.make_graph([node("Identity", ["mean"], ["many_means"])], "many", [], [value("many_means")])
    halve = helper.make_graph(
        [
            node("Mul", ["level_in", "half"], ["halved"]),
            node("Add", ["halved", "bias"], ["level_out"]),
            node("ReduceSum", ["level_out"], ["sum"], keepdims=0),
            node("Greater", ["sum", "enough"], ["goes_on"]),
        ],
        "halve",
        [value("i", TensorProto.INT64, []), value("goes_in", TensorProto.BOOL, []), value("level_in", shape=[None])],
        [value("goes_on", TensorProto.BOOL, []), value("level_out", shape=[None]), value("halved", shape=[None])],
    )
    nodes = [
        node("Mul", ["input", "input"], ["power"]),
        node("Equal", ["sr", "rate"], ["is_wide"]),
        node("If", ["is_wide"], ["scaled"], then_branch=wide, else_branch=narrow),
        node("ReduceMean", ["scaled"], ["mean"], axes=[1], keepdims=1),
        node("Shape", ["mean"], ["shape"]),
        node("Gather", ["shape", "zero"], ["rows"]),
        node("Equal", ["rows", "single"], ["is_one"]),
        node("If", ["is_one"], ["means"], then_branch=one, else_branch=many),
        node("Reshape", ["means", "any"], ["level"]),
        node("Loop", ["most", "", "level"], ["speech", "halvings"], body=halve),
        node("Reshape", ["speech", "column"], ["added"]),
        node("Add", ["state", "added"], ["stateN"]),
    ]
    constants = [
        floats("half", 0.5), floats("quarter", 0.25), floats("bias", 0.01), floats("enough", 1), ints("rate", 16000), ints("zero", 0),
        ints("zeros", [0]), ints("single", 1), ints("any", [-1]), ints("column", [1, -1, 1]), ints("most", 40),
    ]
    inputs = [value("input", shape=["batch", "samples"]), value("state", shape=[2, "batch", 4]), value("sr", TensorProto.INT64, [])]
    outputs = [value("speech", shape=["batch"]), value("halvings", shape=[None, "batch"]), value("stateN", shape=[2, "batch", 4])]
    graph = helper.make_graph(nodes, "voice", inputs, outputs, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    return model


def main():
    path = pathlib.Path(sys.argv[1]) / "voice"
    path.mkdir(parents=True, exist_ok=True)
    onnx.save(voice(), str(path / "model.onnx"))
    session = onnxruntime.InferenceSession(str(path / "model.onnx"), providers=["CPUExecutionProvider"])
    numbers = numpy.random.default_rng(0)
    cases = [(1, 8, 16000, 1), (1, 8, 8000, 1), (1, 8, 16000, 9), (1, 8, 8000, 40), (2, 8, 16000, 3), (3, 5, 8000, 9)]
    for place, (batch, samples, rate, loudness) in enumerate(cases):
        feeds = {
            "input": loudness * numbers.standard_normal((batch, samples), numpy.float32),
            "state": numbers.standard_normal((2, batch, 4), numpy.float32),
            "sr": numpy.array(rate),
        }
        folder = path / f"case_{place}"
        folder.mkdir(exist_ok=True)
        for kind, values in [("input", feeds.values()), ("output", session.run(None, feeds))]:
            for number, array in enumerate(values):
                (folder / f"{kind}_{number}.pb").write_bytes(numpy_helper.from_array(array).SerializeToString())


main()
