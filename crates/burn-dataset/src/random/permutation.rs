use super::Generator;

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
pub fn permutation(len: usize, seed: u64, stream: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..len).collect();
    Generator::with_stream(seed, stream).shuffle(&mut order);
    order
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
