"""Writes models of one node for operators and options that the official test data of ONNX lacks, with what onnxruntime gives.

usage: onnx_operators.py        (from the root of the repository; needs onnx 1.22 and onnxruntime 1.31)

Each case is a folder in crates/burn-onnx/tests/operators: model.onnx, input_N.pb and output_N.pb, as in the official data.
"""

import pathlib
import shutil

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

FOLDER = pathlib.Path("crates/burn-onnx/tests/operators")
RANDOM = numpy.random.default_rng(20)
MICROSOFT = "com.microsoft"


def normal(*shape):
    return (RANDOM.standard_normal(shape) * 0.5).astype(numpy.float32)


def case(name, operator, inputs, outputs=1, domain="", opset=17, **attributes):
    """A model of one node. An input of None is missing; an output may be named or not wanted (an empty name)."""
    names = ["" if value is None else f"input_{place}" for place, value in enumerate(inputs)]
    results = outputs if isinstance(outputs, list) else [f"output_{place}" for place in range(outputs)]
    node = helper.make_node(operator, names, results, domain=domain, **attributes)
    given = [(own, value) for own, value in zip(names, inputs) if value is not None]
    opsets = [helper.make_opsetid("", opset)] + ([helper.make_opsetid(domain, 1)] if domain else [])
    write(name, [node], given, [own for own in results if own], opsets)


def model(name, nodes, inputs, opset=18):
    """A model of several nodes, whose outputs are those of the names `output_N`."""
    given = [(f"input_{place}", value) for place, value in enumerate(inputs)]
    wanted = [own for node in nodes for own in node.output if own.startswith("output_")]
    write(name, nodes, given, wanted, [helper.make_opsetid("", opset)])


