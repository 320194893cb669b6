use alloc::vec::Vec;
use burn_backend::Taps;
use core::ops::Range;

/// A matrix whose rows are zero but for neighbouring elements.
#[derive(Clone, Debug)]
pub struct Bands<E> {
    /// The column at which each row begins.
    first: Vec<usize>,
    /// Where its elements are in `weights`: from an entry to the next.
    starts: Vec<usize>,
    weights: Vec<E>,
}

impl Bands<f64> {
    /// Creates the 1 x 1 identity.
    pub fn one() -> Self {
        Bands { first: [0].into(), starts: [0, 1].into(), weights: [1.0].into() }
    }

    /// A row for each result. An edge that is repeated is one element with the sum of the weights.
    pub fn new(taps: &Taps) -> Self {
        let rows = taps.sources.len() / taps.count;
        let mut bands = Bands {
            first: Vec::with_capacity(rows),
            starts: Vec::with_capacity(rows + 1),
            weights: Vec::with_capacity(taps.weights.len()),
        };
        bands.starts.push(0);
        for (sources, weights) in taps.sources.chunks(taps.count).zip(taps.weights.chunks(taps.count)) {
            bands.first.push(sources[0]);
            let mut last = None;
            for (&source, &weight) in sources.iter().zip(weights) {
                match bands.weights.last_mut() {
                    Some(sum) if last == Some(source) => *sum += weight,
                    _ => bands.weights.push(weight),
                }
                last = Some(source);
            }
            bands.starts.push(bands.weights.len());
        }
        bands
    }

    /// The columns, of which there are `columns`, as rows. Rows that meet a column are neighbours, because
    /// both ends of a band only move to the right.
    pub fn transposed(&self, columns: usize) -> Self {
        let mut starts = alloc::vec![0; columns + 1];
        for row in 0..self.len() {
            self.columns(row).for_each(|column| starts[column + 1] += 1);
        }
        for column in 0..columns {
            starts[column + 1] += starts[column];
        }
        let (mut first, mut next) = (alloc::vec![0; columns], starts.clone());
        let mut weights = alloc::vec![0.0; self.weights.len()];
        for row in 0..self.len() {
            for (column, &weight) in self.columns(row).zip(self.weights(row)) {
                if next[column] == starts[column] {
                    first[column] = row;
                }
                weights[next[column]] = weight;
                next[column] += 1;
            }
        }
        Bands { first, starts, weights }
    }

    pub fn with<E>(self, f: impl Fn(f64) -> E) -> Bands<E> {
        Bands { first: self.first, starts: self.starts, weights: self.weights.into_iter().map(f).collect() }
    }
}

impl<E> Bands<E> {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.first.len()
    }

    /// The columns in which a row is not zero.
    #[inline(always)]
    pub fn columns(&self, row: usize) -> Range<usize> {
        self.first[row]..self.first[row] + self.starts[row + 1] - self.starts[row]
    }

    #[inline(always)]
    pub fn weights(&self, row: usize) -> &[E] {
        &self.weights[self.starts[row]..self.starts[row + 1]]
    }

    /// The longest row.
    pub fn width(&self) -> usize {
        (0..self.len()).map(|row| self.columns(row).len()).max().unwrap_or(0)
    }

    /// Where the bands of some rows begin, and their elements, row after row.
    pub fn range(&self, rows: Range<usize>) -> (&[usize], &[E]) {
        (&self.first[rows.clone()], &self.weights[self.starts[rows.start]..self.starts[rows.end]])
    }

    /// Neighbouring rows with bands of one width, and that width.
    pub fn runs(&self) -> Vec<(Range<usize>, usize)> {
        let mut runs: Vec<(Range<usize>, usize)> = Vec::new();
        for row in 0..self.len() {
            let width = self.columns(row).len();
            match runs.last_mut() {
                Some((rows, same)) if *same == width => rows.end += 1,
                _ => runs.push((row..row + 1, width)),
            }
        }
        runs
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn_backend::{InterpolateMode, Interpolation};

    fn dense(bands: &Bands<f64>, columns: usize) -> Vec<Vec<f64>> {
        let row = |row: usize| {
            let mut dense = vec![0.0; columns];
            dense[bands.columns(row)].copy_from_slice(bands.weights(row));
            dense
        };
        (0..bands.len()).map(row).collect()
    }

    #[test]
    fn bands_hold_the_sums_of_the_taps_and_turn_over() {
        for mode in InterpolateMode::ALL {
            for (input, output) in [(1, 4), (5, 12), (12, 5), (7, 7), (2, 1)] {
                for align_corners in [false, true] {
                    let taps = Interpolation { mode, align_corners, factors: vec![] }.taps(0, input, output);
                    let bands = Bands::new(&taps);
                    let mut sums = vec![vec![0.0; input]; output];
                    for (i, (&source, &weight)) in taps.sources.iter().zip(&taps.weights).enumerate() {
                        sums[i / taps.count][source] += weight;
                    }
                    assert_eq!(dense(&bands, input), sums);
                    let turned = dense(&bands.transposed(input), output);
                    let expected: Vec<Vec<f64>> =
                        (0..input).map(|i| sums.iter().map(|row| row[i]).collect()).collect();
                    assert_eq!(turned, expected);
                    let covered: usize = bands.runs().iter().map(|(rows, width)| rows.len() * width).sum();
                    assert_eq!(covered, bands.weights.len());
                }
            }
        }
    }
}
