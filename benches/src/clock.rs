//! Timing of calls that are shorter than the clock can see.

use crate::allocations;
use std::time::{Duration, Instant};

/// How long one batch of calls shall take: long against the clock, short against other work on the machine.
const BATCH: Duration = Duration::from_millis(20);

/// Runs `call` so often that a batch takes [`BATCH`], and says how many nanoseconds one call took.
pub(crate) struct Batch<F> {
    call: F,
    calls: u32,
}

impl<F: FnMut()> Batch<F> {
    /// Warms up and finds the size of a batch.
    pub(crate) fn new(mut call: F) -> Self {
        call();
        let mut calls = 1;
        loop {
            let elapsed = time(&mut call, calls);
            if elapsed >= BATCH / 2 || calls >= 1 << 24 {
                return Batch { call, calls };
            }
            calls *= 2;
        }
    }

    /// New blocks of memory per call, once everything is warm.
    pub(crate) fn allocations(&mut self) -> f64 {
        allocations::per_call(&mut self.call, self.calls.min(100))
    }

    /// Nanoseconds of the clock and of the processors per call of one batch.
    pub(crate) fn times(&mut self) -> (f64, f64) {
        (self.call)();
        let start = processor();
        let nanoseconds = time(&mut self.call, self.calls).as_nanos() as f64 / f64::from(self.calls);
        let spent = processor().saturating_sub(start);
        (nanoseconds, spent.as_nanos() as f64 / f64::from(self.calls))
    }

    /// Nanoseconds per call of one batch, after a call that is not counted: processors slow down and caches
    /// lose their content while others have their turn and rest.
    pub(crate) fn nanoseconds(&mut self) -> f64 {
        (self.call)();
        time(&mut self.call, self.calls).as_nanos() as f64 / f64::from(self.calls)
    }
}

/// Time that the processors worked for this process, all threads together.
fn processor() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
}

fn time(call: &mut impl FnMut(), calls: u32) -> Duration {
    let start = Instant::now();
    (0..calls).for_each(|_| call());
    start.elapsed()
}
