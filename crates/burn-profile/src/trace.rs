use crate::report::listed;
use burn_backend::TensorSpec;
use serde_json::{Value, json};
use std::time::Duration;

/// Calls in the order they ended, with their times.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    pub events: Vec<Event>,
    /// Calls beyond the limit, which are not kept.
    pub left_out: u64,
}

/// One call.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
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

impl Trace {
    /// The trace for `chrome://tracing` and Perfetto: complete events of one process, times in microseconds.
    pub fn to_chrome_json(&self) -> String {
        let microseconds = |duration: Duration| duration.as_nanos() as f64 / 1e3;
        let event = |event: &Event| -> Value {
            json!({
                "name": event.name,
                "ph": "X",
                "pid": 1,
                "tid": event.thread,
                "ts": microseconds(event.begin),
                "dur": microseconds(event.duration),
                "args": { "operands": listed(&event.operands), "bytes": event.bytes },
            })
        };
        let events: Vec<Value> = self.events.iter().map(event).collect();
        json!({
            "traceEvents": events,
            "displayTimeUnit": "ns",
            "otherData": { "left_out": self.left_out },
        })
        .to_string()
    }
}
