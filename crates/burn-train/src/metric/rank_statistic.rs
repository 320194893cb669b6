//! Area under the receiver operating characteristic, which grows with every batch.

/// The number of pairs of a positive and a negative sample in which the positive one has the higher score
/// (the Mann-Whitney U statistic), doubled, so that ties count one half.
///
/// Samples are kept in sorted runs whose lengths are about powers of two, so that a batch is compared with
/// all samples before it in `O(log^2)` each, instead of sorting the whole epoch again.
#[derive(Clone, Debug, Default)]
pub(super) struct RankStatistic {
    positives: SortedRuns,
    negatives: SortedRuns,
    doubled_wins: u128,
}

impl RankStatistic {
    /// Adds samples; those with a score of NaN are in no order and make the area NaN.
    pub(super) fn add(&mut self, samples: impl IntoIterator<Item = (f64, bool)>) {
        let (mut positives, mut negatives) = (Vec::new(), Vec::new());
        for (score, is_positive) in samples {
            if is_positive { positives.push(score) } else { negatives.push(score) }
        }
        positives.sort_by(f64::total_cmp);
        negatives.sort_by(f64::total_cmp);
        // New positives meet old negatives, then new negatives meet all positives.
        for &score in &positives {
            let (less, equal) = self.negatives.less_and_equal(score);
            self.doubled_wins += 2 * less + equal;
        }
        self.positives.insert(positives);
        let all = self.positives.len() as u128;
        for &score in &negatives {
            let (less, equal) = self.positives.less_and_equal(score);
            self.doubled_wins += 2 * (all - less - equal) + equal;
        }
        self.negatives.insert(negatives);
    }

    /// Computes the area, the share of pairs in the right order, if there are pairs.
    pub(super) fn area(&self) -> Option<f64> {
        let pairs = self.positives.len() as f64 * self.negatives.len() as f64;
        let has_nan = self.positives.has_nan() || self.negatives.has_nan();
        let area = if has_nan { f64::NAN } else { self.doubled_wins as f64 / (2.0 * pairs) };
        (pairs > 0.0).then_some(area)
    }
}

#[derive(Clone, Debug, Default)]
struct SortedRuns(Vec<Vec<f64>>);

impl SortedRuns {
    fn len(&self) -> usize {
        self.0.iter().map(Vec::len).sum()
    }

    fn has_nan(&self) -> bool {
        let is_nan = |value: Option<&f64>| value.is_some_and(|value| value.is_nan());
        self.0.iter().any(|run| is_nan(run.first()) || is_nan(run.last()))
    }

    fn less_and_equal(&self, score: f64) -> (u128, u128) {
        let mut found = (0, 0);
        for run in &self.0 {
            let less = run.partition_point(|other| *other < score);
            let not_greater = run.partition_point(|other| *other <= score);
            found = (found.0 + less as u128, found.1 + (not_greater - less) as u128);
        }
        found
    }

    /// Adds a sorted run, and merges runs until each is more than twice as long as the next.
    fn insert(&mut self, run: Vec<f64>) {
        if run.is_empty() {
            return;
        }
        self.0.push(run);
        while let [.., longer, shorter] = self.0.as_slice()
            && longer.len() <= 2 * shorter.len()
        {
            let merged = merge(longer, shorter);
            self.0.truncate(self.0.len() - 2);
            self.0.push(merged);
        }
    }
}

fn merge(lhs: &[f64], rhs: &[f64]) -> Vec<f64> {
    let mut merged = [lhs, rhs].concat();
    // Two sorted runs: the stable sort finds and merges them.
    merged.sort_by(f64::total_cmp);
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All pairs, one by one.
    fn area(samples: &[(f64, bool)]) -> f64 {
        let (mut wins, mut pairs) = (0.0, 0.0);
        for (positive, _) in samples.iter().filter(|sample| sample.1) {
            for (negative, _) in samples.iter().filter(|sample| !sample.1) {
                pairs += 1.0;
                wins +=
                    if positive > negative { 1.0 } else { f64::from(u8::from(positive == negative)) / 2.0 };
            }
        }
        wins / pairs
    }

    #[test]
    fn batches_of_any_size_give_the_area_of_all_pairs() {
        let samples: Vec<(f64, bool)> =
            (0..500_u32).map(|i| (f64::from(i * 7919 % 37), i * 31 % 7 < 3)).collect();
        for batch in [1, 2, 33, 500] {
            let mut statistic = RankStatistic::default();
            samples.chunks(batch).for_each(|batch| statistic.add(batch.iter().copied()));
            assert!((statistic.area().unwrap() - area(&samples)).abs() < 1e-12, "{batch}");
            assert!(statistic.positives.0.len() < 12);
        }
    }

    #[test]
    fn without_a_pair_or_with_nan_there_is_no_area() {
        let mut statistic = RankStatistic::default();
        statistic.add([(0.5, true)]);
        assert_eq!(statistic.area(), None);
        statistic.add([(0.25, false)]);
        assert_eq!(statistic.area(), Some(1.0));
        statistic.add([(f64::NAN, false)]);
        assert!(statistic.area().unwrap().is_nan());
    }
}
