use super::{CountedMetric, FormatOptions, Metric, MetricEntry, MetricMetadata, Numeric, NumericEntry};
use crate::history::Direction;
use std::collections::HashMap;

/// BLEU score of a corpus (Papineni et al. 2002), in percent: the geometric mean of the precisions of 1-grams
/// to n-grams, times the brevity penalty `min(1, exp(1 - reference length / prediction length))`.
///
/// An n-gram of a prediction counts at most as often as in the reference that has it most often; the
/// reference length is that of the reference whose length is closest. The counts are those of the whole
/// epoch. Texts are split at white space. torchmetrics: `torchmetrics.text.BLEUScore`.
///
/// ```
/// use burn::train::metric::*;
///
/// let mut metric = BleuMetric::new();
/// let input = BleuInput::new(["the cat is on the mat"], [["there is a cat on the mat", "a cat is on the mat"]]);
/// let entry = metric.update(&input, &MetricMetadata::default());
/// assert_eq!(entry.formatted, "75.98 %");
/// ```
#[derive(Clone, Debug)]
pub struct BleuMetric {
    longest: usize,
    smooth: bool,
    total: BleuCounts,
}

/// Texts that a model made, and one or several texts that are right for each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BleuInput {
    /// The texts of the model.
    pub predictions: Vec<String>,
    /// The texts that are right for each prediction.
    pub references: Vec<Vec<String>>,
}

impl BleuInput {
    /// Pairs texts of a model with the texts that are right for each.
    ///
    /// # Panics
    /// If there are not references for each prediction.
    #[track_caller]
    pub fn new<S: Into<String>, R: IntoIterator<Item = S>>(
        predictions: impl IntoIterator<Item = S>,
        references: impl IntoIterator<Item = R>,
    ) -> Self {
        let predictions: Vec<String> = predictions.into_iter().map(S::into).collect();
        let texts = |references: R| references.into_iter().map(S::into).collect::<Vec<String>>();
        let references: Vec<Vec<String>> = references.into_iter().map(texts).collect();
        let given = references.iter().filter(|references| !references.is_empty()).count();
        assert!(
            predictions.len() == references.len() && given == references.len(),
            "BLEU: expected references for each of {} predictions, got them for {given}",
            predictions.len()
        );
        Self { predictions, references }
    }
}

/// The n-grams of predictions, by their length.
#[derive(Clone, Debug, Default)]
struct BleuCounts {
    /// Those that a reference has too, and all of them.
    ngrams: Vec<(u64, u64)>,
    prediction_length: u64,
    reference_length: u64,
}

impl BleuMetric {
    /// Counts n-grams of up to four words, without smoothing.
    pub fn new() -> Self {
        Self::with_longest(4)
    }

    /// Counts n-grams of up to `longest` words.
    ///
    /// # Panics
    /// If `longest` is zero.
    #[track_caller]
    pub fn with_longest(longest: usize) -> Self {
        assert!(longest > 0, "BLEU: expected n-grams of one word at least, got 0");
        Self { longest, smooth: false, total: BleuCounts::default() }
    }

    /// Adds one to the counts of n-grams of two or more words (Lin and Och 2004), for texts so short that a
    /// long n-gram is never hit.
    pub fn smooth(mut self) -> Self {
        self.smooth = true;
        self
    }
}

impl Default for BleuMetric {
    fn default() -> Self {
        Self::new()
    }
}

impl Metric for BleuMetric {
    type Input = BleuInput;

    fn update(&mut self, input: &BleuInput, _metadata: &MetricMetadata) -> MetricEntry {
        let counts = self.count(input);
        self.add(&[counts])
    }

    fn name(&self) -> Option<String> {
        Some("BLEU".to_string())
    }

    fn direction(&self) -> Option<Direction> {
        Some(Direction::Highest)
    }

    fn clear(&mut self) {
        self.total = BleuCounts::default();
    }

    fn as_counted(&mut self) -> Option<&mut dyn CountedMetric<Self::Input>> {
        Some(self)
    }
}

impl CountedMetric<BleuInput> for BleuMetric {
    fn count(&self, input: &BleuInput) -> Vec<f64> {
        let mut batch = BleuCounts::new(self.longest);
        for (prediction, references) in input.predictions.iter().zip(&input.references) {
            batch.add_text(prediction, references);
        }
        batch.to_numbers()
    }