def write(name, nodes, given, wanted, opsets):
    types = [
        helper.make_tensor_value_info(own, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
        for own, value in given
    ]
    graph = helper.make_graph(nodes, name, types, [onnx.ValueInfoProto(name=own) for own in wanted])
    model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    values = session.run(wanted, dict(given))
    # Types of outputs are those that came out.
    del graph.output[:]
    for own, value in zip(wanted, values):
        info = helper.make_tensor_value_info(own, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
        graph.output.append(info)
    model = helper.make_model(graph, opset_imports=opsets, ir_version=8, producer_name="onnx_operators.py")
    folder = FOLDER / name
    folder.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    for kind, entries in (("input", given), ("output", zip(wanted, values))):
        for place, (own, value) in enumerate(entries):
            data = numpy_helper.from_array(numpy.ascontiguousarray(value), own).SerializeToString()
            (folder / f"{kind}_{place}.pb").write_bytes(data)


def microsoft():
    x, skip, weight, bias = normal(2, 3, 8), normal(2, 3, 8), normal(8), normal(8)
    case("skip_layer_norm", "SkipLayerNormalization", [x, skip, weight, bias, normal(8)],
         ["y", "", "", "sum"], MICROSOFT, epsilon=1e-5)
    case("skip_rms_norm", "SkipSimplifiedLayerNormalization", [x, skip, weight], 1, MICROSOFT, epsilon=1e-5)
    case("fused_matmul", "FusedMatMul", [normal(2, 4, 3), normal(2, 5, 4)], 1, MICROSOFT,
         transA=1, transB=1, alpha=0.25)
    case("microsoft_gelu", "Gelu", [x], 1, MICROSOFT)
    case("fast_gelu", "FastGelu", [x, bias], 1, MICROSOFT)
    case("bias_gelu", "BiasGelu", [x, bias], 1, MICROSOFT)
    case("quick_gelu", "QuickGelu", [x], 1, MICROSOFT, alpha=1.5)
    ids = RANDOM.integers(0, 9, (2, 4)).astype(numpy.int32)
    segments = RANDOM.integers(0, 2, (2, 4)).astype(numpy.int32)
    mask = numpy.array([[1, 1, 1, 1], [1, 1, 0, 0]], numpy.int32)
    case("embed_layer_norm", "EmbedLayerNormalization",
         [ids, segments, normal(9, 8), normal(6, 8), normal(2, 8), normal(8), normal(8), mask], 2, MICROSOFT,
         epsilon=1e-5)
    inner = [normal(2, 4, 8), normal(8, 24), normal(24)]
    case("microsoft_attention", "Attention", inner, 1, MICROSOFT, num_heads=2)
    case("microsoft_attention_mask", "Attention", inner + [mask], 1, MICROSOFT, num_heads=2)
    case("microsoft_attention_causal_past", "Attention", inner + [None, normal(2, 2, 2, 3, 4)], 2, MICROSOFT,
         num_heads=2, unidirectional=1)
    case("multi_head_attention", "MultiHeadAttention",
         [normal(2, 4, 8), normal(2, 5, 8), normal(2, 5, 8), normal(24)], 1, MICROSOFT, num_heads=2)
    positions = numpy.array([[0, 1, 2], [3, 4, 5]], numpy.int64)
    case("microsoft_rotary", "RotaryEmbedding", [normal(2, 2, 3, 8), positions, normal(6, 4), normal(6, 4)], 1,
         MICROSOFT)
    case("microsoft_rotary_offset", "RotaryEmbedding",
         [normal(2, 3, 8), numpy.array([2], numpy.int64), normal(6, 4), normal(6, 4)], 1, MICROSOFT, interleaved=1)


def recurrent():
    x, lengths = normal(4, 2, 3), numpy.array([4, 2], numpy.int32)
    for operator, gates in (("RNN", 1), ("GRU", 3), ("LSTM", 4)):
        count = 3 if operator == "LSTM" else 2
        name = operator.lower()

        def parameters(directions):
            width = gates * 5
            return [normal(directions, width, 3), normal(directions, width, 5), normal(directions, 2 * width)]

        state = [normal(2, 2, 5)] * (2 if operator == "LSTM" else 1)
        case(f"{name}_bidirectional", operator, [x] + parameters(2) + [None] + state, count,
             hidden_size=5, direction="bidirectional")
        case(f"{name}_reverse", operator, [x] + parameters(1), count, hidden_size=5, direction="reverse")
        case(f"{name}_lengths", operator, [x] + parameters(2) + [lengths], count, hidden_size=5,
             direction="bidirectional")
        case(f"{name}_clip", operator, [x * 4] + parameters(1), count, hidden_size=5, clip=0.4)
    case("gru_linear_before_reset", "GRU",
         [x, normal(1, 15, 3), normal(1, 15, 5), normal(1, 30)], 2, hidden_size=5, linear_before_reset=1)
    case("rnn_relu", "RNN", [x, normal(1, 5, 3), normal(1, 5, 5), normal(1, 10)], 2, hidden_size=5,
         activations=["Relu"])
    case("lstm_activations", "LSTM", [x, normal(1, 20, 3), normal(1, 20, 5)], 3, hidden_size=5,
         activations=["HardSigmoid", "Softsign", "ScaledTanh"], activation_alpha=[0.3, 1.5],
         activation_beta=[0.4, 0.7])
    case("lstm_peepholes", "LSTM",
         [x, normal(1, 20, 3), normal(1, 20, 5), normal(1, 40), None, None, None, normal(1, 15)], 3, hidden_size=5)


def values():
    """Sequences and optionals between nodes; inputs and outputs are tensors."""
    node, value = helper.make_node, helper.make_tensor_value_info
    body = helper.make_graph(
        [node("Add", ["item", "shift"], ["moved"])], "body",
        [value("item", TensorProto.FLOAT, [2, 3]), value("shift", TensorProto.FLOAT, [3])],
        [value("moved", TensorProto.FLOAT, [2, 3])],
    )
    x, y, shift = normal(2, 3), normal(2, 3), normal(3)
    model("sequence_map", [
        node("SequenceConstruct", ["input_0", "input_1"], ["items"]),
        node("SequenceMap", ["items", "input_2"], ["mapped"], body=body),
        node("ConcatFromSequence", ["mapped"], ["output_0"], axis=1),
    ], [x, y, shift])
    model("optional", [
        node("Optional", ["input_0"], ["maybe"]),
        node("OptionalHasElement", ["maybe"], ["output_0"]),
        node("OptionalGetElement", ["maybe"], ["output_1"]),
    ], [x])


def others():
    boxes = numpy.array([[0, 0, 10, 10], [-2, 3, 9, 14], [5, 5, 5.5, 15]], numpy.float32)
    batch = numpy.array([0, 1, 1], numpy.int64)
    for opset in (10, 16):
        case(f"roi_align_adaptive_{opset}", "RoiAlign", [normal(2, 2, 12, 12), boxes, batch], 1, opset=opset,
             output_height=2, output_width=3, sampling_ratio=0, spatial_scale=0.7)
    case("einsum_three", "Einsum", [normal(2, 3, 4), normal(4, 5), normal(2, 5)], 1, equation="bij,jk,bk->bi")
    case("einsum_implied", "Einsum", [normal(2, 3), normal(3, 4)], 1, equation="ij,jk")
    case("einsum_ellipsis", "Einsum", [normal(2, 3, 4), normal(2, 4, 5)], 1, equation="...ij,...jk->...ik")
    case("unique_rows", "Unique", [RANDOM.integers(0, 2, (7, 3)).astype(numpy.float32)], 4, axis=0)
    case("edge_pad_negative", "Pad", [normal(4, 5), numpy.array([1, -1, 0, 2], numpy.int64)], 1, mode="edge")
    case("upsample_linear", "Upsample", [normal(1, 1, 3, 3), numpy.array([1, 1, 2, 3], numpy.float32)], 1, opset=9,
         mode="linear")
    case("gemm_vector", "Gemm", [normal(2, 3), normal(3, 4), normal(4)], 1, opset=7, alpha=0.5, beta=2.0)
    case("scaler", "Scaler", [normal(3, 2)], 1, "ai.onnx.ml", offset=[0.5, -1.0], scale=[2.0, 3.0])
    case("normalizer", "Normalizer", [normal(3, 4)], 1, "ai.onnx.ml", norm="L2")
    case("linear_regressor", "LinearRegressor", [normal(3, 4)], 1, "ai.onnx.ml", targets=2,
         coefficients=normal(8).tolist(), intercepts=[0.5, -0.25])
    missing = normal(3, 2)
    missing[1, 0] = numpy.nan
    case("imputer", "Imputer", [missing], 1, "ai.onnx.ml", imputed_value_floats=[1.0, 2.0],
         replaced_value_float=float("nan"))
    case("global_lp_pool", "GlobalLpPool", [normal(2, 3, 4, 5)], 1, p=3)
    case("simplified_layer_norm", "SimplifiedLayerNormalization", [normal(2, 3, 8), normal(8)], 1, epsilon=1e-5)
    case("feature_vectorizer", "FeatureVectorizer", [normal(3, 2), normal(3, 4)], 1, "ai.onnx.ml", inputdimensions=[2, 4])


if FOLDER.exists():
    shutil.rmtree(FOLDER)
for family in (microsoft, recurrent, others, values):
    family()
