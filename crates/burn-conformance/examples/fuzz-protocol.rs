//! Clients that say anything, for some minutes: `cargo xtask fuzz --protocol`.

#[path = "../tests/session/mod.rs"]
mod session;

use burn_conformance::fuzz::Random;
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Failures after which it gives up.
const MOST: usize = 40;

/// Memory may grow by so much once all pools are filled.
const GROWTH: usize = 64 << 20;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let minutes: f64 = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(10.0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let seed = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(now);
    println!("seed {seed}, {minutes} minutes");
    // What sessions catch, they tell their clients.
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
            filled = memory();
        }
    }
    let grown = memory().zip(filled).map_or(0, |(now, then)| now.saturating_sub(then));
    println!(
        "{clients} clients, {frames} frames, {replies} replies, {data} of them with data, {faults} faults, {failures} went wrong"
    );
    println!("memory grew by {grown} bytes in the last three quarters");
    if failures == 0 && grown < GROWTH { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Bytes of memory of this program, where the system tells.
fn memory() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<usize>().ok().map(|kilobytes| kilobytes << 10)
}
