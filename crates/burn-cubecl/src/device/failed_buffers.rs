use cubecl::server::{Binding, Handle};

/// Buffers that there was no room for, as long as somebody has one. For the thread of the server.
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
        // The memory manager tells nobody whether a handle has a place, but in this text.
        !self.0.is_empty() && format!("{:?}", buffer.memory).contains("init: 0")
    }
}
