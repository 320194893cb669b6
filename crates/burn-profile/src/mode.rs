use std::fmt::Debug;

/// Timing mode: whether a call waits for the device. It is a type, so that one program can use both.
pub trait Mode: Clone + Copy + Debug + Default + Send + Sync + 'static {
    /// Whether to wait for the device after each call.
    const SYNCED: bool;
}

/// Mode that times calls as the program sees them: right for backends that compute in the call, such as
/// `NdArray`; for those that queue, it is the time to enqueue.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unsynced;

/// Mode that waits for the device after each call, so that the time of a call is that of its work, and
/// nothing overlaps or is fused.
#[derive(Clone, Copy, Debug, Default)]
pub struct Synced;

impl Mode for Unsynced {
    const SYNCED: bool = false;
}

impl Mode for Synced {
    const SYNCED: bool = true;
}
