//! What was measured, of all backends and threads.

use crate::measure::Call;
use crate::report::{Report, Row};
use crate::trace::{Event, Trace};
use burn_backend::TensorSpec;
use std::any::TypeId;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

#[derive(Default)]
struct Ledger {
    /// By backend, name and operands.
    sums: HashMap<(TypeId, Cow<'static, str>, Vec<TensorSpec>), Sum>,
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
}

static LEDGER: LazyLock<Mutex<Ledger>> = LazyLock::new(Mutex::default);

/// Nothing can panic in the middle of an entry.
fn lock() -> MutexGuard<'static, Ledger> {
    LEDGER.lock().unwrap_or_else(PoisonError::into_inner)
}

pub fn add(call: Call, begin: Instant, elapsed: Duration) {
    let mut ledger = lock();
    if let Some(collecting) = ledger.traces.get_mut(&call.backend) {
        collecting.add(&call, begin, elapsed);
    }
    let Call { backend, name, operands, bytes, kernels } = call;
    let sum = ledger.sums.entry((backend, name, operands)).or_default();
    sum.count += 1;
    sum.total += elapsed;
    sum.least = Some(sum.least.map_or(elapsed, |least| least.min(elapsed)));
    sum.most = sum.most.max(elapsed);
    sum.bytes += bytes;
    for kernel in kernels {
        *sum.kernels.entry(kernel).or_default() += 1;
    }
}

impl Collecting {
    fn add(&mut self, call: &Call, begin: Instant, elapsed: Duration) {
        if self.trace.events.len() >= self.limit {
            self.trace.left_out += 1;
            return;
        }
        self.trace.events.push(Event {
            name: call.name.clone().into_owned(),
            operands: call.operands.clone(),
            thread: thread_number(),
            begin: begin.saturating_duration_since(self.since),
            duration: elapsed,
            bytes: call.bytes,
        });
    }
}

/// A small number for each thread.
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
    let own = ledger.sums.iter().filter(|((of, _, _), _)| *of == backend);
    let row = |((_, name, operands), sum): (&(TypeId, Cow<'static, str>, Vec<TensorSpec>), &Sum)| Row {
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
    lock().sums.retain(|(of, _, _), _| *of != backend);
}

pub fn start_trace(backend: TypeId, limit: usize) {
    let collecting = Collecting { since: Instant::now(), limit, trace: Trace::default() };
    lock().traces.insert(backend, collecting);
}

pub fn finish_trace(backend: TypeId) -> Trace {
    lock().traces.remove(&backend).map(|collecting| collecting.trace).unwrap_or_default()
}
