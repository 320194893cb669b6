//! Threads that end at random moments while others wait for them.

use burn::backend::NdArray;
use burn::collective::{CollectiveError, Communicator, Local, Reduction};
use burn::data::dataset::random::Generator;
use burn::tensor::{Float, Tensor};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const RANKS: usize = 4;

fn x(group: &Communicator) -> Tensor<NdArray, 1> {
    Tensor::full([5000], group.rank() as f32, &Default::default())
}

fn step(group: &Communicator, pair: &Communicator) -> Result<(), CollectiveError> {
    let (rank, ranks) = (group.rank(), group.world_size());
    group.all_reduce(x(group), Reduction::Sum)?;
    pair.all_gather(x(group), 0)?;
    group.send(x(group), (rank + 1) % ranks)?;
    group.receive::<NdArray, 1, Float>((rank + ranks - 1) % ranks, &Default::default())?;
    group.barrier()
}

/// Calls collectives until `ends` is set, at which the rank ends in the middle of others' calls, or one
/// fails.
fn program(group: &Communicator, ends: Option<&AtomicBool>) -> Result<(), CollectiveError> {
    let pair = group.split(Some(group.rank() as u64 / 2), 0)?.expect("a color was given");
    loop {
        match ends {
            Some(ends) if ends.load(Ordering::SeqCst) => return Ok(()),
            _ => step(group, &pair)?,
        }
    }
}

#[test]
fn x_507_thirty_ranks_that_end_are_named_by_all_others() {
    let mut random = Generator::with_stream(7, 0);
    for round in 0..30 {
        let (ended, time) = (random.below(RANKS), Duration::from_micros(random.below(20_000) as u64));
        let ends = AtomicBool::new(false);
        let start = Instant::now();
        let results = std::thread::scope(|scope| {
            let ranks = scope.spawn(|| {
                Local::run(RANKS, |group| program(&group, (group.rank() == ended).then_some(&ends))).unwrap()
            });
            std::thread::sleep(time);
            ends.store(true, Ordering::SeqCst);
            ranks.join().unwrap()
        });
        assert!(start.elapsed() < Duration::from_secs(20), "round {round}: {:?}", start.elapsed());
        for (rank, result) in results.into_iter().enumerate().filter(|(rank, _)| *rank != ended) {
            let error = result.unwrap_err().to_string();
            // Others than its own partners hear of it from those.
            let is_named = error.contains(&format!("rank {ended} ended"));
            assert!(is_named, "round {round}, rank {rank} of {RANKS}, {ended} ended: {error}");
        }
    }
}
