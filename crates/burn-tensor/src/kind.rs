use crate::TensorPrimitive;
use burn_backend::{Backend, BoolTensor, DType, Element, IntTensor};
use core::fmt::Debug;

/// Kind of the elements of a tensor: [`Float`], [`Int`] or [`Bool`].
pub trait TensorKind: Clone + Copy + Debug + Default + Send + Sync + 'static {
    const NAME: &'static str;
    /// Result of [`Tensor::into_primitive`](crate::Tensor::into_primitive).
    type Primitive<B: Backend>: Clone + Debug + Send;
    /// Default element type of this kind on `B`.
    type Elem<B: Backend>: Element;

    /// Returns the dtype of new tensors of this kind on `B`.
    fn dtype<B: Backend>() -> DType {
        Self::Elem::<B>::DTYPE
    }
    /// Converts to the primitive of this kind. Only `Float` tensors are quantized.
    fn wrap<B: Backend>(primitive: TensorPrimitive<B>) -> Self::Primitive<B>;
    fn unwrap<B: Backend>(primitive: Self::Primitive<B>) -> TensorPrimitive<B>;
    /// Returns whether tensors of this kind may have elements of `dtype`.
    fn holds(dtype: DType) -> bool;
}

/// A kind with arithmetic.
#[diagnostic::on_unimplemented(
    message = "tensors of kind `{Self}` have no arithmetic",
    note = "only `Float` and `Int` tensors do; convert with `.float()` or `.int()`"
)]
pub trait Numeric: TensorKind {}

/// Kind of float tensors.
#[derive(Clone, Copy, Debug, Default)]
pub struct Float;
/// Kind of integer tensors.
#[derive(Clone, Copy, Debug, Default)]
pub struct Int;
/// Kind of boolean tensors.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bool;

impl TensorKind for Float {
    const NAME: &'static str = "Float";
    type Primitive<B: Backend> = TensorPrimitive<B>;
    type Elem<B: Backend> = B::FloatElem;
    fn wrap<B: Backend>(primitive: TensorPrimitive<B>) -> TensorPrimitive<B> {
        primitive
    }
    fn unwrap<B: Backend>(primitive: TensorPrimitive<B>) -> TensorPrimitive<B> {
        primitive
    }
    fn holds(dtype: DType) -> bool {
        dtype.is_float()
    }
}

impl TensorKind for Int {
    const NAME: &'static str = "Int";
    type Primitive<B: Backend> = IntTensor<B>;
    type Elem<B: Backend> = B::IntElem;
    fn wrap<B: Backend>(primitive: TensorPrimitive<B>) -> IntTensor<B> {
        primitive.tensor()
    }
    fn unwrap<B: Backend>(primitive: IntTensor<B>) -> TensorPrimitive<B> {
        TensorPrimitive::Float(primitive)
    }
    fn holds(dtype: DType) -> bool {
        dtype.is_int()
    }
}

impl TensorKind for Bool {
    const NAME: &'static str = "Bool";
    type Primitive<B: Backend> = BoolTensor<B>;
    type Elem<B: Backend> = bool;
    fn wrap<B: Backend>(primitive: TensorPrimitive<B>) -> BoolTensor<B> {
        primitive.tensor()
    }
    fn unwrap<B: Backend>(primitive: BoolTensor<B>) -> TensorPrimitive<B> {
        TensorPrimitive::Float(primitive)
    }
    fn holds(dtype: DType) -> bool {
        dtype == DType::Bool
    }
}

impl Numeric for Float {}
impl Numeric for Int {}
