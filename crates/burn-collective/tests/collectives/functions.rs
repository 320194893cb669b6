//! Each function, on each number of ranks.

use crate::reduced::reduced;
use crate::tensors::{B, WORLD_SIZES, bits, numbers, run, values, vector};
use burn::collective::{Communicator, Reduction};
use burn::tensor::{Float, Tensor};

const REDUCTIONS: [Reduction; 5] =
    [Reduction::Sum, Reduction::Mean, Reduction::Min, Reduction::Max, Reduction::Product];

#[test]
fn x_501_all_reduce_gives_the_bits_of_the_reference_on_every_rank() {
    for ranks in WORLD_SIZES {
        // Above and below the size from which ranks share the work.
        for count in [5, 5000] {
            let lists: Vec<_> = (0..ranks).map(|rank| numbers(rank, count)).collect();
            for reduction in REDUCTIONS {
                let expected = bits(&reduced(reduction, &lists));
                let program =
                    |group: &Communicator| group.all_reduce(vector(&lists[group.rank()]), reduction);
                for result in run(ranks, program) {
                    assert_eq!(bits(&values(result)), expected, "{reduction} of {ranks} ranks");
                }
            }
        }
    }
}

#[test]
fn x_501_all_gather_concatenates_along_each_dimension() {
    for ranks in WORLD_SIZES {
        let tensor = |rank| Tensor::<B, 3>::full([2, 3, 1], rank as f64, &Default::default());
        for dim in 0..3 {
            let expected = values(Tensor::cat((0..ranks).map(tensor).collect(), dim));
            for result in run(ranks, |group| group.all_gather(tensor(group.rank()), dim)) {
                assert_eq!(values(result), expected);
            }
        }
    }
}

#[test]
fn x_501_reduce_scatter_is_a_part_of_all_reduce() {
    for ranks in WORLD_SIZES {
        let tensor = |rank| vector(&numbers(rank, 2 * ranks * 3)).reshape([2, ranks, 3]);
        for reduction in REDUCTIONS {
            let parts = run(ranks, |group| {
                let part = group.reduce_scatter(tensor(group.rank()), 1, reduction)?;
                Ok((part, group.all_reduce(tensor(group.rank()), reduction)?))
            });
            for (rank, (part, all)) in parts.into_iter().enumerate() {
                assert_eq!(part.dims(), [2, 1, 3]);
                assert_eq!(values(part), values(all.narrow(1, rank, 1)));
            }
        }
    }
}

#[test]
fn x_501_broadcast_gives_the_values_of_each_root() {
    for ranks in WORLD_SIZES {
        for root in 0..ranks {
            for result in run(ranks, |group| group.broadcast(vector(&numbers(group.rank(), 9)), root)) {
                assert_eq!(values(result), numbers(root, 9));
            }
        }
    }
}

#[test]
fn x_501_send_and_receive_keep_the_order_of_each_pair() {
    for ranks in [2, 3, 4, 8] {
        let sums: Vec<Vec<Vec<f64>>> = run(ranks, |group| {
            let (rank, device) = (group.rank(), Default::default());
            let (next, previous) = ((rank + 1) % ranks, (rank + ranks - 1) % ranks);
            for step in 0..5 {
                group.send(vector(&[rank as f64, f64::from(step)]), next)?;
            }
            (0..5).map(|_| group.receive::<B, 1, Float>(previous, &device).map(values)).collect()
        });
        for (rank, received) in sums.into_iter().enumerate() {
            let previous = (rank + ranks - 1) % ranks;
            let expected: Vec<_> = (0..5).map(|step| vec![previous as f64, f64::from(step)]).collect();
            assert_eq!(received, expected);
        }
    }
}

#[test]
fn x_501_barrier_holds_all_ranks_until_the_last() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    for ranks in WORLD_SIZES {
        let arrived = AtomicUsize::new(0);
        let seen = run(ranks, |group| {
            arrived.fetch_add(1, Ordering::SeqCst);
            group.barrier()?;
            Ok(arrived.load(Ordering::SeqCst))
        });
        assert_eq!(seen, vec![ranks; ranks]);
    }
}

#[test]
fn x_501_split_orders_a_group_by_key_and_rank() {
    let results = run(8, |group| {
        let rank = group.rank();
        // Ranks 0 and 7 join no group; even ranks are turned round.
        let color = (rank != 0 && rank != 7).then_some(rank as u64 % 2);
        let key = if rank.is_multiple_of(2) { -(rank as i64) } else { 0 };
        let Some(part) = group.split(color, key)? else { return Ok(None) };
        let ranks = part.all_gather(vector(&[rank as f64]), 0)?;
        Ok(Some((part.rank(), values(ranks))))
    });
    let (odd, even) = (vec![1.0, 3.0, 5.0], vec![6.0, 4.0, 2.0]);
    let member = |at, list: &Vec<f64>| Some((at, list.clone()));
    let expected = [
        None,
        member(0, &odd),
        member(2, &even),
        member(1, &odd),
        member(1, &even),
        member(2, &odd),
        member(0, &even),
        None,
    ];
    assert_eq!(results, expected);
}

#[test]
fn x_501_lists_travel_together() {
    for ranks in WORLD_SIZES {
        let list = |rank| [0, 3, 2000].map(|count| vector(&numbers(rank, count))).to_vec();
        let results = run(ranks, |group| {
            let sums = group.all_reduce_list(list(group.rank()), Reduction::Sum)?;
            let sent = group.broadcast_list(list(group.rank()), ranks - 1)?;
            Ok((sums, sent))
        });
        for (sums, sent) in results {
            for (at, count) in [0, 3, 2000].into_iter().enumerate() {
                let lists: Vec<_> = (0..ranks).map(|rank| numbers(rank, count)).collect();
                assert_eq!(values(sums[at].clone()), reduced(Reduction::Sum, &lists));
                assert_eq!(values(sent[at].clone()), lists[ranks - 1]);
            }
        }
    }
}
