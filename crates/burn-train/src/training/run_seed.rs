//! The random numbers of a run, which come from one number that checkpoints keep.

/// Returns the seed of a step. The backend starts anew with it before the step, so that a run that
/// is resumed anywhere draws what the first run drew.
pub(super) fn step_seed(run: u64, epoch: usize, iteration: usize) -> u64 {
    mix(mix(run ^ mix(epoch as u64)).wrapping_add(iteration as u64))
}

/// Makes the seed of a run of numbers that the backend drew.
pub(super) fn run_seed(drawn: &[f64]) -> u64 {
    drawn.iter().fold(0, |seed, number| mix(seed ^ number.to_bits()))
}

/// A bijection that scatters neighbours (the finalizer of SplitMix64, Steele et al. 2014).
fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_step_has_its_own_seed() {
        let steps = (0..100).flat_map(|epoch| (0..100).map(move |iteration| step_seed(7, epoch, iteration)));
        assert_eq!(steps.collect::<HashSet<_>>().len(), 10_000);
        assert_ne!(step_seed(7, 1, 1), step_seed(8, 1, 1));
    }

    #[test]
    fn a_run_depends_on_all_that_was_drawn() {
        assert_eq!(run_seed(&[0.1, 0.2]), run_seed(&[0.1, 0.2]));
        assert_ne!(run_seed(&[0.1, 0.2]), run_seed(&[0.2, 0.1]));
    }
}
