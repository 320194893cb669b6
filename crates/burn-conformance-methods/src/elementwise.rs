//! Functions of each element: with operands of more elements than memory holds, each is refused.

use super::calls::{Named, calls};
use crate::finish::Finish;
use burn_tensor::{Numeric, TensorKind, activation};

/// Lists methods of float tensors.
pub fn floats<const D: usize>() -> &'static [Named] {
    calls! { a;
        "exp" a.float::<D>().try_exp();
        "expm1" a.float::<D>().try_expm1();
        "log" a.float::<D>().try_log();
        "log1p" a.float::<D>().try_log1p();
        "sqrt" a.float::<D>().try_sqrt();
        "sin" a.float::<D>().try_sin();
        "cos" a.float::<D>().try_cos();
        "tan" a.float::<D>().try_tan();
        "asin" a.float::<D>().try_asin();
        "acos" a.float::<D>().try_acos();
        "atan" a.float::<D>().try_atan();
        "sinh" a.float::<D>().try_sinh();
        "cosh" a.float::<D>().try_cosh();
        "tanh" a.float::<D>().try_tanh();
        "asinh" a.float::<D>().try_asinh();
        "acosh" a.float::<D>().try_acosh();
        "atanh" a.float::<D>().try_atanh();
        "sigmoid" a.float::<D>().try_sigmoid();
        "erf" a.float::<D>().try_erf();
        "floor" a.float::<D>().try_floor();
        "ceil" a.float::<D>().try_ceil();
        "round" a.float::<D>().try_round();
        "trunc" a.float::<D>().try_trunc();
        "recip" a.float::<D>().try_recip();
        "rsqrt" a.float::<D>().try_rsqrt();
        "log2" a.float::<D>().try_log2();
        "log10" a.float::<D>().try_log10();
        "exp2" a.float::<D>().try_exp2();
        "deg2rad" a.float::<D>().try_deg2rad();
        "rad2deg" a.float::<D>().try_rad2deg();
        "frac" a.float::<D>().try_frac();
        "sinc" a.float::<D>().try_sinc();
        "int" a.float::<D>().try_int();
        "logit" a.float::<D>().try_logit(a.flag().then_some(0.1));
        "nan_to_num" a.float::<D>().try_nan_to_num(a.fraction(), Some(a.fraction()), None);
    }
}

/// Lists activations of float tensors.
pub fn activations<const D: usize>() -> &'static [Named] {
    calls! { a;
        "elu" activation::try_elu(a.float::<D>(), a.fraction());
        "selu" activation::try_selu(a.float::<D>());
        "celu" activation::try_celu(a.float::<D>(), a.fraction());
        "softplus" activation::try_softplus(a.float::<D>(), a.fraction());
        "gelu" activation::try_gelu(a.float::<D>());
        "gelu_tanh" activation::try_gelu_tanh(a.float::<D>());
        "silu" activation::try_silu(a.float::<D>());
        "hard_swish" activation::try_hard_swish(a.float::<D>());
        "mish" activation::try_mish(a.float::<D>());
        "relu" activation::try_relu(a.float::<D>());
        "relu6" activation::try_relu6(a.float::<D>());
        "leaky_relu" activation::try_leaky_relu(a.float::<D>(), a.fraction());
        "threshold" activation::try_threshold(a.float::<D>(), a.fraction(), a.fraction());
        "sigmoid" activation::try_sigmoid(a.float::<D>());
        "log_sigmoid" activation::try_log_sigmoid(a.float::<D>());
        "hard_sigmoid" activation::try_hard_sigmoid(a.float::<D>(), a.fraction(), a.fraction());
        "tanh" activation::try_tanh(a.float::<D>());
        "hardtanh" activation::try_hardtanh(a.float::<D>(), -0.5, 0.5);
        "softsign" activation::try_softsign(a.float::<D>());
        "hard_shrink" activation::try_hard_shrink(a.float::<D>(), a.fraction());
        "soft_shrink" activation::try_soft_shrink(a.float::<D>(), a.fraction());
        "tanh_shrink" activation::try_tanh_shrink(a.float::<D>());
    }
}

/// Lists methods of float and int tensors.
pub fn numbers<const D: usize, K: Numeric>() -> &'static [Named] {
    calls! { a;
        "neg" a.of::<D, K>().try_neg();
        "abs" a.of::<D, K>().try_abs();
        "sign" a.of::<D, K>().try_sign();
        "square" a.of::<D, K>().try_square();
        "bool" a.of::<D, K>().try_bool();
        "is_nan" a.of::<D, K>().try_is_nan();
        "is_inf" a.of::<D, K>().try_is_inf();
        "is_finite" a.of::<D, K>().try_is_finite();
        "greater_elem" a.of::<D, K>().try_greater_elem(a.scalar());
        "greater_equal_elem" a.of::<D, K>().try_greater_equal_elem(a.scalar());
        "lower_elem" a.of::<D, K>().try_lower_elem(a.scalar());
        "lower_equal_elem" a.of::<D, K>().try_lower_equal_elem(a.scalar());
    }
}

/// Lists methods of tensors of every kind.
pub fn kinds<const D: usize, K: TensorKind>() -> &'static [Named] {
    calls! { a;
        "zeros_like" a.of::<D, K>().try_zeros_like();
        "ones_like" a.of::<D, K>().try_ones_like();
        "equal_elem" a.of::<D, K>().try_equal_elem(a.scalar());
        "not_equal_elem" a.of::<D, K>().try_not_equal_elem(a.scalar());
    }
}

/// Lists methods of int and bool tensors.
pub fn integers<const D: usize>() -> &'static [Named] {
    calls! { a;
        "bitwise_not" a.int::<D>().try_bitwise_not();
        "float" a.int::<D>().try_float();
        "float" a.bool::<D>().try_float();
        "int" a.bool::<D>().try_int();
        "bool_not" a.bool::<D>().try_bool_not();
        "not" a.bool::<D>().try_not();
    }
}
