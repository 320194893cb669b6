use burn_backend::{Element, bf16, f16};
use std::marker::PhantomData;

/// The leaf over LibTorch. `E` is the default element type of floats; tensors may have others.
///
/// ```
/// use burn::backend::LibTorch;
/// use burn::tensor::Tensor;
///
/// let x = Tensor::<LibTorch, 1>::from_data([1.0, 2.0], &Default::default());
/// assert_eq!((x.clone() + x).into_data().to_f64(), [2.0, 4.0]);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct LibTorch<E = f32>(PhantomData<E>);

/// Element type that LibTorch has floats of: a default element type of [`LibTorch`].
pub trait TchElement: Element {
    /// The type as `tch` names it.
    const KIND: tch::Kind;
}

impl TchElement for f64 {
    const KIND: tch::Kind = tch::Kind::Double;
}

impl TchElement for f32 {
    const KIND: tch::Kind = tch::Kind::Float;
}

impl TchElement for f16 {
    const KIND: tch::Kind = tch::Kind::Half;
}

impl TchElement for bf16 {
    const KIND: tch::Kind = tch::Kind::BFloat16;
}

/// The leaf that compositions are made on: kernels know no default element types.
pub type Leaf = LibTorch<f32>;
