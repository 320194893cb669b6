//! A renderer of one's own: one line that is drawn over itself, with bars for the epoch and the accuracy.

use burn::train::Split;
use burn::train::history::LearnerSummary;
use burn::train::renderer::{MetricState, MetricsRenderer, TrainingProgress};
use std::error::Error;
use std::io::Write;

// ANCHOR: renderer
/// Draws a line for each phase of an epoch: how far it is, and the latest metrics.
#[derive(Debug)]
pub struct BarRenderer<W> {
    out: W,
    metrics: Vec<(Split, String, String)>,
}

impl<W: Write + Send> BarRenderer<W> {
    /// Draws to `out`, such as the standard error.
    pub fn new(out: W) -> Self {
        Self { out, metrics: Vec::new() }
    }

    fn keep(&mut self, split: Split, state: &MetricState) {
        let entry = state.entry();
        let known = |metric: &&mut (Split, String, String)| metric.0 == split && metric.1 == entry.name;
        match self.metrics.iter_mut().find(known) {
            Some(metric) => metric.2.clone_from(&entry.formatted),
            None => self.metrics.push((split, entry.name.clone(), entry.formatted.clone())),
        }
    }

    fn draw(&mut self, split: Split, item: &TrainingProgress) {
        let (done, total) = (item.progress.items_processed, item.progress.items_total.max(1));
        let line = format!("{split} {}/{} {}", item.epoch, item.epoch_total, bar(done, total));
        let metrics = self.metrics.iter().filter(|metric| metric.0 == split);
        let metrics: String = metrics.map(|(_, name, text)| format!("  {name} {text}")).collect();
        let end = if done >= total { "\n" } else { "" };
        // The run goes on when its output is not read.
        let _ = write!(self.out, "\r{line}{metrics}{end}").and_then(|()| self.out.flush());
    }
}

impl<W: Write + Send> MetricsRenderer for BarRenderer<W> {
    fn update_train(&mut self, state: MetricState) {
        self.keep(Split::Train, &state);
    }

    fn update_valid(&mut self, state: MetricState) {
        self.keep(Split::Valid, &state);
    }

    fn render_train(&mut self, item: TrainingProgress) {
        self.draw(Split::Train, &item);
    }

    fn render_valid(&mut self, item: TrainingProgress) {
        self.draw(Split::Valid, &item);
    }

    fn on_train_end(&mut self, summary: Option<&LearnerSummary>) -> Result<(), Box<dyn Error>> {
        if let Some(summary) = summary {
            writeln!(self.out, "\n{summary}")?;
        }
        Ok(())
    }
}
// ANCHOR_END: renderer

/// Twenty characters, of which as many are full as the share that is done.
fn bar(done: usize, total: usize) -> String {
    const WIDTH: usize = 20;
    let full = (WIDTH * done / total).min(WIDTH);
    format!("[{}{}] {:3} %", "#".repeat(full), ".".repeat(WIDTH - full), 100 * done / total)
}
