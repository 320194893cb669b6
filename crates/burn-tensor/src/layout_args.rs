//! Sizes and dimensions, written as arrays, slices, vectors and shapes.

use crate::check::ensure;
use crate::{AsDim, TensorError};
use alloc::vec::Vec;
use burn_backend::Shape;
use core::fmt::Debug;
use smallvec::SmallVec;

/// Sizes of a new shape of rank `D`, of which one may be `-1`: inferred from the others.
pub trait ReshapeArgs<const D: usize> {
    /// Returns the sizes in order.
    ///
    /// # Errors
    /// When there are not `D` of them.
    fn sizes(self) -> Result<[isize; D], TensorError>;
}

/// Sizes to expand to, of which any may be `-1`: unchanged.
pub trait ExpandArgs<const D: usize> {
    /// Returns the sizes in order.
    ///
    /// # Errors
    /// When there are not `D` of them.
    fn sizes(self) -> Result<[isize; D], TensorError>;
}

/// One axis for each of `D` dimensions; negative ones count from the end.
pub trait PermuteArgs<const D: usize> {
    /// Returns the axes in order.
    ///
    /// # Errors
    /// When there are not `D` of them.
    fn axes(self) -> Result<[isize; D], TensorError>;
}

macro_rules! list_args {
    ($trait:ident, $list:ident, $operation:literal: $([$($generics:tt)*] $args:ty),*) => {$(
        impl<$($generics)*> $trait<D> for $args {
            #[track_caller]
            fn $list(self) -> Result<[isize; D], TensorError> {
                Ok(ranked($operation, &self[..])?.map(AsDim::as_isize))
            }
        }
    )*};
}

macro_rules! ranked_args {
    ($($trait:ident, $list:ident, $operation:literal;)*) => {$(
        impl<I: AsDim, const D: usize> $trait<D> for [I; D] {
            fn $list(self) -> Result<[isize; D], TensorError> {
                Ok(self.map(AsDim::as_isize))
            }
        }
        list_args! {
            $trait, $list, $operation: [const D: usize] Shape, [const D: usize] &Shape,
            [I: AsDim + Debug, const D: usize] Vec<I>, [I: AsDim + Debug, const D: usize] &Vec<I>,
            [I: AsDim + Debug, const D: usize] &[I], [I: AsDim + Debug, const D: usize, const N: usize] &[I; N]
        }
    )*};
}
ranked_args! {
    ReshapeArgs, sizes, "reshape";
    ExpandArgs, sizes, "expand";
    PermuteArgs, axes, "permute";
}

#[track_caller]
fn ranked<I: Copy + Debug, const D: usize>(
    operation: &'static str,
    sizes: &[I],
) -> Result<[I; D], TensorError> {
    ensure!(sizes.len() == D, operation, "{sizes:?} has {} sizes, the result has rank {D}", sizes.len());
    Ok(core::array::from_fn(|d| sizes[d]))
}

/// Dimensions to move: one, or a list of them.
pub trait MovedimArgs {
    /// Returns the dimensions in order; negative ones count from the end.
    fn dims(self) -> Vec<isize>;
}

impl<I: AsDim> MovedimArgs for I {
    fn dims(self) -> Vec<isize> {
        Vec::from([self.as_isize()])
    }
}

impl<I: AsDim, const N: usize> MovedimArgs for [I; N] {
    fn dims(self) -> Vec<isize> {
        Vec::from(self.map(AsDim::as_isize))
    }
}

macro_rules! movedim_args {
    ($([$($generics:tt)*] $args:ty),*) => {$(
        impl<$($generics)*> MovedimArgs for $args {
            fn dims(self) -> Vec<isize> {
                self.iter().map(|dim| dim.as_isize()).collect()
            }
        }
    )*};
}
movedim_args! { [I: AsDim] &[I], [I: AsDim] Vec<I>, [I: AsDim] &Vec<I>, [I: AsDim, const N: usize] &[I; N] }

/// Axes to reverse; negative ones count from the end.
pub trait FlipArgs {
    /// Returns the axes in order.
    fn axes(self) -> SmallVec<[isize; 6]>;
}

macro_rules! flip_args {
    ($([$($generics:tt)*] $args:ty),* $(,)?) => {$(
        impl<$($generics)*> FlipArgs for $args {
            fn axes(self) -> SmallVec<[isize; 6]> {
                self.iter().map(|axis| axis.as_isize()).collect()
            }
        }
    )*};
}
flip_args! { [I: AsDim] &[I], [I: AsDim] Vec<I>, [I: AsDim] &Vec<I>, [const N: usize] [isize; N], [const N: usize] &[isize; N] }

macro_rules! flip_arrays_of {
    ($axis:ident: $($length:literal)*) => {
        flip_args! { $([] [$axis; $length], [] &[$axis; $length]),* }
    };
}

/// An array of no elements is one of `isize`, so that `flip([])` compiles: arrays of other types have a
/// length.
macro_rules! flip_arrays {
    ($($axis:ident)*) => {$(
        flip_arrays_of! { $axis: 1 2 3 4 5 6 7 8 9 10 11 12 }
    )*};
}
flip_arrays! { i32 i64 u32 u64 usize }
