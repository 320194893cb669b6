//! Communicator of the calls that run beside a backward pass.

use crate::{CollectiveError, Communicator};
use std::sync::{Arc, Mutex, PoisonError};

/// Communicator of its own, made at the first use: a backward pass may call collectives itself, such as those
/// of a synchronized batch norm, which keep their order on the communicator of the program.
#[derive(Clone, Debug, Default)]
pub struct Background(Arc<Mutex<Option<Communicator>>>);

impl Background {
    /// Returns the communicator. The first call is made by all ranks.
    pub fn of(&self, communicator: &Communicator) -> Result<Communicator, CollectiveError> {
        let mut made = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = &*made {
            return Ok(made.clone());
        }
        let own = if communicator.group().engine.device_collectives().is_some() {
            // Its calls are ordered by the stream of the device, and none of them waits.
            communicator.clone()
        } else {
            // Every rank gives the same color.
            communicator.split(Some(0), 0)?.unwrap_or_else(|| communicator.clone())
        };
        Ok(made.insert(own).clone())
    }
}
