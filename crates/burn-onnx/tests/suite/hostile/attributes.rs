use super::random::Random;
use burn_onnx::graph::{Attribute, Constant, GraphDefinition, NodeDefinition, ValueInfo, ValueType};
use burn_tensor::TensorData;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Integers, of which a type or a flag is one too.
const INTS: [&str; 62] = [
    "align_corners",
    "allowzero",
    "antialias",
    "axis",
    "batch_axis",
    "batch_dims",
    "block_size",
    "blocksize",
    "ceil_mode",
    "center_point_box",
    "count_include_pad",
    "dtype",
    "end",
    "exclude_outside",
    "exclusive",
    "fmod",
    "group",
    "ignore_index",
    "input_forget",
    "interleaved",
    "inverse",
    "is_causal",
    "k",
    "keepdims",
    "kv_num_heads",
    "largest",
    "layout",
    "linear_before_reset",
    "max_gram_length",
    "max_skip_count",
    "min_gram_length",
    "new_axis",
    "noop_with_empty_axes",
    "num_groups",
    "num_heads",
    "num_outputs",
    "num_scan_inputs",
    "onesided",
    "output_datatype",
    "output_dtype",
    "output_height",
    "output_width",
    "p",
    "periodic",
    "precision",
    "q_num_heads",
    "qk_matmul_output_mode",
    "replaced_value_int64",
    "reverse",
    "rotary_embedding_dim",
    "sampling_ratio",
    "select_last_index",
    "size",
    "softmax_precision",
    "sorted",
    "start",
    "storage_order",
    "targets",
    "time_axis",
    "to",
    "transA",
    "transB",
];

const FLOATS: [&str; 17] = [
    "alpha",
    "beta",
    "bias",
    "clip",
    "cubic_coeff_a",
    "epsilon",
    "extrapolation_value",
    "gamma",
    "lambd",
    "mask_filter_value",
    "momentum",
    "replaced_value_float",
    "scale",
    "softcap",
    "spatial_scale",
    "threshold",
    "value_float",
];

const LISTS: [&str; 26] = [
    "axes",
    "dilations",
    "directions",
    "ends",
    "imputed_value_int64s",
    "inputdimensions",
    "kernel_shape",
    "ngram_counts",
    "ngram_indexes",
    "output_padding",
    "output_shape",
    "paddings",
    "pads",
    "perm",
    "pool_int64s",
    "qkv_hidden_sizes",
    "scan_input_axes",
    "scan_input_directions",
    "scan_output_axes",
    "scan_output_directions",
    "shape",
    "split",
    "starts",
    "strides",
    "value_ints",
    "axes",
];

const FLOAT_LISTS: [&str; 9] = [
    "activation_alpha",
    "activation_beta",
    "coefficients",
    "imputed_value_floats",
    "intercepts",
    "offset",
    "scales",
    "value_floats",
    "weights",
];

const TEXTS: [(&str, &[&str]); 14] = [
    ("activation", &["none", "silu"]),
    ("approximate", &["none", "tanh"]),
    ("auto_pad", &["NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"]),
    (
        "coordinate_transformation_mode",
        &[
            "half_pixel",
            "pytorch_half_pixel",
            "align_corners",
            "asymmetric",
            "tf_crop_and_resize",
            "half_pixel_symmetric",
        ],
    ),
    ("direction", &["forward", "reverse", "bidirectional", "LEFT", "RIGHT"]),
    ("equation", &["ij,jk->ik", "...i,...j->...", "ii->i", "ij->", "abcd,abed->abce", "i,j,k", "iij,j->ji"]),
    ("keep_aspect_ratio_policy", &["stretch", "not_larger", "not_smaller"]),
    (
        "mode",
        &[
            "nearest", "linear", "bilinear", "cubic", "constant", "reflect", "edge", "wrap", "avg", "max",
            "DCR", "CRD", "TF", "IDF", "TFIDF", "circular",
        ],
    ),
    ("nearest_mode", &["floor", "ceil", "round_prefer_floor", "round_prefer_ceil"]),
    ("norm", &["MAX", "L1", "L2"]),
    ("padding_mode", &["zeros", "border", "reflection"]),
    ("post_transform", &["NONE", "LOGISTIC", "SOFTMAX"]),
    ("reduction", &["none", "add", "mul", "min", "max", "sum", "mean"]),
    ("update_rule", &["linear", "gated", "delta", "gated_delta"]),
];

