use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Failures after which a run ends.
const MOST_FAILURES: usize = 40;

/// A run of random cases, for some minutes.
#[derive(Debug)]
pub struct FuzzRun {
    /// Seed of the first case.
    pub seed: u64,
    /// The argument after minutes and seed, or nothing.
    pub choice: String,
    start: Instant,
    length: Duration,
}

impl FuzzRun {
    /// Starts a run with the arguments of the program: minutes (10), seed (the time) and a choice. Prints the
    /// first two, with which the run can be repeated.
    pub fn start() -> Self {
        let run = Self::of(std::env::args().skip(1));
        println!("seed {}, {} minutes", run.seed, run.length.as_secs_f64() / 60.0);
        run
    }

    fn of(mut arguments: impl Iterator<Item = String>) -> Self {
        let minutes: f64 = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(10.0);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        let seed = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(now);
        let choice = arguments.next().unwrap_or_default();
        FuzzRun { seed, choice, start: Instant::now(), length: Duration::from_secs_f64(60.0 * minutes) }
    }

    /// Whether there is time for more cases, after so many failures.
    pub fn goes_on(&self, failures: usize) -> bool {
        self.start.elapsed() < self.length && failures < MOST_FAILURES
    }

    /// Whether more than this share of the time is over.
    pub fn is_past(&self, share: f64) -> bool {
        self.start.elapsed() > self.length.mul_f64(share)
    }

    /// The exit code of a program in which so many cases went wrong.
    pub fn exit_code(failures: usize) -> ExitCode {
        if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(arguments: &[&str]) -> FuzzRun {
        FuzzRun::of(arguments.iter().map(|text| text.to_string()))
    }

    #[test]
    fn arguments_are_minutes_seed_and_choice() {
        let run = of(&["0.5", "7", "npz"]);
        assert_eq!((run.length, run.seed, &run.choice[..]), (Duration::from_secs(30), 7, "npz"));
        let run = of(&[]);
        assert_eq!((run.length, &run.choice[..]), (Duration::from_secs(600), ""));
        // A word that is no number is no seed.
        assert!(of(&["1", "any"]).seed > 1_700_000_000);
    }

    #[test]
    fn a_run_ends_with_its_time_or_with_too_many_failures() {
        let run = of(&["60"]);
        assert!(run.goes_on(39) && !run.goes_on(40));
        assert!(!run.is_past(0.5));
        let run = of(&["0"]);
        assert!(!run.goes_on(0) && run.is_past(0.5));
    }
}
