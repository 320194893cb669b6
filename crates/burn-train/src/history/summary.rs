use super::RunOutcome;
use crate::Split;
use std::fmt;

/// The outcome of a run, as a table with [`Display`](fmt::Display).
#[derive(Clone, Debug, PartialEq)]
pub struct LearnerSummary {
    /// The name of the model's type.
    pub model: String,
    /// The number of epochs that the run was to make.
    pub epochs: usize,
    /// How the run ended, and which model it returned.
    pub outcome: RunOutcome,
    /// Every numeric metric, those of the training phase first.
    pub metrics: Vec<MetricSummary>,
}

/// The lowest and the highest value of a metric over the epochs.
#[derive(Clone, Debug, PartialEq)]
pub struct MetricSummary {
    /// The phase.
    pub split: Split,
    /// The name of the metric.
    pub name: String,
    /// The lowest value.
    pub min: Extreme,
    /// The highest value.
    pub max: Extreme,
}

/// A value, and the first epoch that has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extreme {
    /// The epoch, from 1.
    pub epoch: usize,
    /// The value over the epoch.
    pub value: f64,
}

impl fmt::Display for LearnerSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Model: {}", self.model)?;
        write!(f, "{}", self.outcome)?;
        let head = ["Split", "Metric", "Min", "Epoch", "Max", "Epoch"].map(String::from);
        let rows: Vec<[String; 6]> =
            std::iter::once(head).chain(self.metrics.iter().map(MetricSummary::cells)).collect();
        let widths: [usize; 6] = std::array::from_fn(|column| {
            rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0)
        });
        for (at, row) in rows.iter().enumerate() {
            write_row(f, row, &widths)?;
            if at == 0 {
                write_row(f, &widths.map(|width| "-".repeat(width)), &widths)?;
            }
        }
        Ok(())
    }
}

/// Texts are aligned left, numbers right.
fn write_row(f: &mut fmt::Formatter<'_>, row: &[String; 6], widths: &[usize; 6]) -> fmt::Result {
    for (column, (cell, &width)) in row.iter().zip(widths).enumerate() {
        let separator = if column == 0 { "| " } else { " | " };
        match column {
            0 | 1 => write!(f, "{separator}{cell:<width$}")?,
            _ => write!(f, "{separator}{cell:>width$}")?,
        }
    }
    writeln!(f, " |")
}

impl MetricSummary {
    fn cells(&self) -> [String; 6] {
        let number = |value: f64| match value.abs() {
            size if size != 0.0 && size < 1e-3 => format!("{value:.3e}"),
            _ => format!("{value:.3}"),
        };
        [
            self.split.to_string(),
            self.name.clone(),
            number(self.min.value),
            self.min.epoch.to_string(),
            number(self.max.value),
            self.max.epoch.to_string(),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::RunEnd;

    #[test]
    fn the_table_is_aligned() {
        let metric = |split, name: &str, min, max| MetricSummary {
            split,
            name: name.into(),
            min: Extreme { epoch: 1, value: min },
            max: Extreme { epoch: 10, value: max },
        };
        let summary = LearnerSummary {
            model: "Model".into(),
            epochs: 10,
            outcome: RunOutcome {
                end: RunEnd::Finished,
                epochs: 10,
                last_epoch: 10,
                best: None,
                returns_best: false,
            },
            metrics: vec![
                metric(Split::Train, "Accuracy", 81.0, 99.25),
                metric(Split::Valid, "Loss", 0.0000521, 1.5),
            ],
        };
        let table = "\
Model: Model
Epochs: 10
| Split | Metric   |      Min | Epoch |    Max | Epoch |
| ----- | -------- | -------- | ----- | ------ | ----- |
| Train | Accuracy |   81.000 |     1 | 99.250 |    10 |
| Valid | Loss     | 5.210e-5 |     1 |  1.500 |    10 |
";
        assert_eq!(summary.to_string(), table);
    }
}
