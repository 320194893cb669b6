//! Metrics over ranks: means of values, and counts that are added up.

use super::rank_group::RankGroup;
use crate::TrainError;
use crate::metric::{FormatOptions, MetricEntry, NumericEntry};
use crate::renderer::MetricState;
use serde::{Deserialize, Serialize};

/// Metrics of this rank in a phase.
#[derive(Debug, Default)]
pub(super) struct RankMetrics {
    own: Vec<RankMetric>,
    /// Counts of the batch, of each metric that has counts.
    counts: Vec<Vec<f64>>,
}

/// Metric of one rank.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct RankMetric {
    name: String,
    /// Bits of the value of the batch, which may be NaN, and what it counts.
    batch: (u64, u64),
    /// Bits of the value over the phase so far, and what its batches count.
    phase: (u64, u64),
}

impl RankMetrics {
    /// Begins a phase.
    pub(super) fn clear(&mut self) {
        self.own.clear();
        self.counts.clear();
    }

    /// Adds the counts of the batch of this rank, of the next metric that has counts.
    pub(super) fn add_counts(&mut self, counts: Vec<f64>) {
        self.counts.push(counts);
    }

    /// Replaces the values of this rank by means over all ranks; a rank without a batch gets those of the
    /// others. Returns the counts of each metric that has counts, one part from each rank with a batch.
    ///
    /// # Errors
    /// If a rank ended or failed.
    pub(super) fn combine(
        &mut self,
        group: &dyn RankGroup,
        states: &mut Vec<MetricState>,
    ) -> Result<Vec<Vec<Vec<f64>>>, TrainError> {
        self.take(states);
        let values = serde_json::to_vec(&self.own).unwrap_or_default();
        let messages = group.gather(&encode(&values, &std::mem::take(&mut self.counts)))?;
        let (lists, counts): (Vec<Vec<RankMetric>>, Vec<Vec<Vec<f64>>>) = messages
            .iter()
            .filter_map(|bytes| decode(bytes))
            .map(|(values, counts)| (serde_json::from_slice(values).unwrap_or_default(), counts))
            .unzip();
        // Rank 0 has a part of every batch, so it has every metric.
        for first in lists.first().into_iter().flatten() {
            let same: Vec<&RankMetric> =
                lists.iter().flatten().filter(|metric| metric.name == first.name).collect();
            let batch = mean(same.iter().map(|metric| metric.batch));
            let (value, _) = mean(same.iter().map(|metric| metric.phase));
            let serialized = NumericEntry { value: batch.0, count: batch.1 }.to_string();
            let is_same = |state: &&mut MetricState| matches!(state, MetricState::Numeric(entry, _) if entry.name == first.name);
            match states.iter_mut().find(is_same) {
                Some(MetricState::Numeric(entry, old)) => {
                    (entry.formatted, entry.serialized) = (with_value(&entry.formatted, value), serialized);
                    *old = value;
                }
                Some(MetricState::Generic(_)) | None => {
                    let entry = MetricEntry::new(first.name.clone(), value.to_string(), serialized);
                    states.push(MetricState::Numeric(entry, value));
                }
            }
        }
        Ok(by_metric(counts))
    }

    /// Takes the values of the batch of this rank.
    fn take(&mut self, states: &[MetricState]) {
        for metric in &mut self.own {
            metric.batch = (f64::NAN.to_bits(), 0);
        }
        for state in states {
            let MetricState::Numeric(entry, value) = state else { continue };
            let batch: Result<NumericEntry, _> = entry.serialized.parse();
            let batch = batch.unwrap_or(NumericEntry { value: *value, count: 1 });
            let batch = (batch.value.to_bits(), batch.count as u64);
            match self.own.iter_mut().find(|metric| metric.name == entry.name) {
                Some(metric) => {
                    metric.batch = batch;
                    metric.phase = (value.to_bits(), metric.phase.1 + batch.1);
                }
                None => {
                    let phase = (value.to_bits(), batch.1);
                    self.own.push(RankMetric { name: entry.name.clone(), batch, phase });
                }
            }
        }
    }
}

/// Writes some bytes and lists of numbers, each after its length.
fn encode(values: &[u8], counts: &[Vec<f64>]) -> Vec<u8> {
    let length = |length: usize| (length as u64).to_le_bytes();
    let mut bytes = [&length(values.len()), values].concat();
    for numbers in counts {
        bytes.extend(length(numbers.len()));
        bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    }
    bytes
}

