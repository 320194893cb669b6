//! Random programs over random groups, against a reference of one thread on lists of numbers.

use crate::programs::{on_ranks, program, reference, start};
use crate::tensors::{WORLD_SIZES, bits, run};
use burn::data::dataset::random::Generator;

#[test]
fn random_programs_have_the_bits_of_the_reference() {
    for ranks in WORLD_SIZES {
        for seed in 0..12 {
            let steps = program(&mut Generator::with_stream(seed, 1000 + ranks as u64), ranks);
            let expected = reference(&steps, (0..ranks).map(|rank| start(seed, rank)).collect());
            let results = run(ranks, |group| on_ranks(group, &steps, start(seed, group.rank())));
            for (rank, (result, expected)) in results.iter().zip(&expected).enumerate() {
                assert!(bits(result) == bits(expected), "rank {rank} of {ranks}, seed {seed}: {steps:?}");
            }
        }
    }
}
