use super::TrainingProgress;
use crate::Split;
use crate::callback::RunInfo;
use crate::history::{LearnerSummary, RunOutcome};
use crate::metric::MetricEntry;
use std::error::Error;
use std::io::{self, Write};

/// Shows the progress of a run.
///
/// After each batch it gets the value of every metric, and then the progress of the run.
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
    /// Takes what is known before the first batch, on a run of a [`Learner`](crate::Learner). Unless written
    /// anew it does nothing.
    fn start(&mut self, run: &RunInfo<'_>) {
        let _ = run;
    }

    /// Takes the learning rate of the last step of the optimizer. Unless written anew it does nothing.
    fn update_learning_rate(&mut self, lr: f64) {
        let _ = lr;
    }

    /// Takes what a metric says about a batch that was learnt from.
    fn update_train(&mut self, state: MetricState);

    /// Takes what a metric says about a batch that was only looked at.
    fn update_valid(&mut self, state: MetricState);

    /// Shows how far the training phase of the epoch has come.
    fn render_train(&mut self, item: TrainingProgress);

    /// Shows how far the validation phase of the epoch has come.
    fn render_valid(&mut self, item: TrainingProgress);

    /// Takes what a metric says about a batch of an [`Evaluator`](crate::Evaluator). Unless written anew, it
    /// is shown as one of validation.
    fn update_test(&mut self, state: MetricState) {
        self.update_valid(state);
    }

    /// Shows how far an [`Evaluator`](crate::Evaluator) has come. Unless written anew, it is shown as
    /// validation.
    fn render_test(&mut self, item: TrainingProgress) {
        self.render_valid(item);
    }

    /// Takes what a metric says about a batch of a phase.
    fn update(&mut self, split: Split, state: MetricState) {
        match split {
            Split::Train => self.update_train(state),
            Split::Valid => self.update_valid(state),
            Split::Test => self.update_test(state),
        }
    }

    /// Shows how far a phase has come.
    fn render(&mut self, split: Split, item: TrainingProgress) {
        match split {
            Split::Train => self.render_train(item),
            Split::Valid => self.render_valid(item),
            Split::Test => self.render_test(item),
        }
    }

    /// Takes how the run ended, before the show is closed. Unless written anew it does nothing: the summary
    /// has it, and without a summary the learner writes to the standard error what the user does not expect.
    fn show_outcome(&mut self, outcome: &RunOutcome) {
        let _ = outcome;
    }

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

/// State of a metric after a batch.
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
