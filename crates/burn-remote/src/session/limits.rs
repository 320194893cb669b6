/// Resource limits of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Largest frame in bytes, both ways.
    pub frame_bytes: usize,
    /// Bytes of all tensors of a session, a view counted as a copy, and of the workspace of running calls.
    pub session_bytes: u64,
}

impl Default for Limits {
    /// 4 MiB a frame, tensors without a limit.
    fn default() -> Self {
        Limits { frame_bytes: 4 << 20, session_bytes: u64::MAX }
    }
}
