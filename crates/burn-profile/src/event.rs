use burn_backend::TensorSpec;
use std::time::Duration;

/// One call.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Path of the module it belongs to, such as `encoder.layers.0` or `encoder.layers.0 (backward)`, or of
    /// the span where that is not known; empty outside of all.
    pub module: String,
    /// Path of the [`Span`](crate::Span) around it; empty outside of all.
    pub span: String,
    pub name: String,
    pub operands: Vec<TensorSpec>,
    /// A number of the thread that called, from 1.
    pub thread: u64,
    /// Since the trace began.
    pub begin: Duration,
    pub duration: Duration,
    /// Bytes of operands and results.
    pub bytes: u64,
}

/// A [`Span`](crate::Span) that ended.
#[derive(Clone, Debug, PartialEq)]
pub struct SpanEvent {
    pub path: String,
    /// A number of the thread, from 1.
    pub thread: u64,
    /// Since the trace began.
    pub begin: Duration,
    pub duration: Duration,
}
