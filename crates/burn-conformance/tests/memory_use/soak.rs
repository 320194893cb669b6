//! Threads that build, share, read and drop tensors of one fused backend: nothing hangs, leaks or differs.
//!
//! `BURN_SOAK_SECONDS` says how long; without it each thread makes some thousand steps.

use burn_conformance::again::again;
use burn_conformance::fuzz::Random;
use burn_fusion::Fusion;
use burn_ndarray::NdArray;
use burn_tensor::{Backend, Tensor};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

const THREADS: u64 = 4;
/// Tensors that all threads see.
const SHARED: usize = 32;
/// Steps of a thread when no time is given.
const STEPS: u64 = 3000;

/// The same value, lazily and at once.
#[derive(Clone)]
struct Pair {
    fused: Tensor<Fusion<NdArray>, 2>,
    alone: Tensor<NdArray, 2>,
}

impl Pair {
    fn new(seed: u64) -> Self {
        fn of<B: Backend>(seed: u64) -> Tensor<B, 2> {
            let at = |i: u64| ((i * 7919 + seed * 104_729) % 1000) as f32 / 500.0 - 1.0;
            let values: Vec<f32> = (0..24 * 40).map(at).collect();
            Tensor::<B, 1>::from_floats(values.as_slice(), &Default::default()).reshape([24, 40])
        }
        Pair { fused: of(seed), alone: of(seed) }
    }

    fn next(self, other: Pair, which: usize) -> Pair {
        fn step<B: Backend>(x: Tensor<B, 2>, y: Tensor<B, 2>, which: usize) -> Tensor<B, 2> {
            match which {
                0 => (x + y).tanh(),
                1 => x.clone() * (y - x).sin(),
                2 => (x.clone() - x.max_dim(1)).exp() * 0.5 + y * 0.25,
                3 => x.transpose().matmul(y).slice([0..24, 0..40]).tanh(),
                4 => x.flip([1]).clamp(-0.5, 0.75),
                5 => x.clone().mask_fill(y.lower_elem(0.0), 0.125) - x.mean_dim(1),
                6 => x.cumsum(1).cos(),
                _ => (x.abs() + 1.0).log() - y.sum_dim(1).sin(),
            }
        }
        Pair { fused: step(self.fused, other.fused, which), alone: step(self.alone, other.alone, which) }
    }

    fn check(self, steps: &str) {
        let [fused, alone] = [self.fused.into_data(), self.alone.into_data()]
            .map(|data| data.iter::<f32>().map(f32::to_bits).collect::<Vec<_>>());
        assert!(fused == alone, "{steps}: fused and unfused differ");
    }
}

/// Resident memory of the process in bytes, where the system says it.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn threads_share_a_fused_backend() {
    // Alone in its process: what other tests allocate at the same time would count as growth.
    if again(concat!(module_path!(), "::threads_share_a_fused_backend"), &[]).is_some() {
        return;
    }
    let seconds =
        std::env::var("BURN_SOAK_SECONDS").ok().map(|text| text.parse().expect("a number of seconds"));
    let end = seconds.map(|seconds: u64| Instant::now() + Duration::from_secs(seconds));
    let shared = Mutex::new((0..SHARED as u64).map(Pair::new).collect::<Vec<_>>());
    let steps = AtomicU64::new(0);
    let early = Mutex::new(None);
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (shared, steps, early) = (&shared, &steps, &early);
            scope.spawn(move || {
                let mut random = Random::new(thread);
                let mut own: Vec<Pair> = Vec::new();
                for step in 0.. {
                    if end.map_or(step >= STEPS, |end| Instant::now() >= end) {
                        break;
                    }
                    let pick = |random: &mut Random| lock(shared)[random.below(SHARED)].clone();
                    let x = match own.pop() {
                        Some(x) if random.chance(60) => x,
                        Some(_) | None => pick(&mut random),
                    };
                    let next = x.next(pick(&mut random), random.below(8));
                    match random.below(10) {
                        0..3 => own.push(next),
                        3..6 => {
                            let old = std::mem::replace(&mut lock(shared)[random.below(SHARED)], next);
                            drop(old);
                        }
                        6..8 => next.check(&format!("thread {thread}, step {step}")),
                        // Values that stay within bounds and are not all alike.
                        8 => lock(shared)[random.below(SHARED)] = Pair::new(step),
                        _ => drop(next),
                    }
                    own.truncate(8);
                    let done = steps.fetch_add(1, Ordering::Relaxed);
                    if done == THREADS * STEPS / 4 {
                        *lock(early) = resident();
                    }
                }
            });
        }
    });
    let last = std::mem::take(&mut *lock(&shared));
    last.into_iter().enumerate().for_each(|(k, pair)| pair.check(&format!("shared {k}")));
    let (early, late) = (lock(&early).take(), resident());
    println!(
        "{} steps, memory {early:?} bytes after the first thousands, {late:?} at the end",
        steps.into_inner()
    );
    if let (Some(early), Some(late)) = (early, late) {
        assert!(late < early + (64 << 20), "memory grew from {early} to {late} bytes");
    }
}
