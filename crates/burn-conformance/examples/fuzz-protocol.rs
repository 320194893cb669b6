//! Clients that say anything, for some minutes: `cargo xtask fuzz --protocol`.

#[path = "../tests/suite/session/mod.rs"]
mod session;

use burn_conformance::fuzz::Random;
use burn_conformance::process::resident;
use std::alloc::{GlobalAlloc, Layout, System};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Failures after which it gives up.
const MOST: usize = 40;

/// Allowed growth of allocated bytes once all pools are filled, without the pool's own part.
const GROWTH: usize = 4 << 20;

/// Allowed growth of resident memory: the pool keeps a block of each size class that occurred, and the
/// allocator has gaps.
const RESIDENT_GROWTH: usize = 256 << 20;

/// Bytes that are allocated.
static LIVE: AtomicUsize = AtomicUsize::new(0);

struct Counting;

// SAFETY: the system allocates; counting touches no memory of others.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: by the contract of the caller.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: by the contract of the caller.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Memory of this process in bytes.
#[derive(Clone, Copy)]
struct Memory {
    /// Resident memory; 0 where the system does not report it.
    resident: usize,
    /// Allocated bytes, the pool of tensors included.
    allocated: usize,
    /// Allocated bytes without the free blocks of the pool.
    in_use: usize,
}

impl Memory {
    fn now() -> Self {
        let (resident, allocated) = (resident("self").unwrap_or(0), LIVE.load(Ordering::Relaxed));
        burn_ndarray::trim();
        Memory { resident, allocated, in_use: LIVE.load(Ordering::Relaxed) }
    }
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let minutes: f64 = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(10.0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let seed = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(now);
    println!("seed {seed}, {minutes} minutes");
    // Sessions catch panics and report them to their clients; do not print them.
    std::panic::set_hook(Box::new(|_| {}));
    let mut random = Random::new(seed);
    let start = Instant::now();
    let length = Duration::from_secs_f64(60.0 * minutes);
    let (mut clients, mut frames, mut replies, mut data, mut faults, mut failures) = (0, 0, 0, 0, 0, 0);
    let mut filled = None;
    while start.elapsed() < length && failures < MOST {
        for _ in 0..200 {
            clients += 1;
            match session::run(&mut random) {
                Ok(outcome) => {
                    frames += outcome.frames;
                    replies += outcome.replies;
                    data += outcome.data;
                    faults += usize::from(outcome.fault);
                }
                Err(error) => {
                    failures += 1;
                    println!("client {clients}: {error}");
                }
            }
        }
        if filled.is_none() && start.elapsed() > length / 4 {
            filled = Some(Memory::now());
        }
    }
    println!(
        "{clients} clients, {frames} frames, {replies} replies, {data} of them with data, {faults} faults, {failures} went wrong"
    );
    let (end, filled) = (Memory::now(), filled.unwrap_or_else(Memory::now));
    println!("bytes after a quarter and at the end:");
    println!("  resident            {:>12} {:>12}", filled.resident, end.resident);
    println!("  allocated           {:>12} {:>12}", filled.allocated, end.allocated);
    println!("  without the pool    {:>12} {:>12}", filled.in_use, end.in_use);
    let grows = end.in_use > filled.in_use + GROWTH || end.resident > filled.resident + RESIDENT_GROWTH;
    if failures == 0 && !grows { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
