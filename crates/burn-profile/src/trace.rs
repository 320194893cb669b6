use crate::event::{Event, SpanEvent};
use crate::module_slices::module_slices;
use crate::report::listed;
use serde_json::{Value, json};
use std::time::Duration;

/// Calls in the order they ended, with their times.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    pub events: Vec<Event>,
    /// Spans in the order they ended.
    pub spans: Vec<SpanEvent>,
    /// Calls and spans beyond the limit, which are not kept.
    pub left_out: u64,
}

impl Trace {
    /// Returns the trace as JSON for `chrome://tracing` and Perfetto: complete events of one process, times
    /// in microseconds. Spans and modules are slices around the calls inside of them.
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
                "cat": "operation",
                "args": { "operands": listed(&event.operands), "bytes": event.bytes, "module": event.module },
            })
        };
        let span = |span: &SpanEvent| -> Value {
            json!({
                "name": span.path,
                "ph": "X",
                "pid": 1,
                "tid": span.thread,
                "ts": microseconds(span.begin),
                "dur": microseconds(span.duration),
                "cat": "module",
            })
        };
        let modules = module_slices(&self.events);
        let slices = self.spans.iter().chain(&modules).map(span);
        let events: Vec<Value> = slices.chain(self.events.iter().map(event)).collect();
        json!({
            "traceEvents": events,
            "displayTimeUnit": "ns",
            "otherData": { "left_out": self.left_out },
        })
        .to_string()
    }
}
