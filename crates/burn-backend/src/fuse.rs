use crate::dynamic::{BackendObject, DynamicTensor, Of};
use crate::{Backend, BlockRows};
use alloc::vec::Vec;
use burn_ir::{Composite, DType, HeadKind, TensorSpec};

/// A backend that runs a block as one kernel, so that it pays to collect calls for it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot fuse",
    note = "`Fusion<B>` needs a leaf that implements `FusionBackend`; use `{Self}` without `Fusion`"
)]
pub trait FusionBackend: Backend {
    /// Whether this backend is `Fusion` itself: a second `Fusion` around it changes nothing.
    const IS_FUSED: bool = false;

    /// Returns whether `composite` has a kernel of its own, so that it should not be decomposed.
    fn has_kernel(composite: Composite) -> bool;

    /// Returns whether blocks may begin with an operation of this kind ([`Block::head`](crate::Block::head)).
    /// By default, they are calls before their blocks.
    fn takes_head(_kind: HeadKind) -> bool {
        false
    }

    /// Returns whether blocks may reduce this number of rows, of `terms` elements each, of `dtype`. By
    /// default, `f32` and `f64` rows that fit into the cache with everything computed from them.
    fn folds(dtype: DType, _rows: usize, terms: usize) -> bool {
        matches!(dtype, DType::F32 | DType::F64) && (2..=1 << 14).contains(&terms)
    }

    /// Returns whether several products of a left operand like `lhs` may be computed at once: by
    /// [`products`](Self::products), for which a queue searches its calls only then, and as the head of a
    /// block ([`BlockHead::Products`](crate::BlockHead::Products)). By default they are not.
    fn has_products(_lhs: &TensorSpec) -> bool {
        false
    }

    /// Computes the products of one matrix and each of several at once, where that is faster than one after
    /// the other. By default it is not.
    fn products(_lhs: &Self::Tensor, _rhs: &[Self::Tensor]) -> Option<Vec<Self::Tensor>> {
        None
    }

    /// Returns whether a kernel of products may compute rows of this shape itself, which are the left operand
    /// of products and which nothing else reads: by [`products_of_rows`](Self::products_of_rows), and in the
    /// head of a block ([`BlockHead::RowProducts`](crate::BlockHead::RowProducts)). By default none does.
    fn takes_rows(_rows: &TensorSpec) -> bool {
        false
    }

    /// Computes the products of rows and each of several matrices; `None` where no kernel computes the rows
    /// too.
    fn products_of_rows(_rows: &BlockRows<Self::Tensor>, _rhs: &[Self::Tensor]) -> Option<Vec<Self::Tensor>> {
        None
    }

    /// Returns this backend as a fusion object, by the same rule as [`Backend::object`].
    fn fusion_object() -> &'static dyn FusionObject;
}

/// [`FusionBackend`] as an object: what a queue needs of the backend under it.
pub trait FusionObject: BackendObject {
    fn has_kernel(&self, composite: Composite) -> bool;
    fn takes_head(&self, kind: HeadKind) -> bool;
    fn folds(&self, dtype: DType, rows: usize, terms: usize) -> bool;
    fn has_products(&self, lhs: &TensorSpec) -> bool;
    fn products(&self, lhs: &DynamicTensor, rhs: &[DynamicTensor]) -> Option<Vec<DynamicTensor>>;
    fn takes_rows(&self, rows: &TensorSpec) -> bool;
    fn products_of_rows(
        &self,
        rows: &BlockRows<DynamicTensor>,
        rhs: &[DynamicTensor],
    ) -> Option<Vec<DynamicTensor>>;
}

/// Returns `B` as a fusion object, as [`object_of`](crate::dynamic::object_of).
pub fn fusion_object_of<B: FusionBackend>() -> &'static dyn FusionObject {
    const { &Of::<B>::new() }
}

impl<B: FusionBackend> FusionObject for Of<B> {
    fn has_kernel(&self, composite: Composite) -> bool {
        B::has_kernel(composite)
    }
    fn takes_head(&self, kind: HeadKind) -> bool {
        B::takes_head(kind)
    }
    fn folds(&self, dtype: DType, rows: usize, terms: usize) -> bool {
        B::folds(dtype, rows, terms)
    }
    fn has_products(&self, lhs: &TensorSpec) -> bool {
        B::has_products(lhs)
    }
    fn products(&self, lhs: &DynamicTensor, rhs: &[DynamicTensor]) -> Option<Vec<DynamicTensor>> {
        let inner = |x: &DynamicTensor| x.clone().into_inner::<B>();
        let products = B::products(&inner(lhs), &rhs.iter().map(inner).collect::<Vec<_>>())?;
        Some(products.into_iter().map(DynamicTensor::new::<B>).collect())
    }
    fn takes_rows(&self, rows: &TensorSpec) -> bool {
        B::takes_rows(rows)
    }
    fn products_of_rows(
        &self,
        rows: &BlockRows<DynamicTensor>,
        rhs: &[DynamicTensor],
    ) -> Option<Vec<DynamicTensor>> {
        let rows = rows.clone().map(DynamicTensor::into_inner::<B>);
        let rhs: Vec<B::Tensor> = rhs.iter().map(|x| x.clone().into_inner::<B>()).collect();
        Some(B::products_of_rows(&rows, &rhs)?.into_iter().map(DynamicTensor::new::<B>).collect())
    }
}
