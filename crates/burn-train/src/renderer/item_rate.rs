use super::TrainingProgress;
use crate::Split;
use std::time::{Duration, Instant};

/// Measures the items per second of a phase of an epoch.
#[derive(Debug)]
pub(super) struct ItemRate {
    phase: Option<(Split, usize)>,
    /// End of the last batch of the phase before, or the start of the renderer.
    begin: Instant,
    /// Items of the phase that an earlier process has done.
    skipped: usize,
    last: Instant,
    per_second: Option<f64>,
}

impl ItemRate {
    pub(super) fn new(now: Instant) -> Self {
        Self { phase: None, begin: now, skipped: 0, last: now, per_second: None }
    }

    /// Takes in a batch that ended `now`.
    pub(super) fn update(&mut self, split: Split, item: &TrainingProgress, now: Instant) {
        let processed = item.progress.items_processed;
        if self.phase != Some((split, item.epoch)) {
            (self.phase, self.begin) = (Some((split, item.epoch)), self.last);
            // The first batch of a run that goes on in the middle of an epoch is not its first.
            self.skipped = processed - processed / item.iteration.max(1);
        }
        self.last = now;
        let time = now.duration_since(self.begin);
        self.per_second = (time > Duration::ZERO)
            .then(|| (processed - self.skipped.min(processed)) as f64 / time.as_secs_f64());
    }

    /// Returns the rate with its unit: `1520 items/s`.
    pub(super) fn text(&self) -> Option<String> {
        self.per_second.map(|rate| match rate {
            0.0..1.0 => format!("{rate:.2} items/s"),
            1.0..100.0 => format!("{rate:.1} items/s"),
            rate => format!("{rate:.0} items/s"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn_dataset::dataloader::Progress;

    fn item(epoch: usize, iteration: usize, items: usize) -> TrainingProgress {
        TrainingProgress { progress: Progress::new(items, 100), epoch, epoch_total: 2, iteration }
    }

    #[test]
    fn the_rate_is_that_of_the_phase() {
        let start = Instant::now();
        let at = |milliseconds| start + Duration::from_millis(milliseconds);
        let mut rate = ItemRate::new(start);
        assert_eq!(rate.text(), None);
        rate.update(Split::Train, &item(1, 1, 50), at(500));
        assert_eq!(rate.text().as_deref(), Some("100 items/s"));
        rate.update(Split::Train, &item(1, 2, 100), at(4000));
        assert_eq!(rate.text().as_deref(), Some("25.0 items/s"));
        // A phase begins when the one before it ends.
        rate.update(Split::Valid, &item(1, 1, 100), at(4250));
        assert_eq!(rate.text().as_deref(), Some("400 items/s"));
        rate.update(Split::Train, &item(2, 1, 1), at(6250));
        assert_eq!(rate.text().as_deref(), Some("0.50 items/s"));
    }

    /// Batch 5 of 10 items each is the first that this process computes.
    #[test]
    fn items_before_a_resumed_batch_do_not_count() {
        let start = Instant::now();
        let mut rate = ItemRate::new(start);
        rate.update(Split::Train, &item(2, 5, 50), start + Duration::from_secs(1));
        assert_eq!(rate.text().as_deref(), Some("10.0 items/s"));
    }
}
