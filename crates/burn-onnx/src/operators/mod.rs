//! The operators of ONNX, each defined once: as calls of the tensor API.
//!
//! A file holds an operator or a tight family. The list below names it: one line in it is all that an operator needs beside its file, and
//! SUPPORTED-ONNX-OPS.md is made of it.

use crate::builder::Builder;
use crate::error::Outcome;
use crate::translate::Node;
use crate::value::Value;

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
    pub translate: fn(&Node<'_>, &mut Builder) -> Outcome<Vec<Value>>,
}

/// The operator of a domain at a version of its operator set.
pub fn find(domain: &str, name: &str, opset: i64) -> Option<&'static Operator> {
    let fits = |operator: &&Operator| {
        operator.domain == domain
            && operator.name == name
            && operator.since <= opset
            && operator.until.is_none_or(|until| opset <= until)
    };
    OPERATORS.iter().find(fits)
}

/// Declares the files of operators and what is in them:
/// `file { Operator since => function; Operator since to until => function; Operator in "domain" since => function; }`.
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
        Add 7 => add; Div 7 => div; Max 6 => max; Mean 6 => mean; Min 6 => min; Mod 10 => modulo; Mul 7 => mul; Pow 7 => pow;
        Sub 7 => sub; Sum 6 => sum;
    }
    cast { Cast 6 => cast; CastLike 15 => cast_like; }
    clip { Clip 6 => clip; }
    compare {
        Equal 7 => equal; Greater 7 => greater; GreaterOrEqual 12 => greater_or_equal; Less 7 => less;
        LessOrEqual 12 => less_or_equal;
    }
    concat { Concat 4 => concat; }
    constant { Constant 1 => constant; ConstantOfShape 9 => constant_of_shape; }
    convolution { Conv 1 => conv; ConvTranspose 1 => conv_transpose; }
    expand { Expand 8 => expand; Tile 6 => tile; }
    gather { Gather 1 => gather; GatherElements 11 => gather_elements; GatherND 11 => gather_nd; }
    gemm { Gemm 7 => gemm; }
    identity { Dropout 7 => dropout; Identity 1 => identity; }
    logical { And 7 => and; Not 1 => not; Or 7 => or; Xor 7 => xor; }
    matmul { MatMul 1 => matmul; }
    normalization {
        BatchNormalization 7 => batch_norm; GroupNormalization 18 => group_norm; InstanceNormalization 6 => instance_norm;
        LRN 1 => local_response_norm; LayerNormalization 1 => layer_norm; LpNormalization 1 => lp_norm;
        MeanVarianceNormalization 9 => mean_variance_norm; RMSNormalization 23 => rms_norm;
    }
    pool {
        AveragePool 7 => average_pool; GlobalAveragePool 1 => global_average_pool; GlobalLpPool 2 => global_lp_pool;
        GlobalMaxPool 1 => global_max_pool; LpPool 2 => lp_pool; MaxPool 8 => max_pool; MaxPool 1 to 7 => max_pool;
    }
    range { Range 11 => range; }
    reduce {
        ArgMax 1 => arg_max; ArgMin 1 => arg_min; ReduceL1 1 => l1; ReduceL2 1 => l2; ReduceLogSum 1 => log_sum;
        ReduceLogSumExp 1 => log_sum_exp; ReduceMax 1 => max; ReduceMean 1 => mean; ReduceMin 1 => min;
        ReduceProd 1 => prod; ReduceSum 1 => sum; ReduceSumSquare 1 => sum_square;
    }
    reshape { Flatten 1 => flatten; Reshape 5 => reshape; Squeeze 1 => squeeze; Unsqueeze 1 => unsqueeze; }
    shape { Shape 1 => shape; Size 1 => size; }
    slice { Slice 1 => slice; }
    softmax { Hardmax 1 => hardmax; LogSoftmax 1 => log_softmax; Softmax 1 => softmax; }
    split { Split 2 => split; }
    transpose { Transpose 1 => transpose; }
    unary {
        Abs 6 => abs; Acos 7 => acos; Acosh 9 => acosh; Asin 7 => asin; Asinh 9 => asinh; Atan 7 => atan; Atanh 9 => atanh;
        Ceil 6 => ceil; Cos 7 => cos; Cosh 9 => cosh; Erf 9 => erf; Exp 6 => exp; Floor 6 => floor; IsInf 10 => is_inf;
        IsNaN 9 => is_nan; Log 6 => log; Neg 6 => neg; Reciprocal 6 => reciprocal; Round 11 => round; Sign 9 => sign;
        Sin 7 => sin; Sinh 9 => sinh; Sqrt 6 => sqrt; Tan 7 => tan; Tanh 6 => tanh;
    }
    choose { Where 9 => select; }
}
