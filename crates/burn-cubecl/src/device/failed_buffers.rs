//! Buffers whose allocation failed.
//!
//! `cubecl` 0.10 says in public only by the `Debug` text of a binding whether its buffer has memory: ids and
//! locations are private, and neither handles nor bindings compare. Asking the memory manager for the
//! resource does not help: a buffer without memory has the location of the first one of the first pool, and
//! the lookup panics on finding another buffer there instead of returning `IoError::NotFound`.

use cubecl::server::{Binding, Handle};

/// Buffers that there was no room for, as long as a handle exists. For the thread of the server.
#[derive(Debug, Default)]
pub struct FailedBuffers(Vec<Handle>);

impl FailedBuffers {
    pub fn add(&mut self, handle: Handle) {
        self.0.push(handle);
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether `buffer` is one of them. Nothing is looked at while there is none.
    pub fn has(&mut self, buffer: &Binding) -> bool {
        self.0.retain(|handle| !handle.memory.is_free());
        !self.0.is_empty() && format!("{:?}", buffer.memory).contains("init: 0")
    }
}
