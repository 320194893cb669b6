use burn_backend::dynamic::DynamicTensor;
use burn_backend::{HasSpec, Register, TensorSpec};
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, OnceLock};

/// Slot of a value that is computed or queued.
#[derive(Debug)]
pub struct Slot {
    spec: TensorSpec,
    /// Register while the block that fills this slot is built; of no meaning at other times.
    register: AtomicU16,
    value: OnceLock<DynamicTensor>,
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
        Arc::new(Slot { spec, register, value: OnceLock::from(value) })
    }

    pub fn register(&self) -> Register {
        self.register.load(Ordering::Relaxed)
    }

    pub fn set_register(&self, register: Register) {
        self.register.store(register, Ordering::Relaxed);
    }

    pub fn is_ready(&self) -> bool {
        self.value.get().is_some()
    }

    pub fn value(&self) -> Option<&DynamicTensor> {
        self.value.get()
    }

    pub fn fill(&self, value: DynamicTensor) {
        assert!(self.value.set(value).is_ok(), "a slot is filled once");
    }

    /// Takes the value; moved out if this is the last handle of the slot, so that it can be written in place.
    pub fn take(self: Arc<Self>) -> DynamicTensor {
        const READY: &str = "calls run in the order they came; the call that makes this value panicked";
        match Arc::try_unwrap(self) {
            Ok(slot) => slot.value.into_inner().expect(READY),
            Err(shared) => shared.value.get().expect(READY).clone(),
        }
    }
}
