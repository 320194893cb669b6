//! The vocabulary: every call of the tensor API that a translated model makes.
//!
//! A call is declared once. Its body is what runs, and the same tokens, without `try_` and `?`, are the
//! source text that is generated. How to declare one is in the README of this crate.

mod activation;
mod all;
mod arithmetic;
mod attention;
mod bits;
mod compare;
mod convert;
mod convolution;
mod create;
mod declare;
mod elementwise;
mod index;
mod layout;
mod linalg;
mod matrix;
mod normalize;
mod operand;
mod pool;
mod recurrent;
mod reduce;
mod rules;
mod signal;
mod sort;

pub use all::all;
pub use convolution::ConvWindow;
pub use declare::Definition;
pub use operand::{Operand, Range};
pub(crate) use rules::broadcast_dims;
pub(crate) use sort::Sort;
pub use sort::{
    Axes, Count, Counts, DimsList, Erased, ErasedMask, Fixed, FixedIndex, Flag, Index, IntData, Integer,
    Many, ManyErased, Mask, Maybe, Number, Pairs, Ranges, Real, Same, Size, Sizes, Type, Whole,
};
