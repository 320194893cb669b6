//! Sorts of parameters: what a builder is given for one.

use super::{Operand, Range};
use crate::value::{Expr, Tensor};
use burn_ir::DType;

/// Sort of a parameter of a call.
pub trait Sort {
    /// Type that the builder's method takes.
    type Given<'a>;
    /// The argument as it is kept.
    fn operand(given: Self::Given<'_>) -> Operand;
}

macro_rules! sorts {
    ($($(#[doc = $doc:literal])* $name:ident $(<const $n:ident>)?: $given:ty, $value:ident => $operand:expr;)*) => {$(
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug)]
        pub enum $name$(<const $n: usize>)? {}

        impl$(<const $n: usize>)? Sort for $name$(<$n>)? {
            type Given<'a> = $given;
            fn operand($value: Self::Given<'_>) -> Operand {
                $operand
            }
        }
    )*};
}

sorts! {
    /// Tensor of the rank and kind of the call.
    Same: &'a Tensor, x => Operand::Tensor(x.clone());
    /// Booleans of the rank of the call.
    Mask: &'a Tensor, x => Operand::Tensor(x.clone());
    /// Indices of the rank of the call.
    Index: &'a Tensor, x => Operand::Tensor(x.clone());
    /// Tensor of a fixed rank.
    Fixed<const N>: &'a Tensor, x => Operand::Tensor(x.clone());
    /// Indices of a fixed rank.
    FixedIndex<const N>: &'a Tensor, x => Operand::Tensor(x.clone());
    /// Tensor of any rank, for calls that do not depend on it.
    Erased: &'a Tensor, x => Operand::Tensor(x.clone());
    /// Booleans of any rank.
    ErasedMask: &'a Tensor, x => Operand::Tensor(x.clone());
    /// Tensors of the rank and kind of the call.
    Many: &'a [Tensor], xs => Operand::Tensors(xs.to_vec());
    /// Tensors of any rank.
    ManyErased: &'a [Tensor], xs => Operand::Tensors(xs.to_vec());
    /// Index of a dimension, or a number of something.
    Count: usize, value => Operand::Number(value.into());
    /// Size that may be known only when the model runs.
    Size: Expr, value => Operand::Number(value);
    /// Integer that may be known only when the model runs.
    Whole: Expr, value => Operand::Number(value);
    /// Integer.
    Integer: i64, value => Operand::Number(value.into());
    /// Number beside the elements of a tensor.
    Number: Expr, value => Operand::Number(value);
    /// Number with a fraction.
    Real: f64, value => Operand::Number(Expr::Float(value));
    /// Boolean.
    Flag: bool, value => Operand::Flag(value);
    /// Element type.
    Type: DType, value => Operand::Type(value);
    /// Sizes of dimensions.
    Sizes: &'a [Expr], values => Operand::Numbers(values.to_vec());
    /// Sizes that a shape is made of.
    Counts: &'a [Expr], values => Operand::Numbers(values.to_vec());
    /// Integers, as the elements of a tensor.
    IntData: &'a [Expr], values => Operand::Numbers(values.to_vec());
    /// Indices of dimensions.
    Axes: &'a [usize], values => Operand::Numbers(values.iter().map(|&value| value.into()).collect());
    /// Numbers of spatial dimensions, such as strides.
    DimsList: &'a [usize], values => Operand::Numbers(values.iter().map(|&value| value.into()).collect());
    /// Ranges of the first dimensions.
    Ranges: &'a [Range], values => Operand::Ranges(values.to_vec());
    /// Elements before and after the last dimensions.
    Pairs: &'a [(Expr, Expr)], values => Operand::Pairs(values.to_vec());
}

/// Parameter that may be missing.
#[derive(Debug)]
pub struct Maybe<S>(std::marker::PhantomData<S>);

impl<S> Sort for Maybe<S>
where
    S: for<'a> Sort<Given<'a> = &'a Tensor>,
{
    type Given<'a> = Option<&'a Tensor>;
    fn operand(given: Option<&Tensor>) -> Operand {
        given.map_or(Operand::Absent, |tensor| Operand::Tensor(tensor.clone()))
    }
}
