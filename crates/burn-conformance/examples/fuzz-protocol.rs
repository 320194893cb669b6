//! Clients that say anything, for some minutes: `cargo xtask fuzz --protocol`.

#[path = "../tests/suite/session/mod.rs"]
mod session;

use burn_conformance::fuzz::Random;
use burn_conformance::process::resident;
use fuzz_run::{CountingAllocator, FuzzRun, live};
use std::process::ExitCode;

/// Allowed growth of allocated bytes once all pools are filled, without the pool's own part.
const GROWTH: usize = 4 << 20;

/// Allowed growth of resident memory: the pool keeps a block of each size class that occurred, and the
/// allocator has gaps.
const RESIDENT_GROWTH: usize = 256 << 20;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

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
        let (resident, allocated) = (resident("self").unwrap_or(0), live());
        burn_ndarray::trim();
        Memory { resident, allocated, in_use: live() }
    }
}

fn main() -> ExitCode {
    let run = FuzzRun::start();
    // Sessions catch panics and report them to their clients; do not print them.
    std::panic::set_hook(Box::new(|_| {}));
    let mut random = Random::new(run.seed);
    let (mut clients, mut frames, mut replies, mut data, mut faults, mut failures) = (0, 0, 0, 0, 0, 0);
    let mut filled = None;
    while run.goes_on(failures) {
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
        if filled.is_none() && run.is_past(0.25) {
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
    FuzzRun::exit_code(failures + usize::from(grows))
}