const HOSTILE_INTS: [i64; 10] =
    [i64::MAX, i64::MIN, -1, -2, 1 << 31, 1 << 32, 1 << 40, -(1 << 40), i64::MAX - 1, 3_037_000_500];

pub fn int(random: &mut Random, wild: usize) -> i64 {
    if random.chance(wild) { random.pick(&HOSTILE_INTS) } else { random.pick(&[0, 1, 1, 2, 2, 3, 4, -1]) }
}

pub fn float(random: &mut Random, wild: usize) -> f32 {
    let hostile = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e-40, 1e30, -1e30, 0.0];
    if random.chance(wild) { random.pick(&hostile) } else { random.pick(&[0.5, 1.0, 2.0, 0.25, -0.5, 1e-5]) }
}

/// A graph that passes on some of its inputs.
fn graph(random: &mut Random) -> Attribute {
    let count = random.below(5);
    let info = |name: String| ValueInfo { name, value_type: ValueType::Undeclared };
    let outputs = (0..random.below(5))
        .map(|place| info(format!("in{}", if count == 0 { place } else { place % count })));
    let node = NodeDefinition {
        name: "inner".into(),
        operator: "Identity".into(),
        domain: String::new(),
        inputs: vec!["x0".into()],
        outputs: vec!["outer".into()],
        attributes: BTreeMap::new(),
    };
    Attribute::Graph(Arc::new(GraphDefinition {
        outputs: outputs.collect(),
        nodes: if random.chance(50) { vec![node] } else { Vec::new() },
        inputs: (0..count).map(|place| info(format!("in{place}"))).collect(),
        ..GraphDefinition::default()
    }))
}

/// About `given` percent of all attributes that operators know; `wild` percent of their values do not fit.
pub fn attributes(random: &mut Random, wild: usize, given: usize) -> BTreeMap<String, Attribute> {
    let mut all = BTreeMap::new();
    let mut put = |name: &str, value: Attribute| drop(all.insert(name.to_string(), value));
    for name in INTS {
        if random.chance(given) {
            put(name, Attribute::Int(int(random, wild)));
        }
    }
    for name in FLOATS {
        if random.chance(given) {
            put(name, Attribute::Float(float(random, wild)));
        }
    }
    let rank = random.below(5);
    for name in LISTS {
        if random.chance(given) {
            let length = if random.chance(70) { rank } else { random.below(9) };
            put(name, Attribute::Ints((0..length).map(|_| int(random, wild)).collect()));
        }
    }
    for name in FLOAT_LISTS {
        if random.chance(given) {
            put(name, Attribute::Floats((0..random.below(7)).map(|_| float(random, wild)).collect()));
        }
    }
    for (name, texts) in TEXTS {
        if random.chance(given) {
            let text = if random.chance(wild / 4) { "?" } else { random.pick(texts) };
            put(name, Attribute::Text(text.into()));
        }
    }
    if random.chance(given) {
        let names = ["Tanh", "Sigmoid", "Affine", "Relu", "Elu"];
        put(
            "activations",
            Attribute::Texts((0..random.below(7)).map(|_| random.pick(&names).into()).collect()),
        );
    }
    if random.chance(given) {
        let data = TensorData::new(vec![float(random, wild)], [1]);
        put("value", Attribute::Tensor(Constant { name: "value".into(), data: Arc::new(data) }));
    }
    for name in ["body", "then_branch", "else_branch", "score_mod", "prob_mod"] {
        if random.chance(given.max(60)) {
            put(name, graph(random));
        }
    }
    all
}
