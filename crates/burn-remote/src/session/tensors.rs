use super::budget::{Account, cost};
use crate::wire::{Argument, Failure, TensorId};
use burn_backend::TensorSpec;
use burn_backend::dynamic::DynamicTensor;
use std::collections::HashMap;
use std::sync::Arc;

/// Value or failure; a failure propagates to everything computed from it.
pub type Outcome<T> = Result<T, Arc<Failure>>;

/// Table of the tensors of a session, with their memory account.
#[derive(Debug)]
pub struct Tensors {
    slots: HashMap<TensorId, Slot>,
    account: Arc<Account>,
}

#[derive(Debug)]
struct Slot {
    value: Outcome<DynamicTensor>,
    cost: u64,
}

/// Bytes reserved for tensors that do not exist yet.
#[derive(Debug)]
#[must_use]
pub struct Reserved(u64);

impl Tensors {
    pub fn new(account: Arc<Account>) -> Self {
        Tensors { slots: HashMap::new(), account }
    }

    /// # Errors
    /// When the limits do not leave so much.
    pub fn reserve(&mut self, spec: &TensorSpec) -> Result<Reserved, Failure> {
        let bytes = cost(spec);
        self.account.reserve(bytes).map(|()| Reserved(bytes))
    }

    pub fn release(&mut self, reserved: Reserved) {
        self.account.release(reserved.0);
    }

    pub fn has(&self, id: TensorId) -> bool {
        self.slots.contains_key(&id)
    }

    pub fn insert(&mut self, id: TensorId, value: DynamicTensor, reserved: Reserved) {
        self.slots.insert(id, Slot { value: Ok(value), cost: reserved.0 });
    }

    /// Stores the error in place of the tensor `id`.
    ///
    /// # Errors
    /// When the limits do not even leave room for that.
    pub fn insert_failure(&mut self, id: TensorId, failure: Arc<Failure>) -> Result<(), Failure> {
        let cost = cost(&TensorSpec::new([0], burn_backend::DType::U8));
        self.account.reserve(cost)?;
        self.slots.insert(id, Slot { value: Err(failure), cost });
        Ok(())
    }

    /// Returns the operand, and removes it from the table if the client will not use it again.
    pub fn take(&mut self, argument: Argument) -> Outcome<DynamicTensor> {
        let found = match argument.last {
            true => self.remove(argument.id),
            false => self.slots.get(&argument.id).map(|slot| slot.value.clone()),
        };
        found.unwrap_or_else(|| Err(Arc::new(Failure::UnknownTensor(argument.id))))
    }

    pub fn remove(&mut self, id: TensorId) -> Option<Outcome<DynamicTensor>> {
        let slot = self.slots.remove(&id)?;
        self.account.release(slot.cost);
        Some(slot.value)
    }
}
