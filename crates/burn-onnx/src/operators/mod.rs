//! The operators of ONNX, each defined once: as calls of the tensor API.
//!
//! A file holds an operator or a tight family. The list below names it: one line in it is all that an
//! operator needs beside its file, and SUPPORTED-ONNX-OPS.md is made of it.

use crate::builder::Builder;
use crate::error::Outcome;
use crate::translate::Node;
use crate::value::OnnxValue;
use std::collections::HashMap;
use std::sync::OnceLock;

mod iota;
mod recurrent_cell;
mod resize_taps;
mod table;
mod window;

pub use table::supported_operators;

/// An operator that is supported.
#[derive(Debug)]
pub struct Operator {
    /// Domain; the standard one is `""`.
    pub domain: &'static str,
    /// Name.
    pub name: &'static str,
    /// Oldest version of the operator set that is supported.
    pub since: i64,
    /// Newest version that has the operator in this form; none if the newest of all does.
    pub until: Option<i64>,
    /// Makes the calls of a node.
    pub translate: fn(&Node<'_>, &mut Builder) -> Outcome<Vec<OnnxValue>>,
}

/// Finds the operator of a domain at a version of its operator set.
pub fn find(domain: &str, name: &str, opset: i64) -> Option<&'static Operator> {
    static BY_NAME: OnceLock<HashMap<(&str, &str), Vec<&Operator>>> = OnceLock::new();
    let by_name = BY_NAME.get_or_init(|| {
        let mut all: HashMap<_, Vec<&Operator>> = HashMap::new();
        for operator in OPERATORS {
            all.entry((operator.domain, operator.name)).or_default().push(operator);
        }
        all
    });
    let fits =
        |operator: &&&Operator| operator.since <= opset && operator.until.is_none_or(|until| opset <= until);
    by_name.get(&(domain, name))?.iter().find(fits).copied()
}

/// Declares the files of operators and what is in them: `file { Operator since => function; Operator since to
/// until => function; Operator in "domain" since => function; }`.
macro_rules! operators {
    ($($module:ident { $($name:ident $(in $domain:literal)? $since:literal $(to $until:literal)? => $function:ident;)* })*) => {
        $(mod $module;)*

        /// Every supported operator, in the order of the files.
        pub static OPERATORS: &[Operator] = &[$($(
            Operator {
                domain: operators!(@domain $($domain)?),
                name: stringify!($name),
                since: $since,
                until: operators!(@until $($until)?),
                translate: $module::$function,
            },
        )*)*];
    };
    (@domain $domain:literal) => { $domain };
    (@domain) => { "" };
    (@until $until:literal) => { Some($until) };
    (@until) => { None };
}

