use crate::Role;
use burn_backend::DType;
use std::fmt::Debug;

/// Policy of mixed precision: the dtype in which operations of each class compute.
///
/// ```
/// use burn::backend::amp::{Amp, Policy, Role};
/// use burn::tensor::DType;
///
/// /// Everything that is `f64` computes in `f32`.
/// #[derive(Clone, Copy, Debug, Default)]
/// struct Single;
///
/// impl Policy for Single {
///     fn computes(_role: Role, dtype: DType) -> DType {
///         if dtype == DType::F64 { DType::F32 } else { dtype }
///     }
/// }
///
/// type B = Amp<burn::backend::NdArray<f64>, Single>;
/// ```
pub trait Policy: Clone + Copy + Debug + Default + Send + Sync + 'static {
    /// Returns the dtype to which a float operand of `dtype` is cast in an operation of `role`.
    fn computes(role: Role, dtype: DType) -> DType;
}

/// Policy that computes products of `f32` in `bf16`, whose range is that of `f32`: losses need no scaling.
#[derive(Clone, Copy, Debug, Default)]
pub struct BFloat;

/// Policy that computes products of `f32` in `f16`, which has more digits and a smaller range: gradients
/// below `6e-8` become zero.
#[derive(Clone, Copy, Debug, Default)]
pub struct Half;

impl Policy for BFloat {
    fn computes(role: Role, dtype: DType) -> DType {
        mixed(role, dtype, DType::BF16)
    }
}

impl Policy for Half {
    fn computes(role: Role, dtype: DType) -> DType {
        mixed(role, dtype, DType::F16)
    }
}

fn mixed(role: Role, dtype: DType, half: DType) -> DType {
    match role {
        Role::Product if dtype == DType::F32 => half,
        Role::Accumulation if matches!(dtype, DType::F16 | DType::BF16) => DType::F32,
        Role::Product | Role::Accumulation | Role::Neutral => dtype,
    }
}
