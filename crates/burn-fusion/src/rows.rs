//! Rows that wait for the products after them.

use burn_backend::dynamic::DynamicTensor;
use burn_backend::{BlockRows, FusionObject};
use std::fmt::Debug;
use std::sync::{Mutex, OnceLock, PoisonError};

/// Rows that are computed when they are read, or by the products that read them. A trait, so that programs do
/// not compile how blocks are dropped and printed.
pub trait WaitingRows: Debug + Send + Sync {
    /// Takes the rows, unless they were computed before. The products that get them must be all that reads
    /// them.
    fn take(&self) -> Option<BlockRows<DynamicTensor>>;
    /// Computes the products of the rows and each of these matrices, if the backend has a kernel that does;
    /// they must be all that reads the rows.
    fn products(&self, rhs: &[DynamicTensor]) -> Option<Vec<DynamicTensor>>;
    /// Computes the rows by themselves, once.
    fn tensor(&self) -> &DynamicTensor;
    /// Computes the rows by themselves, and moves them out.
    fn into_tensor(self: Box<Self>) -> DynamicTensor;
}

/// Rows of a backend.
#[derive(Debug)]
pub struct BackendRows {
    inner: &'static dyn FusionObject,
    rows: Mutex<Option<BlockRows<DynamicTensor>>>,
    tensor: OnceLock<DynamicTensor>,
}

impl BackendRows {
    pub fn new(inner: &'static dyn FusionObject, rows: BlockRows<DynamicTensor>) -> Self {
        BackendRows { inner, rows: Mutex::new(Some(rows)), tensor: OnceLock::new() }
    }
}

impl WaitingRows for BackendRows {
    fn take(&self) -> Option<BlockRows<DynamicTensor>> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn products(&self, rhs: &[DynamicTensor]) -> Option<Vec<DynamicTensor>> {
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        let products = self.inner.products_of_rows(rows.as_ref()?, rhs)?;
        *rows = None;
        Some(products)
    }

    fn tensor(&self) -> &DynamicTensor {
        self.tensor.get_or_init(|| {
            let rows = self.take().expect("products are all that reads the rows that they compute");
            self.inner.run_block(rows.into()).remove(0)
        })
    }

    fn into_tensor(self: Box<Self>) -> DynamicTensor {
        self.tensor();
        self.tensor.into_inner().expect("just computed")
    }
}
