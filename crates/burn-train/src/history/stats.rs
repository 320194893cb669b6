use super::Aggregate;
use crate::metric::NumericEntry;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A numeric metric over one epoch.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EpochStats {
    /// The value of the metric over all batches.
    #[serde(with = "exact")]
    pub mean: f64,
    /// The value of the last batch.
    #[serde(with = "exact")]
    pub last: f64,
    /// The lowest value of a batch.
    #[serde(with = "exact")]
    pub min: f64,
    /// The highest value of a batch.
    #[serde(with = "exact")]
    pub max: f64,
}

impl EpochStats {
    /// Starts with one batch: the value of the metric after it, and what it logged.
    pub(super) fn new(value: f64, logged: &str) -> Self {
        let batch = batch_value(value, logged);
        Self { mean: value, last: batch, min: batch, max: batch }
    }

    pub(super) fn update(&mut self, value: f64, logged: &str) {
        let batch = batch_value(value, logged);
        self.mean = value;
        self.last = batch;
        self.min = self.min.min(batch);
        self.max = self.max.max(batch);
    }

    /// Returns one of the four.
    pub fn get(&self, aggregate: Aggregate) -> f64 {
        match aggregate {
            Aggregate::Mean => self.mean,
            Aggregate::Last => self.last,
            Aggregate::Min => self.min,
            Aggregate::Max => self.max,
        }
    }
}

/// The value of the batch alone, where the metric logs it.
fn batch_value(value: f64, logged: &str) -> f64 {
    logged.parse().map_or(value, |entry: NumericEntry| entry.value)
}

/// Numbers as text, so that NaN, infinities and every digit survive JSON.
mod exact {
    use super::*;
    use serde::de::Error;

    pub(super) fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_of_a_batch_comes_from_its_line() {
        let mut stats = EpochStats::new(4.0, "4,2");
        stats.update(3.0, "1,1");
        stats.update(5.0, "9,2");
        let all = [Aggregate::Mean, Aggregate::Last, Aggregate::Min, Aggregate::Max];
        assert_eq!(all.map(|aggregate| stats.get(aggregate)), [5.0, 9.0, 1.0, 9.0]);
    }

    #[test]
    fn a_metric_with_lines_of_its_own_gives_its_value() {
        let mut stats = EpochStats::new(0.5, "confusion: 1 2");
        stats.update(0.75, "confusion: 3 4");
        assert_eq!(stats, EpochStats { mean: 0.75, last: 0.75, min: 0.5, max: 0.75 });
    }

    #[test]
    fn json_keeps_every_number() {
        let stats = EpochStats { mean: 1.0 / 3.0, last: f64::INFINITY, min: -0.0, max: f64::MAX };
        let text = serde_json::to_string(&stats).unwrap();
        assert_eq!(serde_json::from_str::<EpochStats>(&text).unwrap(), stats);
    }
}
