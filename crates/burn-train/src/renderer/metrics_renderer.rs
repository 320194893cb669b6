use super::TrainingProgress;
use crate::history::LearnerSummary;
use crate::metric::MetricEntry;
use std::error::Error;
use std::io::{self, Write};

/// Shows the progress of a run.
///
/// After each batch it is told what every metric says, and then how far the run has come.
///
/// ```
/// use burn::train::renderer::{MetricState, MetricsRenderer, TrainingProgress};
///
/// struct Dots;
///
/// impl MetricsRenderer for Dots {
///     fn update_train(&mut self, _state: MetricState) {}
///     fn update_valid(&mut self, _state: MetricState) {}
///     fn render_train(&mut self, _item: TrainingProgress) {
///         print!(".");
///     }
///     fn render_valid(&mut self, _item: TrainingProgress) {
///         print!(":");
///     }
/// }
/// ```
pub trait MetricsRenderer: Send {
    /// Takes what a metric says about a batch that was learnt from.
    fn update_train(&mut self, state: MetricState);

    /// Takes what a metric says about a batch that was only looked at.
    fn update_valid(&mut self, state: MetricState);

    /// Shows how far the training side of the epoch has come.
    fn render_train(&mut self, item: TrainingProgress);

    /// Shows how far the validation side of the epoch has come.
    fn render_valid(&mut self, item: TrainingProgress);

    /// Ends the show, and shows the summary if the user wants one. Called once, also after an error.
    /// Unless written anew, it writes the summary to the standard output.
    ///
    /// # Errors
    /// If the renderer cannot put the terminal back or show the summary; the run is a success still.
    fn on_train_end(&mut self, summary: Option<&LearnerSummary>) -> Result<(), Box<dyn Error>> {
        match summary {
            Some(summary) => Ok(write!(io::stdout(), "{summary}")?),
            None => Ok(()),
        }
    }

    /// Waits until the user closes the show. Called before the end of a run that is to stay visible.
    fn manual_close(&mut self) {}
}

/// What a metric says.
#[derive(Clone, Debug, PartialEq)]
pub enum MetricState {
    /// Something that cannot be plotted.
    Generic(MetricEntry),
    /// A number: the value over the epoch so far.
    Numeric(MetricEntry, f64),
}

impl MetricState {
    /// Returns what is said, for people and logs.
    pub fn entry(&self) -> &MetricEntry {
        match self {
            Self::Generic(entry) | Self::Numeric(entry, _) => entry,
        }
    }
}
