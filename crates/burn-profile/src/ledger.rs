//! Measurements of all backends and threads.

use crate::call::{CallSite, ProfiledCall};
use crate::event::{Event, SpanEvent};
use crate::report::{Report, Row};
use crate::trace::Trace;
use burn_backend::TensorSpec;
use burn_backend::module_scope;
use std::any::TypeId;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The backend, the span and module, the name and the operands of calls.
type Key = (TypeId, CallSite, Cow<'static, str>, Vec<TensorSpec>);

#[derive(Default)]
struct Ledger {
    sums: HashMap<Key, Sum>,
    traces: HashMap<TypeId, Collecting>,
}

#[derive(Default)]
struct Sum {
    count: u64,
    total: Duration,
    least: Option<Duration>,
    most: Duration,
    bytes: u64,
    kernels: BTreeMap<String, u64>,
}

/// A timeline that grows.
struct Collecting {
    since: Instant,
    limit: usize,
    trace: Trace,
    /// Span and module of each event of the trace, in the order of the events.
    places: Vec<CallSite>,
}

static LEDGER: LazyLock<Mutex<Ledger>> = LazyLock::new(Mutex::default);

/// Locks the ledger, which no panic can leave inconsistent.
fn lock() -> MutexGuard<'static, Ledger> {
    LEDGER.lock().unwrap_or_else(PoisonError::into_inner)
}

pub fn add(call: ProfiledCall, begin: Instant, elapsed: Duration) {
    let mut ledger = lock();
    if let Some(collecting) = ledger.traces.get_mut(&call.backend) {
        collecting.add(&call, begin, elapsed);
    }
    let ProfiledCall { backend, place, name, operands, bytes, kernels } = call;
    let sum = ledger.sums.entry((backend, place, name, operands)).or_default();
    sum.count += 1;
    sum.total += elapsed;
    sum.least = Some(sum.least.map_or(elapsed, |least| least.min(elapsed)));
    sum.most = sum.most.max(elapsed);
    sum.bytes += bytes;
    for kernel in kernels {
        *sum.kernels.entry(kernel).or_default() += 1;
    }
}

/// Puts a span that ends now into every timeline that grows.
pub fn add_span(path: &str, begin: Instant) {
    let duration = begin.elapsed();
    for collecting in lock().traces.values_mut() {
        collecting.add_span(path, begin, duration);
    }
}

impl Collecting {
    fn add_span(&mut self, path: &str, begin: Instant, duration: Duration) {
        if self.trace.spans.len() >= self.limit {
            self.trace.left_out += 1;
            return;
        }
        let begin = begin.saturating_duration_since(self.since);
        let span = SpanEvent { path: path.to_string(), thread: thread_number(), begin, duration };
        self.trace.spans.push(span);
    }

    fn add(&mut self, call: &ProfiledCall, begin: Instant, elapsed: Duration) {
        if self.trace.events.len() >= self.limit {
            self.trace.left_out += 1;
            return;
        }
        self.places.push(call.place.clone());
        self.trace.events.push(Event {
            module: String::new(),
            span: call.place.span.to_string(),
            name: call.name.clone().into_owned(),
            operands: call.operands.clone(),
            thread: thread_number(),
            begin: begin.saturating_duration_since(self.since),
            duration: elapsed,
            bytes: call.bytes,
        });
    }
}

/// Returns a small number for each thread.
fn thread_number() -> u64 {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(1);
    thread_local! {
        static OWN: u64 = NEXT.fetch_add(1, Ordering::Relaxed);
    }
    OWN.with(|number| *number)
}

pub fn report(backend: TypeId) -> Report {
    let ledger = lock();
    let own = ledger.sums.iter().filter(|((of, ..), _)| *of == backend);
    let row = |((_, place, name, operands), sum): (&Key, &Sum)| Row {
        module: place.module(),
        name: name.clone().into_owned(),
        operands: Some(operands.clone()),
        count: sum.count,
        total: sum.total,
        least: sum.least.unwrap_or_default(),
        most: sum.most,
        bytes: sum.bytes,
        kernels: sum.kernels.clone(),
    };
    Report::new(own.map(row).collect())
}

pub fn reset(backend: TypeId) {
    lock().sums.retain(|(of, ..), _| *of != backend);
}

pub fn start_trace(backend: TypeId, limit: usize) {
    module_scope::watch();
    let collecting = Collecting { since: Instant::now(), limit, trace: Trace::default(), places: Vec::new() };
    lock().traces.insert(backend, collecting);
}

pub fn finish_trace(backend: TypeId) -> Trace {
    let Some(Collecting { mut trace, places, .. }) = lock().traces.remove(&backend) else {
        return Trace::default();
    };
    trace.events.iter_mut().zip(&places).for_each(|(event, place)| event.module = place.module());
    trace
}
