//! Which rows have the right class among those that were chosen, on the host.

use burn_tensor::TensorData;

/// How many of the rows that count are right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hits {
    pub(super) right: usize,
    pub(super) counted: usize,
}

impl Hits {
    /// Counts the rows of `chosen` (`[rows, k]`) that hold their target (`[rows]`). A row whose
    /// target is `pad` does not count.
    ///
    /// # Panics
    /// If there are not as many targets as rows.
    #[track_caller]
    pub(super) fn count(chosen: &TensorData, targets: &TensorData, pad: Option<usize>) -> Self {
        let [rows, k] = [chosen.shape[0], chosen.shape[1]];
        assert!(
            rows == targets.num_elements(),
            "{rows} rows of scores, but {} targets",
            targets.num_elements()
        );
        let (mut chosen, mut hits) = (chosen.iter::<i64>(), Self { right: 0, counted: 0 });
        for target in targets.iter::<i64>() {
            let right = chosen.by_ref().take(k).filter(|&class| class == target).count() > 0;
            if pad.is_none_or(|pad| i64::try_from(pad) != Ok(target)) {
                hits.counted += 1;
                hits.right += usize::from(right);
            }
        }
        hits
    }

    /// Returns the share of rows that are right, in percent; NaN when none counts.
    pub(super) fn percent(self) -> f64 {
        100.0 * self.right as f64 / self.counted as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_its_own_choice() {
        let chosen = TensorData::new([1_i64, 2, 0, 1, 2, 0, 2, 0], [4, 2]);
        let targets = TensorData::new([2_i64, 2, 0, 7], [4]);
        assert_eq!(Hits::count(&chosen, &targets, None), Hits { right: 2, counted: 4 });
        assert_eq!(Hits::count(&chosen, &targets, Some(2)), Hits { right: 1, counted: 2 });
    }
}
