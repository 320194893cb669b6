use super::item_rate::ItemRate;
use super::{MetricState, MetricsRenderer, TrainingProgress};
use crate::Split;
use crate::history::LearnerSummary;
use crate::metric::MetricEntry;
use std::error::Error;
use std::fmt::{self, Write as _};
use std::io::{self, Write};
use std::time::{Duration, Instant};

/// Writes a line per phase and epoch, and now and then one between: the metrics, and the speed of the phase.
///
/// ```text
/// epoch 1/10 train 1437/1437 | Accuracy 83.16 % | Loss 0.5342 | 1981 items/s
/// epoch 1/10 valid 360/360 | Accuracy 94.44 % | Loss 0.1907 | 6240 items/s
/// ```
pub struct PlainRenderer {
    out: Box<dyn Write + Send>,
    between: Between,
    entries: Vec<(Split, MetricEntry)>,
    last: Instant,
    rate: ItemRate,
    /// The last progress that was not written.
    pending: Option<(Split, TrainingProgress)>,
}

/// When a line is written before the end of a phase.
#[derive(Clone, Copy, Debug)]
enum Between {
    Iterations(usize),
    Time(Duration),
}

impl PlainRenderer {
    /// Writes to the standard output, and between at least every ten seconds.
    pub fn new() -> Self {
        Self::to(io::stdout())
    }

    /// Writes to `out`.
    pub fn to(out: impl Write + Send + 'static) -> Self {
        Self {
            out: Box::new(out),
            between: Between::Time(Duration::from_secs(10)),
            entries: Vec::new(),
            last: Instant::now(),
            rate: ItemRate::new(Instant::now()),
            pending: None,
        }
    }

    /// Writes a line every `iterations` batches and at the end of a phase, whatever the time.
    ///
    /// # Panics
    /// If `iterations` is zero.
    #[track_caller]
    pub fn every(mut self, iterations: usize) -> Self {
        assert!(iterations > 0, "a line comes after one batch at the earliest");
        self.between = Between::Iterations(iterations);
        self
    }

    fn keep(&mut self, split: Split, state: MetricState) {
        let (MetricState::Generic(entry) | MetricState::Numeric(entry, _)) = state;
        let same = |(other, old): &&mut (Split, MetricEntry)| *other == split && old.name == entry.name;
        match self.entries.iter_mut().find(same) {
            Some((_, old)) => *old = entry,
            None => self.entries.push((split, entry)),
        }
    }

    fn show(&mut self, split: Split, item: TrainingProgress) {
        self.rate.update(split, &item, Instant::now());
        let ended = item.progress.items_processed >= item.progress.items_total;
        let due = match self.between {
            Between::Iterations(number) => item.iteration.is_multiple_of(number),
            Between::Time(time) => self.last.elapsed() >= time,
        };
        if ended || due {
            self.write_line(split, &item);
        } else {
            self.pending = Some((split, item));
        }
    }

    fn write_line(&mut self, split: Split, item: &TrainingProgress) {
        let line = self.line(split, item).expect("writing to a string works");
        // A closed output is no error of the run.
        let _ = writeln!(self.out, "{line}").and_then(|()| self.out.flush());
        self.last = Instant::now();
        self.pending = None;
    }

    fn line(&self, split: Split, item: &TrainingProgress) -> Result<String, fmt::Error> {
        let TrainingProgress { progress, epoch, epoch_total, .. } = item;
        let mut line = format!("epoch {epoch}/{epoch_total} {}", split.folder());
        write!(line, " {}/{}", progress.items_processed, progress.items_total)?;
        for (_, entry) in self.entries.iter().filter(|(other, _)| *other == split) {
            write!(line, " | {} {}", entry.name, entry.formatted)?;
        }
        if let Some(rate) = self.rate.text() {
            write!(line, " | {rate}")?;
        }
        Ok(line)
    }
}

impl Default for PlainRenderer {
    fn default() -> Self {
        Self::new()
    }
}

impl MetricsRenderer for PlainRenderer {
    fn update_train(&mut self, state: MetricState) {
        self.keep(Split::Train, state);
    }

    fn update_valid(&mut self, state: MetricState) {
        self.keep(Split::Valid, state);
    }

    fn render_train(&mut self, item: TrainingProgress) {
        self.show(Split::Train, item);
    }

    fn render_valid(&mut self, item: TrainingProgress) {
        self.show(Split::Valid, item);
    }

    fn update_test(&mut self, state: MetricState) {
        self.keep(Split::Test, state);
    }

    fn render_test(&mut self, item: TrainingProgress) {
        self.show(Split::Test, item);
    }

    fn on_train_end(&mut self, summary: Option<&LearnerSummary>) -> Result<(), Box<dyn Error>> {
        if let Some((split, item)) = self.pending.take() {
            self.write_line(split, &item);
        }
        if let Some(summary) = summary {
            write!(self.out, "\n{summary}")?;
        }
        Ok(self.out.flush()?)
    }
}

impl fmt::Debug for PlainRenderer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlainRenderer").field("between", &self.between).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn_dataset::dataloader::Progress;
    use std::sync::{Arc, Mutex};

    #[derive(Clone, Default)]
    struct Output(Arc<Mutex<Vec<u8>>>);

    impl Write for Output {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Output {
        /// The lines, each without the speed that it ends with.
        fn lines(&self) -> Vec<String> {
            let text = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
            let lines = text.lines().map(|line| {
                let (line, speed) = line.rsplit_once(" | ").expect("a speed");
                let rate = speed.strip_suffix(" items/s").expect("the unit of a speed");
                assert!(rate.parse::<f64>().expect("a number") > 0.0, "{speed}");
                line.to_string()
            });
            lines.collect()
        }
    }

    fn item(iteration: usize) -> TrainingProgress {
        TrainingProgress { progress: Progress::new(iteration * 2, 6), epoch: 1, epoch_total: 2, iteration }
    }

    fn loss(text: &str) -> MetricState {
        MetricState::Numeric(MetricEntry::new("Loss", text, ""), 0.0)
    }

    #[test]
    fn a_side_ends_with_a_line_of_its_own_metrics() {
        let output = Output::default();
        let mut renderer = PlainRenderer::to(output.clone());
        for iteration in 1..=3 {
            renderer.update_train(loss(&format!("0.{iteration}")));
            renderer.render_train(item(iteration));
        }
        renderer.update_valid(MetricState::Generic(MetricEntry::new("Note", "fine", "")));
        renderer.render_valid(item(3));
        renderer.on_train_end(None).unwrap();
        assert_eq!(output.lines(), ["epoch 1/2 train 6/6 | Loss 0.3", "epoch 1/2 valid 6/6 | Note fine"]);
    }

    #[test]
    fn lines_between_and_one_for_a_run_that_is_stopped() {
        let output = Output::default();
        let mut renderer = PlainRenderer::to(output.clone()).every(2);
        for iteration in 1..=2 {
            renderer.render_train(item(iteration));
        }
        renderer.update_valid(loss("0.5"));
        renderer.render_valid(item(1));
        renderer.on_train_end(None).unwrap();
        assert_eq!(output.lines(), ["epoch 1/2 train 4/6", "epoch 1/2 valid 2/6 | Loss 0.5"]);
    }
}
