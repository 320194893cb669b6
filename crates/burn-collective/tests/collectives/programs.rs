//! Programs over random groups, on ranks and in a reference of one thread on lists of numbers.

use crate::reduced::reduced;
use crate::tensors::{B, Outcome, values, vector};
use burn::collective::{Communicator, Reduction};
use burn::data::dataset::random::Generator;
use burn::tensor::Float;

/// Two rows, whose length every number of ranks divides.
const COUNT: usize = 1680;
const STEPS: usize = 12;

#[derive(Clone, Copy, Debug)]
pub enum Call {
    AllReduce(Reduction),
    /// A part of the sum for each rank, and the parts together again, in another order.
    ReduceScatterAndGather(Reduction),
    Broadcast(usize),
    /// To the next rank, from the one before.
    Shift,
}

#[derive(Debug)]
pub struct Step {
    call: Call,
    /// Color and key by rank.
    groups: Vec<(Option<u64>, i64)>,
}

pub fn program(random: &mut Generator, ranks: usize) -> Vec<Step> {
    let reductions = [Reduction::Sum, Reduction::Mean, Reduction::Min, Reduction::Max, Reduction::Product];
    let step = |_| {
        let reduction = reductions[random.below(5)];
        let call = match random.below(4) {
            0 => Call::AllReduce(reduction),
            1 => Call::ReduceScatterAndGather(reduction),
            2 => Call::Broadcast(random.below(8)),
            _ => Call::Shift,
        };
        let colors = random.below(3) + 1;
        let group = |_| {
            let color = (!random.chance(0.15)).then(|| random.below(colors) as u64);
            (color, random.below(4) as i64 - 2)
        };
        Step { call, groups: (0..ranks).map(group).collect() }
    };
    (0..STEPS).map(step).collect()
}

/// Keeps numbers in range between steps.
fn between(values: &mut [f64], rank: usize) {
    for (at, value) in values.iter_mut().enumerate() {
        *value = (*value).clamp(-1e6, 1e6) * 0.37 + (at % 13) as f64 * 0.1 - rank as f64 * 0.21;
    }
}

pub fn start(seed: u64, rank: usize) -> Vec<f64> {
    let mut random = Generator::with_stream(seed, rank as u64);
    (0..COUNT).map(|_| random.uniform(-2.0, 2.0)).collect()
}

pub fn on_ranks(group: &Communicator, steps: &[Step], mut own: Vec<f64>) -> Outcome<Vec<f64>> {
    for step in steps {
        let (color, key) = step.groups[group.rank()];
        if let Some(part) = group.split(color, key)? {
            let (rank, count) = (part.rank(), part.world_size());
            let x = vector(&own);
            own = values(match step.call {
                Call::AllReduce(reduction) => part.all_reduce(x, reduction)?,
                Call::ReduceScatterAndGather(reduction) => {
                    let x = part.reduce_scatter(x.reshape([2, COUNT / 2]), 1, reduction)?;
                    part.all_gather(x, 1)?.reshape([COUNT])
                }
                Call::Broadcast(root) => part.broadcast(x, root % count)?,
                Call::Shift if count == 1 => x,
                Call::Shift => {
                    part.send(x, (rank + 1) % count)?;
                    part.receive::<B, 1, Float>((rank + count - 1) % count, &Default::default())?
                }
            });
        }
        between(&mut own, group.rank());
    }
    Ok(own)
}

pub fn reference(steps: &[Step], mut all: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    for step in steps {
        let before = all.clone();
        for color in 0..3 {
            let mut members: Vec<usize> =
                (0..all.len()).filter(|rank| step.groups[*rank].0 == Some(color)).collect();
            members.sort_by_key(|rank| (step.groups[*rank].1, *rank));
            let lists: Vec<&Vec<f64>> = members.iter().map(|rank| &before[*rank]).collect();
            let count = members.len();
            for (at, member) in members.iter().enumerate() {
                all[*member] = match step.call {
                    Call::AllReduce(reduction) | Call::ReduceScatterAndGather(reduction) => {
                        reduced(reduction, &lists)
                    }
                    Call::Broadcast(root) => lists[root % count].clone(),
                    Call::Shift => lists[(at + count - 1) % count].clone(),
                };
            }
        }
        all.iter_mut().enumerate().for_each(|(rank, own)| between(own, rank));
    }
    all
}