/// Reads what [`encode`] wrote; none where it is shorter.
fn decode(bytes: &[u8]) -> Option<(&[u8], Vec<Vec<f64>>)> {
    let length = |bytes: &[u8; 8]| usize::try_from(u64::from_le_bytes(*bytes)).ok();
    let (values, rest) = bytes.split_first_chunk()?;
    let (values, mut rest) = rest.split_at_checked(length(values)?)?;
    let mut counts = Vec::new();
    while let Some((numbers, next)) = rest.split_first_chunk() {
        let (numbers, next) = next.split_at_checked(length(numbers)?.checked_mul(8)?)?;
        counts.push(numbers.as_chunks().0.iter().map(|number| f64::from_le_bytes(*number)).collect());
        rest = next;
    }
    Some((values, counts))
}

/// Orders counts of each rank by metric, of the ranks that have them.
fn by_metric(ranks: Vec<Vec<Vec<f64>>>) -> Vec<Vec<Vec<f64>>> {
    let mut metrics = vec![Vec::new(); ranks.iter().map(Vec::len).max().unwrap_or(0)];
    for (metric, counts) in ranks.into_iter().flat_map(|counts| counts.into_iter().enumerate()) {
        metrics[metric].push(counts);
    }
    metrics
}

/// Returns the mean of values by what they count, and the sum of that. Values that count nothing are left
/// out.
fn mean(parts: impl Iterator<Item = (u64, u64)>) -> (f64, usize) {
    let (mut sum, mut count, mut only) = (0.0, 0, None);
    for (bits, part) in parts.filter(|(_, count)| *count > 0) {
        let value = f64::from_bits(bits);
        // One value keeps its bits.
        only = if count == 0 { Some(value) } else { None };
        sum += value * part as f64;
        count += part;
    }
    let value = only.unwrap_or(if count == 0 { f64::NAN } else { sum / count as f64 });
    (value, usize::try_from(count).unwrap_or(usize::MAX))
}

/// Writes another number where `text` begins with one, with as many decimals.
fn with_value(text: &str, value: f64) -> String {
    let (number, unit) = text.split_once(' ').map_or((text, None), |(number, unit)| (number, Some(unit)));
    if number.parse::<f64>().is_err() {
        return text.to_string();
    }
    let digits = number.split(['e', 'E']).next().and_then(|number| number.split_once('.'));
    let mut format = FormatOptions::new("");
    if let Some((_, decimals)) = digits {
        format = format.precision(decimals.len());
    }
    if let Some(unit) = unit {
        format = format.unit(unit);
    }
    format.format(value)
}

#[cfg(test)]
mod tests {
    use super::{by_metric, decode, encode, mean, with_value};

    #[test]
    fn means_are_weighted_and_leave_out_what_counts_nothing() {
        let bits = |value: f64| value.to_bits();
        assert_eq!(mean([(bits(1.0), 3), (bits(5.0), 1), (bits(f64::NAN), 0)].into_iter()), (2.0, 4));
        assert_eq!(mean([(bits(0.1), 3)].into_iter()), (0.1, 3));
        assert!(mean([(bits(0.1), 3), (bits(f64::NAN), 1)].into_iter()).0.is_nan());
        assert!(mean(core::iter::empty()).0.is_nan());
    }

    #[test]
    fn messages_keep_values_and_counts_and_short_ones_are_none() {
        let counts = vec![vec![0.5, f64::INFINITY], vec![], vec![-0.0]];
        let bytes = encode(b"values", &counts);
        assert_eq!(decode(&bytes), Some((&b"values"[..], counts)));
        assert_eq!(decode(&encode(b"", &[])), Some((&b""[..], vec![])));
        assert_eq!(decode(&bytes[..10]), None);
        assert_eq!(decode(&bytes[..bytes.len() - 1]), None);
    }

    #[test]
    fn counts_are_ordered_by_metric_and_rank() {
        let ranks = vec![vec![vec![1.0], vec![2.0]], vec![], vec![vec![3.0], vec![4.0]]];
        assert_eq!(by_metric(ranks), [[[1.0], [3.0]], [[2.0], [4.0]]]);
    }

    #[test]
    fn texts_keep_their_unit_and_decimals() {
        assert_eq!(with_value("62.50 %", 12.345), "12.35 %");
        assert_eq!(with_value("0.123", 2.0), "2.000");
        assert_eq!(with_value("1.250e-4", 0.5), "0.500");
        assert_eq!(with_value("NaN", 0.5), "0.5");
        assert_eq!(with_value("some text", 0.5), "some text");
    }
}
