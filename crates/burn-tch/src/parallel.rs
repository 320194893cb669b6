//! Work on the threads of LibTorch: those of another pool would wait for processors on which these spin
//! between two kernels.

use std::any::Any;
use std::ffi::{c_int, c_void};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Mutex, PoisonError};

unsafe extern "C" {
    /// Declared in `torch/csrc/stable/c/shim.h`: calls `work` with ranges and `context`, and returns when all
    /// have returned.
    fn torch_parallel_for(
        begin: i64,
        end: i64,
        grain: i64,
        work: extern "C" fn(i64, i64, *mut c_void),
        context: *mut c_void,
    ) -> c_int;
}

struct Context<'a> {
    work: &'a (dyn Fn(Range<usize>) + Sync),
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

extern "C" fn call(begin: i64, end: i64, context: *mut c_void) {
    // SAFETY: `for_ranges` passes a context, and waits for this.
    let context = unsafe { &*context.cast::<Context<'_>>() };
    let run = AssertUnwindSafe(|| (context.work)(begin as usize..end as usize));
    if let Err(panic) = catch_unwind(run) {
        *context.panic.lock().unwrap_or_else(PoisonError::into_inner) = Some(panic);
    }
}

/// Calls `work` with ranges that make up `0..count`, of `grain` or more each.
///
/// # Panics
/// When `work` does.
pub fn for_ranges(count: usize, grain: usize, work: &(dyn Fn(Range<usize>) + Sync)) {
    let context = Context { work, panic: Mutex::default() };
    let pointer = (&raw const context).cast_mut().cast();
    // SAFETY: the context lives until the call returns; `call` reads it alone.
    let code = unsafe { torch_parallel_for(0, count as i64, grain as i64, call, pointer) };
    if let Some(panic) = context.panic.into_inner().unwrap_or_else(PoisonError::into_inner) {
        resume_unwind(panic);
    }
    assert_eq!(code, 0, "LibTorch starts its threads");
}

#[cfg(test)]
mod tests {
    use super::for_ranges;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[test]
    fn ranges_make_up_the_whole() {
        let sum = AtomicU64::new(0);
        for_ranges(1000, 10, &|range| {
            assert!(range.len() >= 10 || range.end == 1000);
            sum.fetch_add(range.map(|at| at as u64).sum(), Ordering::Relaxed);
        });
        assert_eq!(sum.into_inner(), 499_500);
    }

    #[test]
    #[should_panic(expected = "in a range")]
    fn a_panic_of_one_range_is_that_of_the_call() {
        for_ranges(100, 1, &|range| assert!(!range.contains(&50), "in a range"));
    }
}
