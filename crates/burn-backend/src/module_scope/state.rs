use super::scope::{ModuleScope, Phase};

/// State of a thread: the scope of its next call, and the frame that it is in.
#[derive(Clone, Copy, Debug)]
pub struct State {
    pub scope: ModuleScope,
    pub frame: Frame,
    /// Whether a parameter was read inside of the frame.
    pub has_read: bool,
    /// Number of frames that have begun and not ended.
    pub depth: u32,
}

/// Innermost scope that has begun and not ended.
#[derive(Clone, Copy, Debug)]
pub enum Frame {
    /// None, in the outermost code of a thread.
    Program,
    Layer(&'static str),
    Span,
    Phase,
}

impl State {
    pub const FIRST: State = State {
        scope: ModuleScope::outside(Phase::Forward),
        frame: Frame::Program,
        has_read: false,
        depth: 0,
    };
}
