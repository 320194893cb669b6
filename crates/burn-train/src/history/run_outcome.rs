use crate::Split;
use std::fmt;
use std::path::PathBuf;

/// How a run ended, and which model it returned, as lines with [`Display`](fmt::Display).
#[derive(Clone, Debug, PartialEq)]
pub struct RunOutcome {
    /// Why the run ended.
    pub end: RunEnd,
    /// The number of epochs that the run was to make.
    pub epochs: usize,
    /// The last epoch that was trained, by this run or before; 0 where there is none.
    pub last_epoch: usize,
    /// The best epoch, by the metric of early stopping.
    pub best: Option<BestEpoch>,
    /// Whether the model of the best epoch was returned, and not the last one.
    pub returns_best: bool,
}

/// Why a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// All epochs were trained.
    Finished,
    /// Early stopping ended it.
    StoppedEarly,
    /// It was asked to stop.
    Interrupted {
        /// Reason, as the [`Interrupter`](crate::renderer::Interrupter) was given it.
        reason: String,
        /// Batches of the last epoch that were trained, where it was stopped in its middle.
        batches: Option<usize>,
        /// The model in the checkpoint of the step, of a run that has checkpoints.
        checkpoint: Option<PathBuf>,
    },
    /// The run had ended before: it began after the last epoch, or after the one that early stopping ended.
    NothingLeft,
}

/// The best epoch of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct BestEpoch {
    /// The epoch, from 1.
    pub epoch: usize,
    /// The phase of the metric.
    pub split: Split,
    /// The name of the metric.
    pub metric: String,
    /// The value of the epoch.
    pub value: f64,
    /// The model in its checkpoint, where that is kept.
    pub checkpoint: Option<PathBuf>,
}

impl RunOutcome {
    /// Returns whether the run ended in another way than after its last epoch with the model of that.
    pub fn is_notable(&self) -> bool {
        self.end != RunEnd::Finished || self.returns_best
    }

    /// Returns how the run ended, in a few words.
    pub fn status(&self) -> String {
        let Self { epochs, last_epoch, .. } = self;
        match &self.end {
            RunEnd::Finished => format!("{epochs} epochs trained"),
            RunEnd::StoppedEarly => format!("stopped early at epoch {last_epoch} of {epochs}"),
            RunEnd::Interrupted { .. } => format!("stopped in epoch {last_epoch} of {epochs}"),
            RunEnd::NothingLeft => format!("nothing left to train after epoch {last_epoch}"),
        }
    }
}

impl fmt::Display for RunOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { epochs, last_epoch, .. } = self;
        match &self.end {
            RunEnd::Finished => writeln!(f, "Epochs: {epochs}")?,
            RunEnd::StoppedEarly => writeln!(f, "Epochs: {last_epoch} of {epochs}, stopped early")?,
            RunEnd::Interrupted { reason, batches, checkpoint } => {
                write!(f, "Epochs: {last_epoch} of {epochs}, stopped ")?;
                match batches {
                    Some(batches) => write!(f, "after {batches} batches of the last")?,
                    None => f.write_str("after the last")?,
                }
                writeln!(f, ": {reason}")?;
                match checkpoint {
                    Some(path) => writeln!(f, "Saved: {}, where `resume` goes on", path.display())?,
                    None => writeln!(f, "Saved: nothing, the run has no checkpoints")?,
                }
            }
            RunEnd::NothingLeft => {
                writeln!(
                    f,
                    "Epochs: {last_epoch} of {epochs}, nothing was left to train: the run had ended before"
                )?;
            }
        }
        if let Some(best) = &self.best {
            writeln!(f, "Best epoch: {best}")?;
        }
        match (&self.best, self.returns_best) {
            (Some(best), true) => writeln!(f, "Returned model: of epoch {}, the best", best.epoch),
            _ if self.best.is_some() || self.is_notable() => {
                writeln!(f, "Returned model: of epoch {last_epoch}, the last")
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Display for BestEpoch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { epoch, split, metric, value, checkpoint } = self;
        let precision = 4;
        write!(f, "{epoch} ({split} {metric} {value:.precision$}), ")?;
        match checkpoint {
            Some(path) => write!(f, "checkpoint {}", path.display()),
            None => f.write_str("whose checkpoint is not kept"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(end: RunEnd) -> RunOutcome {
        RunOutcome { end, epochs: 60, last_epoch: 27, best: None, returns_best: false }
    }

    #[test]
    fn the_lines_say_what_happened() {
        let finished = RunOutcome { last_epoch: 60, ..outcome(RunEnd::Finished) };
        assert_eq!(finished.to_string(), "Epochs: 60\n");
        assert!(!finished.is_notable());

        let best = BestEpoch {
            epoch: 22,
            split: Split::Valid,
            metric: "Loss".into(),
            value: 0.25,
            checkpoint: Some("run/checkpoint/model-22.mpk".into()),
        };
        let early = RunOutcome { best: Some(best), returns_best: true, ..outcome(RunEnd::StoppedEarly) };
        let text = "\
Epochs: 27 of 60, stopped early
Best epoch: 22 (Valid Loss 0.2500), checkpoint run/checkpoint/model-22.mpk
Returned model: of epoch 22, the best
";
        assert_eq!(early.to_string(), text);
        assert_eq!(early.status(), "stopped early at epoch 27 of 60");

        let nothing = outcome(RunEnd::NothingLeft).to_string();
        assert!(nothing.contains("27 of 60, nothing was left to train"), "{nothing}");
        assert!(nothing.ends_with("Returned model: of epoch 27, the last\n"), "{nothing}");

        let end = RunEnd::Interrupted { reason: "enough".into(), batches: Some(3), checkpoint: None };
        let stopped = outcome(end).to_string();
        assert!(
            stopped.starts_with("Epochs: 27 of 60, stopped after 3 batches of the last: enough\n"),
            "{stopped}"
        );
    }
}
