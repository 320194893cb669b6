//! Damaged and hostile files for every reader, or for those whose names begin with the last argument, for some minutes: `cargo xtask
//! fuzz --files [--reader NAME]`.

#[path = "../tests/suite/files/mod.rs"]
mod files;

use burn_conformance::fuzz::Random;
use files::{Files, Outcome};
use std::alloc::{GlobalAlloc, Layout, System};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Failures after which it gives up.
const MOST: usize = 40;

/// Bytes that are allocated, and the most since it was asked last.
static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

struct Counting;

// SAFETY: the system allocates; counting touches no memory of others.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let live = LIVE.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(live, Ordering::Relaxed);
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

/// The most bytes that `load` allocates at a time.
fn peak(load: &mut dyn FnMut()) -> usize {
    let before = LIVE.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    load();
    PEAK.load(Ordering::Relaxed).saturating_sub(before)
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let minutes: f64 = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(10.0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let seed = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(now);
    println!("seed {seed}, {minutes} minutes");
    let reader = arguments.next().unwrap_or_default();
    let Some(files) = Files::new(seed, &reader) else {
        eprintln!("no reader is called {reader}");
        return ExitCode::FAILURE;
    };
    // A panic that is caught is reported with the file.
    std::panic::set_hook(Box::new(|_| {}));
    let mut random = Random::new(seed);
    let end = Instant::now() + Duration::from_secs_f64(60.0 * minutes);
    let (mut loaded, mut refused, mut failures, mut most) = (0, 0, 0, 0);
    while Instant::now() < end && failures < MOST {
        let memory = std::cell::Cell::new(0);
        let outcome = files.run(&mut random, &|load| {
            memory.set(peak(load));
            memory.get()
        });
        most = most.max(memory.get());
        match outcome {
            Ok(Outcome::Loaded) => loaded += 1,
            Ok(Outcome::Refused) => refused += 1,
            Err(error) => {
                failures += 1;
                println!("{error}");
            }
        }
    }
    println!(
        "{loaded} files loaded, {refused} refused, {failures} went wrong; at most {most} bytes of memory"
    );
    if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
