use super::Generator;
use crate::DatasetError;
use burn_io::available_memory;

/// Number of indices up to which the available memory is not checked.
const WITHOUT_ASKING: usize = 1 << 20;

/// Returns the numbers `0..len` in the random order of a seed and a stream.
///
/// ```
/// use burn::data::dataset::random::permutation;
///
/// let mut order = permutation(5, 42, 0);
/// assert_eq!(order, permutation(5, 42, 0));
///
/// order.sort();
/// assert_eq!(order, [0, 1, 2, 3, 4]);
/// ```
///
/// # Panics
/// If there is no memory for so many numbers; [`try_permutation`] returns an error.
#[track_caller]
pub fn permutation(len: usize, seed: u64, stream: u64) -> Vec<usize> {
    try_permutation(len, seed, stream).unwrap_or_else(|error| panic!("permutation: {error}"))
}

/// Returns what [`permutation`] does.
///
/// # Errors
/// If there is no memory for so many numbers.
///
/// ```
/// use burn::data::dataset::random::try_permutation;
///
/// assert!(try_permutation(usize::MAX, 42, 0).is_err());
/// ```
pub fn try_permutation(len: usize, seed: u64, stream: u64) -> Result<Vec<usize>, DatasetError> {
    let mut order = Vec::new();
    let bytes = (len as u64).saturating_mul(size_of::<usize>() as u64);
    // Linux promises memory that it does not have.
    let is_there = len < WITHOUT_ASKING || available_memory().is_none_or(|available| bytes <= available);
    if !is_there || order.try_reserve_exact(len).is_err() {
        return Err(DatasetError::TooManyItems { items: len });
    }
    order.extend(0..len);
    Generator::with_stream(seed, stream).shuffle(&mut order);
    Ok(order)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_of_three_is_equally_likely() {
        let mut counts = std::collections::BTreeMap::<Vec<usize>, u32>::new();
        for seed in 0..12_000 {
            *counts.entry(permutation(3, seed, 0)).or_default() += 1;
        }
        // Five standard deviations of a binomial with n = 12,000 and p = 1/6 are 204.
        assert_eq!(counts.len(), 6);
        assert!(counts.values().all(|&count| count.abs_diff(2_000) < 204), "{counts:?}");
    }

    #[test]
    fn small_lengths_are_orders_too() {
        assert_eq!(permutation(0, 1, 1), [0; 0]);
        assert_eq!(permutation(1, 1, 1), [0]);
    }
}
