//! Where the right class stands among the scores, on the host.

use burn_tensor::TensorData;

/// How many of the rows that count have their target among the `k` highest scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hits {
    pub(super) right: usize,
    pub(super) counted: usize,
}

impl Hits {
    /// Returns the share of rows that are right, in percent; NaN when none counts.
    pub(super) fn percent(self) -> f64 {
        100.0 * self.right as f64 / self.counted as f64
    }
}

/// Counts the rows of `scores` (`[rows, classes]`) whose target is among the `k` highest.
///
/// Of equal scores the first stands higher. A row with a NaN is wrong, and a row whose target is
/// `pad` does not count.
pub(super) fn hits(scores: &TensorData, targets: &TensorData, k: usize, pad: Option<usize>) -> Hits {
    let classes = scores.shape[1];
    let (scores, targets) = (scores.to_f64(), targets.to_f64());
    let mut hits = Hits { right: 0, counted: 0 };
    for (row, target) in targets.into_iter().enumerate() {
        if pad.is_some_and(|pad| target == pad as f64) {
            continue;
        }
        let scores = &scores[row * classes..(row + 1) * classes];
        hits.counted += 1;
        hits.right += usize::from(rank(scores, target).is_some_and(|rank| rank < k));
    }
    hits
}

/// Returns how many classes stand before the target; none when it is no class or a score is NaN.
fn rank(scores: &[f64], target: f64) -> Option<usize> {
    let at = (0..scores.len()).find(|&class| class as f64 == target)?;
    let own = scores[at];
    if scores.iter().any(|score| score.is_nan()) {
        return None;
    }
    let before = |(class, &score): (usize, &f64)| score > own || (score == own && class < at);
    Some(scores.iter().enumerate().filter(|&other| before(other)).count())
}

/// Checks that there are as many targets as rows of scores.
#[track_caller]
pub(super) fn check_rows(metric: &str, rows: usize, targets: usize) {
    assert!(rows == targets, "{metric}: {rows} rows of scores, but {targets} targets");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_count_from_the_highest_score() {
        let scores = [0.1, 0.7, 0.2, 0.7];
        let ranks: Vec<_> = (0..5).map(|target| rank(&scores, f64::from(target))).collect();
        assert_eq!(ranks, [Some(3), Some(0), Some(2), Some(1), None]);
        assert_eq!(rank(&[0.1, f64::NAN], 0.0), None);
        assert_eq!(rank(&[0.1, 0.2], -1.0), None);
    }
}
