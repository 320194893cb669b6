//! Indexed writes (scatter, select-assign), one method for each reduction with the old value.

use crate::in_operation::{expect_in_operation, try_in_operation};
use crate::index::within;
use crate::{AsDim, Int, Tensor, TensorError, TensorKind};
use burn_backend::{Backend, IndexUpdate};

macro_rules! updates {
    ($($update:ident, $(#[$scatter_alias:meta])? $scatter:ident, $try_scatter:ident, #[$select_alias:meta] $select:ident,
        $try_select:ident, $what:literal, $torch_scatter:literal, $torch_select:literal;)*) => {
        /// # Indexing with tensors: updates
        impl<B: Backend, const D: usize, K: TensorKind> Tensor<B, D, K> {$(
            #[doc = concat!($what, " the places that [`Tensor::gather`] would read. PyTorch: `", $torch_scatter, "`.")]
            ///
            /// # Panics
            /// When the shapes do not fit; an index beyond `dim` as in [`Tensor::gather`].
            $(#[$scatter_alias])?
            #[track_caller]
            #[must_use]
            pub fn $scatter(self, dim: impl AsDim, indices: Tensor<B, D, Int>, values: Self) -> Self {
                let operation = stringify!($scatter);
                let call = || self.scatter_unread(operation, dim, indices, values, IndexUpdate::$update);
                expect_in_operation(operation, call)
            }

            #[doc = concat!("[`Tensor::", stringify!($scatter), "`], and what is wrong as a value; reads the indices.")]
            ///
            /// # Errors
            /// When the shapes do not fit, or an index is beyond `dim`.
            #[track_caller]
            pub fn $try_scatter(
                self,
                dim: impl AsDim,
                indices: Tensor<B, D, Int>,
                values: Self,
            ) -> Result<Self, TensorError> {
                let operation = stringify!($scatter);
                try_in_operation(operation, || {
                    within(operation, dim, &self, &indices)?;
                    self.scatter_unread(operation, dim, indices, values, IndexUpdate::$update)
                })
            }

            #[doc = concat!($what, " the slices that [`Tensor::select`] would read. PyTorch: `", $torch_select, "`.")]
            ///
            /// # Panics
            /// When the shapes do not fit; an index beyond `dim` as in [`Tensor::gather`].
            #[$select_alias]
            #[track_caller]
            #[must_use]
            pub fn $select(self, dim: impl AsDim, indices: Tensor<B, 1, Int>, values: Self) -> Self {
                let operation = stringify!($select);
                let call = || self.select_assign_unread(operation, dim, indices, values, IndexUpdate::$update);
                expect_in_operation(operation, call)
            }

            #[doc = concat!("[`Tensor::", stringify!($select), "`], and what is wrong as a value; reads the indices.")]
            ///
            /// # Errors
            /// When the shapes do not fit, or an index is beyond `dim`.
            #[track_caller]
            pub fn $try_select(
                self,
                dim: impl AsDim,
                indices: Tensor<B, 1, Int>,
                values: Self,
            ) -> Result<Self, TensorError> {
                let operation = stringify!($select);
                try_in_operation(operation, || {
                    within(operation, dim, &self, &indices)?;
                    self.select_assign_unread(operation, dim, indices, values, IndexUpdate::$update)
                })
            }
        )*}
    };
}

updates! {
    Add, scatter_add, try_scatter_add,
        #[doc(alias = "index_add")] select_add, try_select_add,
        "Adds `values` to", "x.scatter_add", "x.index_add";
    Assign, #[doc(alias = "scatter")] scatter_assign, try_scatter_assign,
        #[doc(alias = "index_copy")] select_replace, try_select_replace,
        "Writes `values`, of several the last, to", "x.scatter", "x.index_copy";
    Multiply, #[doc(alias = "scatter_reduce")] scatter_multiply, try_scatter_multiply,
        #[doc(alias = "index_reduce")] select_multiply, try_select_multiply,
        "Multiplies by `values`", "x.scatter_reduce(reduce='prod')", "x.index_reduce(reduce='prod')";
    Min, #[doc(alias = "scatter_reduce")] scatter_min, try_scatter_min,
        #[doc(alias = "index_reduce")] select_min, try_select_min,
        "Keeps the smaller of `values` and", "x.scatter_reduce(reduce='amin')", "x.index_reduce(reduce='amin')";
    Max, #[doc(alias = "scatter_reduce")] scatter_max, try_scatter_max,
        #[doc(alias = "index_reduce")] select_max, try_select_max,
        "Keeps the larger of `values` and", "x.scatter_reduce(reduce='amax')", "x.index_reduce(reduce='amax')";
}
