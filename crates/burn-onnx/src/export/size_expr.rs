//! Expressions of an operation's numbers in the sizes of the dynamic dimensions.

/// Sizes of the dynamic dimensions in each recording.
///
/// Recording `m` of the first `2^symbols` has the second size of each dimension whose bit is set in `m`, else
/// the first one. The last recording has the third sizes, and checks what was concluded from the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SizeTable {
    /// Names of the dimensions.
    pub names: Vec<String>,
    /// Three sizes of each dimension.
    pub choices: Vec<[usize; 3]>,
}

/// A number in each recording.
pub(super) type Number = Vec<i64>;

/// Sum of terms, each a coefficient and the dimensions it is multiplied with, as a set of bits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Polynomial(pub Vec<(i64, u32)>);

impl SizeTable {
    /// Returns the sizes in each recording.
    pub fn recordings(&self) -> Vec<Vec<usize>> {
        let symbols = self.choices.len();
        if symbols == 0 {
            return vec![Vec::new()];
        }
        let combined = (0..1_usize << symbols).map(|mask| {
            let size = |(bit, choice): (usize, &[usize; 3])| choice[mask >> bit & 1];
            self.choices.iter().enumerate().map(size).collect()
        });
        combined.chain([self.choices.iter().map(|choice| choice[2]).collect()]).collect()
    }

    /// Fits a polynomial of the sizes to these values, linear in each size, if there is one with integer
    /// coefficients.
    pub fn fit(&self, number: &[i64]) -> Option<Polynomial> {
        let symbols = self.choices.len();
        let mut values: Vec<i128> = number.iter().take(1 << symbols).map(|&value| value.into()).collect();
        for (bit, &[first, second, _]) in self.choices.iter().enumerate() {
            let (first, second) = (first as i128, second as i128);
            for mask in (0..values.len()).filter(|mask| mask >> bit & 1 == 0) {
                let difference = values[mask | 1 << bit] - values[mask];
                if difference % (second - first) != 0 {
                    return None;
                }
                let slope = difference / (second - first);
                values[mask] -= slope * first;
                values[mask | 1 << bit] = slope;
            }
        }
        let mut terms = Vec::new();
        for (set, &coefficient) in values.iter().enumerate().filter(|(_, coefficient)| **coefficient != 0) {
            terms.push((i64::try_from(coefficient).ok()?, u32::try_from(set).ok()?));
        }
        let polynomial = Polynomial(terms);
        let checks = symbols == 0 || self.value(&polynomial) == number.last().map(|&last| i128::from(last));
        checks.then_some(polynomial)
    }

    /// The value in the last recording.
    fn value(&self, polynomial: &Polynomial) -> Option<i128> {
        polynomial.0.iter().try_fold(0_i128, |sum, &(coefficient, set)| {
            let factors = self.choices.iter().enumerate().filter(|(bit, _)| set >> bit & 1 == 1);
            let product = factors.map(|(_, choice)| choice[2] as i128).try_fold(1_i128, i128::checked_mul)?;
            sum.checked_add(i128::from(coefficient).checked_mul(product)?)
        })
    }
}

/// The number, if it is the same in each recording.
pub(super) fn constant(number: &[i64]) -> Option<i64> {
    let first = *number.first()?;
    number.iter().all(|&value| value == first).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> SizeTable {
        SizeTable { names: vec!["batch".into(), "length".into()], choices: vec![[2, 3, 5], [7, 6, 4]] }
    }

    fn number(f: impl Fn(i64, i64) -> i64) -> Number {
        table().recordings().iter().map(|sizes| f(sizes[0] as i64, sizes[1] as i64)).collect()
    }

    #[test]
    fn products_and_sums_of_sizes_are_found() {
        assert_eq!(table().fit(&number(|_, _| 4)), Some(Polynomial(vec![(4, 0)])));
        assert_eq!(table().fit(&number(|batch, _| batch)), Some(Polynomial(vec![(1, 1)])));
        let both = table().fit(&number(|batch, length| 3 * batch * length - length + 1));
        assert_eq!(both, Some(Polynomial(vec![(1, 0), (-1, 2), (3, 3)])));
    }

    #[test]
    fn other_functions_of_sizes_are_not() {
        assert_eq!(table().fit(&number(|_, length| length / 2)), None);
        assert_eq!(table().fit(&number(|batch, _| batch * batch)), None);
        assert_eq!(table().fit(&number(|batch, length| batch.min(length))), None);
    }

    #[test]
    fn without_dynamic_dimensions_there_is_one_recording() {
        let table = SizeTable { names: Vec::new(), choices: Vec::new() };
        assert_eq!(table.recordings(), [Vec::<usize>::new()]);
        assert_eq!(table.fit(&[3]), Some(Polynomial(vec![(3, 0)])));
    }
}
