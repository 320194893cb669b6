use crate::rows::WaitingRows;
use burn_backend::dynamic::DynamicTensor;
use burn_backend::{BlockRows, HasSpec, Register, TensorSpec};
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, OnceLock};

/// Slot of a value that is computed or queued.
#[derive(Debug)]
pub struct Slot {
    spec: TensorSpec,
    /// Register while the block that fills this slot is built; of no meaning at other times.
    register: AtomicU16,
    value: OnceLock<SlotValue>,
}

/// The value of a call that ran.
#[derive(Debug)]
enum SlotValue {
    Tensor(DynamicTensor),
    Rows(Box<dyn WaitingRows>),
}

impl SlotValue {
    fn tensor(&self) -> &DynamicTensor {
        match self {
            SlotValue::Tensor(tensor) => tensor,
            SlotValue::Rows(rows) => rows.tensor(),
        }
    }
}

impl HasSpec for Slot {
    fn spec(&self) -> &TensorSpec {
        &self.spec
    }
}

impl Slot {
    pub fn pending(spec: TensorSpec) -> Arc<Self> {
        Arc::new(Slot { spec, register: AtomicU16::new(0), value: OnceLock::new() })
    }

    pub fn ready(value: DynamicTensor) -> Arc<Self> {
        let (spec, register) = (value.spec().clone(), AtomicU16::new(0));
        Arc::new(Slot { spec, register, value: OnceLock::from(SlotValue::Tensor(value)) })
    }

    pub fn register(&self) -> Register {
        self.register.load(Ordering::Relaxed)
    }

    pub fn set_register(&self, register: Register) {
        self.register.store(register, Ordering::Relaxed);
    }

    /// Returns whether calls may read the value: it is computed, or rows that whoever reads them computes.
    pub fn is_ready(&self) -> bool {
        self.value.get().is_some()
    }

    pub fn value(&self) -> Option<&DynamicTensor> {
        self.value.get().map(SlotValue::tensor)
    }

    pub fn fill(&self, value: DynamicTensor) {
        self.set(SlotValue::Tensor(value));
    }

    /// Fills the slot with rows that are not computed yet.
    pub fn fill_with_rows(&self, rows: Box<dyn WaitingRows>) {
        self.set(SlotValue::Rows(rows));
    }

    fn set(&self, value: SlotValue) {
        assert!(self.value.set(value).is_ok(), "a slot is filled once");
    }

    /// Returns rows that are not computed yet, if this many products are all that reads them.
    fn rows_of(self: &Arc<Self>, products: usize) -> Option<&dyn WaitingRows> {
        match self.value.get() {
            Some(SlotValue::Rows(rows)) if Arc::strong_count(self) == products => Some(&**rows),
            Some(SlotValue::Rows(_) | SlotValue::Tensor(_)) | None => None,
        }
    }

    /// Takes rows that are not computed yet, if this many products are all that reads them: those have to.
    pub fn take_rows(self: &Arc<Self>, products: usize) -> Option<BlockRows<DynamicTensor>> {
        self.rows_of(products)?.take()
    }

    /// Computes the products of rows that are not computed yet and each of these matrices, if they are all
    /// that reads the rows, and the backend has a kernel for it.
    pub fn products_of_rows(self: &Arc<Self>, rhs: &[DynamicTensor]) -> Option<Vec<DynamicTensor>> {
        self.rows_of(rhs.len())?.products(rhs)
    }

    /// Takes the value; moved out if this is the last handle of the slot, so that it can be written in place.
    pub fn take(self: Arc<Self>) -> DynamicTensor {
        const READY: &str = "calls run in the order they came; the call that makes this value panicked";
        match Arc::try_unwrap(self) {
            Ok(slot) => match slot.value.into_inner().expect(READY) {
                SlotValue::Tensor(tensor) => tensor,
                SlotValue::Rows(rows) => rows.into_tensor(),
            },
            Err(shared) => shared.value().expect(READY).clone(),
        }
    }
}