operators! {
    activation {
        Celu 12 => celu; Elu 1 => elu; Gelu 20 => gelu; HardSigmoid 1 => hard_sigmoid; HardSwish 14 => hard_swish;
        LeakyRelu 1 => leaky_relu; Mish 18 => mish; PRelu 1 => prelu; Relu 1 => relu; Selu 1 => selu; Shrink 9 => shrink;
        Sigmoid 1 => sigmoid; Softplus 1 => softplus; Softsign 1 => softsign; Swish 24 => swish;
        ThresholdedRelu 10 => thresholded_relu;
    }
    arithmetic {
        Add 7 => add; Div 7 => div; Max 1 => max; Mean 1 => mean; Min 1 => min; Mod 10 => modulo; Mul 7 => mul; Pow 7 => pow;
        Sub 7 => sub; Sum 1 => sum;
    }
    attention { Attention 23 => attention; FlexAttention in "ai.onnx.preview" 1 => flex_attention; }
    bitwise {
        BitCast 26 => bit_cast; BitShift 11 => shift; BitwiseAnd 18 => and; BitwiseNot 18 => not; BitwiseOr 18 => or;
        BitwiseXor 18 => xor;
    }
    blocks { DepthToSpace 1 => depth_to_space; SpaceToDepth 1 => space_to_depth; }
    cast { Cast 6 => cast; CastLike 15 => cast_like; }
    clip { Clip 1 => clip; }
    col2im { Col2Im 18 => col2im; }
    compare {
        Equal 7 => equal; Greater 7 => greater; GreaterOrEqual 12 => greater_or_equal; Less 7 => less;
        LessOrEqual 12 => less_or_equal;
    }
    concat { Concat 4 => concat; }
    constant { Constant 1 => constant; ConstantOfShape 9 => constant_of_shape; }
    control_flow { If 1 => if_; Loop 1 => loop_; }
    convolution { Conv 1 => conv; ConvTranspose 1 => conv_transpose; }
    cumulative { CumProd 26 => cum_prod; CumSum 11 => cum_sum; }
    deform_conv { DeformConv 19 => deform_conv; }
    diagonal { Det 11 => det; EyeLike 9 => eye_like; Trilu 14 => trilu; }
    einsum { Einsum 12 => einsum; }
    expand { Expand 8 => expand; Tile 6 => tile; }
    fourier { DFT 17 => dft; STFT 17 => stft; }
    gather { Gather 1 => gather; GatherElements 11 => gather_elements; GatherND 11 => gather_nd; }
    gemm { Gemm 1 => gemm; }
    grid_sample { AffineGrid 20 => affine_grid; GridSample 16 => grid_sample; }
    identity { Dropout 1 => dropout; Identity 1 => identity; }
    integer_products {
        ConvInteger 10 => conv_integer; MatMulInteger 10 => matmul_integer; QLinearConv 10 => qlinear_conv;
        QLinearMatMul 10 => qlinear_matmul;
    }
    linear_attention { CausalConvWithState 27 => causal_conv; LinearAttention 27 => linear_attention; }
    logical { And 7 => and; Not 1 => not; Or 7 => or; Xor 7 => xor; }
    losses {
        NegativeLogLikelihoodLoss 12 => negative_log_likelihood; SoftmaxCrossEntropyLoss 12 => softmax_cross_entropy;
    }
    machine_learning {
        ArrayFeatureExtractor in "ai.onnx.ml" 1 => array_feature_extractor; Binarizer in "ai.onnx.ml" 1 => binarizer;
        FeatureVectorizer in "ai.onnx.ml" 1 => feature_vectorizer; Imputer in "ai.onnx.ml" 1 => imputer;
        LinearRegressor in "ai.onnx.ml" 1 => linear_regressor; Normalizer in "ai.onnx.ml" 1 => normalizer;
        Scaler in "ai.onnx.ml" 1 => scaler;
    }
    matmul { MatMul 1 => matmul; }
    max_unpool { MaxUnpool 9 => max_unpool; }
    microsoft {
        BiasGelu in "com.microsoft" 1 => bias_gelu; EmbedLayerNormalization in "com.microsoft" 1 => embed_layer_norm;
        FastGelu in "com.microsoft" 1 => fast_gelu; FusedMatMul in "com.microsoft" 1 => fused_matmul;
        Gelu in "com.microsoft" 1 => gelu; QuickGelu in "com.microsoft" 1 => quick_gelu;
        SkipLayerNormalization in "com.microsoft" 1 => skip_layer_norm;
        SkipSimplifiedLayerNormalization in "com.microsoft" 1 => skip_rms_norm;
    }
    microsoft_attention {
        Attention in "com.microsoft" 1 => attention; MultiHeadAttention in "com.microsoft" 1 => multi_head;
    }
    non_max_suppression { NonMaxSuppression 10 => non_max_suppression; }
    normalization {
        BatchNormalization 1 => batch_norm; GroupNormalization 18 => group_norm; InstanceNormalization 1 => instance_norm;
        LRN 1 => local_response_norm; LayerNormalization 1 => layer_norm; LpNormalization 1 => lp_norm;
        MeanVarianceNormalization 9 => mean_variance_norm; RMSNormalization 23 => rms_norm;
        SimplifiedLayerNormalization 1 => rms_norm;
    }
    old_broadcast {
        Add 1 to 6 => add; And 1 to 6 => and; Div 1 to 6 => div; Equal 1 to 6 => equal; Greater 1 to 6 => greater;
        Less 1 to 6 => less; Mul 1 to 6 => mul; Or 1 to 6 => or; Pow 1 to 6 => pow; Sub 1 to 6 => sub; Xor 1 to 6 => xor;
    }
    one_hot { OneHot 9 => one_hot; }
    pad { CenterCropPad 18 => center_crop_pad; Pad 1 => pad; }
    pool {
        AveragePool 1 => average_pool; GlobalAveragePool 1 => global_average_pool; GlobalLpPool 2 => global_lp_pool;
        GlobalMaxPool 1 => global_max_pool; LpPool 2 => lp_pool; MaxPool 1 => max_pool;
    }
    quantize {
        DequantizeLinear 10 => dequantize; DynamicQuantizeLinear 11 => dynamic; QuantizeLinear 10 => quantize;
    }
    range { Range 11 => range; }
    recurrent { GRU 1 => gru; LSTM 1 => lstm; RNN 1 => rnn; }
    reduce {
        ArgMax 1 => arg_max; ArgMin 1 => arg_min; ReduceL1 1 => l1; ReduceL2 1 => l2; ReduceLogSum 1 => log_sum;
        ReduceLogSumExp 1 => log_sum_exp; ReduceMax 1 => max; ReduceMean 1 => mean; ReduceMin 1 => min;
        ReduceProd 1 => prod; ReduceSum 1 => sum; ReduceSumSquare 1 => sum_square;
    }
    reshape { Flatten 1 => flatten; Reshape 1 => reshape; Squeeze 1 => squeeze; Unsqueeze 1 => unsqueeze; }
    resize { Resize 10 => resize; Upsample 7 => upsample; }
    reverse_sequence { ReverseSequence 10 => reverse_sequence; }
    roi_align { RoiAlign 10 => roi_align; }
    rotary_embedding {
        RotaryEmbedding 23 => rotary_embedding; RotaryEmbedding in "com.microsoft" 1 => microsoft;
    }
    scan { Scan 8 => scan; }
    scatter {
        Scatter 9 to 10 => scatter_elements; ScatterElements 11 => scatter_elements; ScatterND 11 => scatter_nd;
        TensorScatter 24 => tensor_scatter;
    }
    selection { Compress 9 => compress; NonZero 9 => non_zero; Unique 11 => unique; }
    sequence {
        ConcatFromSequence 11 => concat; Optional 15 => optional; OptionalGetElement 15 => optional_element;
        OptionalHasElement 15 => optional_has_element; SequenceAt 11 => at; SequenceConstruct 11 => construct;
        SequenceEmpty 11 => empty; SequenceErase 11 => erase; SequenceInsert 11 => insert; SequenceLength 11 => length;
        SequenceMap 17 => map; SplitToSequence 11 => split;
    }
    shape { Shape 1 => shape; Size 1 => size; }
    signal_windows {
        BlackmanWindow 17 => blackman; HammingWindow 17 => hamming; HannWindow 17 => hann; MelWeightMatrix 17 => mel_weights;
    }
    slice { Slice 1 => slice; }
    softmax { Hardmax 1 => hardmax; LogSoftmax 1 => log_softmax; Softmax 1 => softmax; }
    split { Split 1 => split; }
    tf_idf { TfIdfVectorizer 9 => tf_idf; }
    topk { TopK 1 => topk; }
    transpose { Transpose 1 => transpose; }
    unary {
        Abs 1 => abs; Acos 7 => acos; Acosh 9 => acosh; Asin 7 => asin; Asinh 9 => asinh; Atan 7 => atan; Atanh 9 => atanh;
        Ceil 1 => ceil; Cos 7 => cos; Cosh 9 => cosh; Erf 9 => erf; Exp 1 => exp; Floor 1 => floor; IsInf 10 => is_inf;
        IsNaN 9 => is_nan; Log 1 => log; Neg 1 => neg; Reciprocal 1 => reciprocal; Round 11 => round; Sign 9 => sign;
        Sin 7 => sin; Sinh 9 => sinh; Sqrt 1 => sqrt; Tan 7 => tan; Tanh 1 => tanh;
    }
    choose { Where 9 => select; }
}
