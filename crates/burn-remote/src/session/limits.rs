/// What a session may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the largest frame, both ways.
    pub frame_bytes: usize,
    /// Bytes of all tensors of a session, views counted as if they were copies, and of what calls take while they run.
    pub session_bytes: u64,
}

impl Default for Limits {
    /// 4 MiB a frame, tensors without a limit.
    fn default() -> Self {
        Limits { frame_bytes: 4 << 20, session_bytes: u64::MAX }
    }
}
