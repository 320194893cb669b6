//! Which rank keeps the state of which parameter.

use crate::data_parallel::TrainedParameter;
use burn_core::module::ParamId;

/// Parameter with the rank that updates it.
#[derive(Clone, Debug)]
pub struct OwnedParameter {
    pub parameter: TrainedParameter,
    pub owner: usize,
    /// Identifier on rank 0, which records have.
    pub record_id: ParamId,
}

/// Returns the owner of each parameter, given as their sizes: the largest first, each to the rank with the
/// least so far. No rank has more than the mean and the largest parameter together.
pub fn owners(bytes: &[usize], ranks: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..bytes.len()).collect();
    // Stable, so that parameters of one size stay in the order of the module.
    order.sort_by_key(|index| core::cmp::Reverse(bytes[*index]));
    let (mut loads, mut owners) = (vec![0_usize; ranks.max(1)], vec![0; bytes.len()]);
    for index in order {
        let least = (0..loads.len()).min_by_key(|rank| loads[*rank]).unwrap_or(0);
        loads[least] = loads[least].saturating_add(bytes[index]);
        owners[index] = least;
    }
    owners
}

#[cfg(test)]
mod tests {
    use super::owners;

    #[test]
    fn owners_balance_the_bytes() {
        assert_eq!(owners(&[1, 8, 3, 5, 4], 2), [1, 0, 0, 1, 1]);
        assert_eq!(owners(&[2, 2, 2], 4), [0, 1, 2]);
        assert!(owners(&[], 3).is_empty());
    }

    #[test]
    fn no_rank_has_more_than_the_mean_and_the_largest() {
        for ranks in 1..9 {
            let bytes: Vec<usize> = (1..40).map(|at| at * at * 37 % 1000 + 1).collect();
            let (all, largest) = (bytes.iter().sum::<usize>(), *bytes.iter().max().unwrap());
            let owners = owners(&bytes, ranks);
            for rank in 0..ranks {
                let own: usize = (0..bytes.len()).filter(|at| owners[*at] == rank).map(|at| bytes[at]).sum();
                assert!(own <= all / ranks + largest, "{own} of {all} on {ranks} ranks");
            }
        }
    }
}