    fn add(&mut self, parts: &[Vec<f64>]) -> MetricEntry {
        let mut batch = BleuCounts::new(self.longest);
        parts.iter().for_each(|part| batch.add_numbers(part));
        self.total.add(&batch);
        let entry = NumericEntry { value: batch.score(self.smooth), count: batch.prediction_length as usize };
        MetricEntry::numeric(&FormatOptions::new("BLEU").unit("%").precision(2), self.value(), entry)
    }
}

impl Numeric for BleuMetric {
    fn value(&self) -> f64 {
        self.total.score(self.smooth)
    }
}

impl BleuCounts {
    fn new(longest: usize) -> Self {
        Self { ngrams: vec![(0, 0); longest], prediction_length: 0, reference_length: 0 }
    }

    fn add_text(&mut self, prediction: &str, references: &[String]) {
        let prediction: Vec<&str> = prediction.split_whitespace().collect();
        let references: Vec<Vec<&str>> =
            references.iter().map(|text| text.split_whitespace().collect()).collect();
        let length = prediction.len();
        let closest = references.iter().map(Vec::len).min_by_key(|other| (other.abs_diff(length), *other));
        self.prediction_length += length as u64;
        self.reference_length += closest.unwrap_or(0) as u64;
        for (at, (hits, all)) in self.ngrams.iter_mut().enumerate() {
            let mut allowed: HashMap<&[&str], u64> = HashMap::new();
            for reference in &references {
                for (ngram, count) in ngrams(reference, at + 1) {
                    let most = allowed.entry(ngram).or_default();
                    *most = count.max(*most);
                }
            }
            for (ngram, count) in ngrams(&prediction, at + 1) {
                *all += count;
                *hits += count.min(allowed.get(ngram).copied().unwrap_or(0));
            }
        }
    }

    /// Returns the counts as numbers, which [`add_numbers`](Self::add_numbers) takes.
    fn to_numbers(&self) -> Vec<f64> {
        let lengths = [self.prediction_length, self.reference_length];
        let ngrams = self.ngrams.iter().flat_map(|(hits, all)| [*hits, *all]);
        lengths.into_iter().chain(ngrams).map(|count| count as f64).collect()
    }

    /// Adds counts of other texts, given as numbers.
    fn add_numbers(&mut self, numbers: &[f64]) {
        let [prediction_length, reference_length, ngrams @ ..] = numbers else { return };
        self.add(&Self {
            ngrams: ngrams.as_chunks().0.iter().map(|[hits, all]| (*hits as u64, *all as u64)).collect(),
            prediction_length: *prediction_length as u64,
            reference_length: *reference_length as u64,
        });
    }

    fn add(&mut self, other: &Self) {
        self.ngrams.resize(other.ngrams.len(), (0, 0));
        for (sum, counts) in self.ngrams.iter_mut().zip(&other.ngrams) {
            *sum = (sum.0 + counts.0, sum.1 + counts.1);
        }
        self.prediction_length += other.prediction_length;
        self.reference_length += other.reference_length;
    }

    /// Computes the percentage; 0 where n-grams of a length are never hit, NaN before the first text.
    fn score(&self, smooth: bool) -> f64 {
        if self.ngrams.is_empty() {
            return f64::NAN;
        }
        let precision = |(at, (hits, all)): (usize, &(u64, u64))| {
            let added = u64::from(smooth && at > 0);
            (hits + added) as f64 / (all + added) as f64
        };
        // With no n-gram so long, 0 of 0, there is no hit either.
        if self.ngrams[0].0 == 0 || (!smooth && self.ngrams.iter().any(|counts| counts.0 == 0)) {
            return 0.0;
        }
        let logarithms: f64 = self.ngrams.iter().enumerate().map(|counts| precision(counts).ln()).sum();
        let penalty = 1.0 - self.reference_length as f64 / self.prediction_length as f64;
        100.0 * (logarithms / self.ngrams.len() as f64 + penalty.min(0.0)).exp()
    }
}

fn ngrams<'a, 'b>(words: &'a [&'b str], length: usize) -> HashMap<&'a [&'b str], u64> {
    let mut counts = HashMap::new();
    words.windows(length).for_each(|ngram| *counts.entry(ngram).or_default() += 1);
    counts
}
