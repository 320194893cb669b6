use burn_backend::{Backend, DType, Element};
use std::fmt::Debug;

/// What the elements of a tensor mean.
pub trait TensorKind: Clone + Copy + Debug + Default + Send + Sync + 'static {
    const NAME: &'static str;
    /// The dtype of new tensors of this kind on `B`.
    fn dtype<B: Backend>() -> DType;
}

/// A kind with arithmetic.
#[diagnostic::on_unimplemented(
    message = "tensors of kind `{Self}` have no arithmetic",
    note = "only `Float` and `Int` tensors do; convert with `.float()` or `.int()`"
)]
pub trait Numeric: TensorKind {}

#[derive(Clone, Copy, Debug, Default)]
pub struct Float;
#[derive(Clone, Copy, Debug, Default)]
pub struct Int;
#[derive(Clone, Copy, Debug, Default)]
pub struct Bool;

impl TensorKind for Float {
    const NAME: &'static str = "Float";
    fn dtype<B: Backend>() -> DType {
        B::FloatElem::DTYPE
    }
}
impl TensorKind for Int {
    const NAME: &'static str = "Int";
    fn dtype<B: Backend>() -> DType {
        B::IntElem::DTYPE
    }
}
impl TensorKind for Bool {
    const NAME: &'static str = "Bool";
    fn dtype<B: Backend>() -> DType {
        DType::Bool
    }
}

impl Numeric for Float {}
impl Numeric for Int {}
