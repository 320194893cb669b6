//! Candidates against each other.

use super::trial::Trial;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// Rounds in which each candidate runs once, and those that are enough where they take long.
const ROUNDS: usize = 9;
const ENOUGH: usize = 3;
/// After this no round is begun, once there are enough.
const PATIENCE: Duration = Duration::from_millis(500);
/// A first call that takes longer is not made again: what it took to compile is the smaller part.
const AGES: Duration = Duration::from_secs(1);
/// Target duration of a candidate in a round, long enough to make clock resolution and launch overhead
/// negligible.
const LONG: Duration = Duration::from_millis(1);
/// Maximum calls of a candidate in a round.
const MOST: u32 = 64;
/// Candidates slower than the fastest one by this factor at first are not measured again.
const HOPELESS: u32 = 3;
/// Relative saving below which a difference counts as noise.
const NOISE: f64 = 0.05;

/// Result of a contest.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    pub winner: usize,
    /// Median time of one call: of the winner, and of the candidate that the model recommended if it can
    /// compute the call.
    pub time: Duration,
    pub advised: Option<Duration>,
}

/// Runs all candidates in turn; nothing where none can compute the call. `rest` is called between them with
/// the time that was taken.
pub fn contest(
    trial: &mut dyn Trial,
    candidates: usize,
    advised: usize,
    mut rest: impl FnMut(Duration),
) -> Option<Verdict> {
    let mut run = |candidate: usize, calls: u32| {
        // A candidate that panics is as good as one that fails.
        let ran = catch_unwind(AssertUnwindSafe(|| trial.time(candidate, calls)));
        ran.ok().and_then(Result::ok).map(|time| time / calls)
    };
    // The first call compiles.
    let mut first = Vec::new();
    for k in 0..candidates {
        let begin = Instant::now();
        let time = run(k, 1).and_then(|time| if time > AGES { Some(time) } else { run(k, 1) });
        first.push(time);
        rest(begin.elapsed());
    }
    let fastest = first.iter().flatten().min().copied()?;
    let hopes = |k: usize| first[k].filter(|&time| k == advised || time <= fastest * HOPELESS).map(|_| k);
    let mut hopeful: Vec<usize> = (0..candidates).filter_map(hopes).collect();
    let calls = |k: usize| (LONG.div_duration_f64(first[k].unwrap_or(LONG)) as u32).clamp(1, MOST);
    let mut times: Vec<Vec<Duration>> = vec![Vec::new(); candidates];
    let mut spent = Duration::ZERO;
    for round in 0..ROUNDS {
        if hopeful.len() == 1 || (round >= ENOUGH && spent >= PATIENCE) {
            break;
        }
        let begin = Instant::now();
        hopeful.retain(|&k| run(k, calls(k)).map(|time| times[k].push(time)).is_some());
        // Each round runs the candidates in the reverse order of the one before.
        hopeful.reverse();
        let took = begin.elapsed();
        spent += took;
        rest(took);
    }
    let median = |k: usize| median(&times[k]).or(first[k]);
    let fastest = hopeful.iter().copied().min_by_key(|&k| median(k))?;
    let is_better = hopeful.contains(&advised).then(|| {
        let wins = times[fastest].iter().zip(&times[advised]).filter(|(own, other)| own < other).count();
        let saves = median(fastest)?.as_secs_f64() < median(advised)?.as_secs_f64() * (1.0 - NOISE);
        Some(saves && 4 * wins > 3 * times[advised].len())
    });
    let winner = if is_better == Some(Some(false)) { advised } else { fastest };
    let advised = hopeful.contains(&advised).then(|| median(advised)).flatten();
    Some(Verdict { winner, time: median(winner)?, advised })
}

fn median(times: &[Duration]) -> Option<Duration> {
    let mut sorted = times.to_vec();
    sorted.sort();
    sorted.get(sorted.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Candidates by the microseconds that they take; those without fail, or panic.
    struct Known(Vec<Result<u64, bool>>);

    impl Trial for Known {
        fn time(&mut self, candidate: usize, calls: u32) -> Result<Duration, String> {
            match self.0[candidate] {
                Ok(micros) => Ok(Duration::from_micros(micros) * calls),
                Err(panics) => {
                    assert!(!panics, "a kernel that panics");
                    Err("no".into())
                }
            }
        }
    }

    fn winner(times: &[Result<u64, bool>], advised: usize) -> Option<(usize, u128)> {
        let verdict = contest(&mut Known(times.to_vec()), times.len(), advised, |_| ())?;
        Some((verdict.winner, verdict.time.as_micros()))
    }

    #[test]
    fn what_saves_more_than_noise_wins() {
        assert_eq!(winner(&[Ok(100), Ok(80), Ok(90)], 0), Some((1, 80)));
        assert_eq!(winner(&[Ok(100), Ok(97)], 0), Some((0, 100)));
        assert_eq!(winner(&[Ok(100), Ok(94)], 0), Some((1, 94)));
        // However slow the advice is, it is measured.
        assert_eq!(winner(&[Ok(100), Ok(2)], 0), Some((1, 2)));
    }

    #[test]
    fn what_fails_is_out() {
        assert_eq!(winner(&[Err(false), Ok(80), Ok(79)], 0), Some((2, 79)));
        assert_eq!(winner(&[Ok(100), Err(true), Err(false)], 0), Some((0, 100)));
        assert_eq!(winner(&[Err(false), Err(true)], 1), None);
    }

    #[test]
    fn a_winner_of_some_rounds_only_is_noise() {
        /// The second candidate is slow in every third call.
        struct Noisy(u32);
        impl Trial for Noisy {
            fn time(&mut self, candidate: usize, calls: u32) -> Result<Duration, String> {
                self.0 += u32::from(candidate == 1);
                let of_second = if self.0 % 3 == 0 { 1500 } else { 900 };
                Ok(Duration::from_micros(if candidate == 0 { 1000 } else { of_second }) * calls)
            }
        }
        let verdict = contest(&mut Noisy(0), 2, 0, |_| ()).unwrap();
        assert_eq!(verdict.winner, 0);
    }
}
