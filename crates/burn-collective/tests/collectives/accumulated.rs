//! Gradients of several micro-batches, which are reduced once for each step.

use crate::counting_engine::CountingEngine;
use crate::tensors::run;
use crate::training::{A, ITEMS, Mlp, batch};
use burn::backend::{Autodiff, NdArray};
use burn::collective::{AccumulatedGradients, CollectiveError, Communicator, DataParallel, Local};
use burn::nn::{Linear, LinearConfig};
use burn::optim::{GradientsParams, Optimizer, SgdConfig};
use burn::tensor::{DType, Tensor, bf16};
use std::sync::Arc;
use std::sync::atomic::Ordering;

fn loss(model: &Mlp<A>, items: &[usize]) -> Tensor<A, 1> {
    let (x, y) = batch(items);
    (model.forward(x) - y).square().mean()
}

/// Trains on micro-batches of this rank, one list for each step.
fn train(
    parallel: &DataParallel,
    mut model: Mlp<A>,
    steps: &[Vec<Vec<usize>>],
) -> Result<Mlp<A>, CollectiveError> {
    let mut optimizer = SgdConfig::new().init();
    for micro_batches in steps {
        let mut earlier = AccumulatedGradients::new();
        let Some((last, others)) = micro_batches.split_last() else { continue };
        for items in others {
            let grads = loss(&model, items).backward();
            earlier.add(GradientsParams::from_grads(grads, &model), items.len());
        }
        let last_loss = (!last.is_empty()).then(|| loss(&model, last));
        let grads = parallel.backward_accumulated(earlier, last_loss, &model, last.len())?.grads;
        model = optimizer.step(0.3, model, grads);
    }
    Ok(model)
}

/// Micro-batches of each rank: ranks have different numbers of them, and of items.
fn micro_batches(ranks: usize) -> Vec<Vec<Vec<usize>>> {
    let items: Vec<usize> = (0..ITEMS).collect();
    match ranks {
        1 => vec![vec![items[..7].to_vec(), items[7..11].to_vec(), items[11..].to_vec()]],
        2 => vec![vec![items[..9].to_vec(), items[9..13].to_vec()], vec![items[13..].to_vec()]],
        // The last micro-batch of rank 1 is empty, and rank 2 has one for each item.
        _ => vec![
            vec![items[..8].to_vec()],
            vec![items[8..15].to_vec(), items[15..22].to_vec(), vec![]],
            items[22..].iter().map(|item| vec![*item]).collect(),
        ],
    }
}

#[test]
fn x_503_micro_batches_train_the_model_of_one_large_batch() {
    let start = Mlp::<A>::new();
    let all: Vec<usize> = (0..ITEMS).collect();
    let mut expected = start.clone();
    let mut optimizer = SgdConfig::new().init();
    for _ in 0..5 {
        let grads = GradientsParams::from_grads(loss(&expected, &all).backward(), &expected);
        expected = optimizer.step(0.3, expected, grads);
    }
    for ranks in [1, 2, 3] {
        for bucket_bytes in [1, 1 << 20] {
            let results = run(ranks, |group| {
                let own = micro_batches(ranks)[group.rank()].clone();
                let parallel = DataParallel::new(group.clone()).with_bucket_bytes(bucket_bytes);
                Ok(train(&parallel, start.clone(), &vec![own; 5])?.values())
            });
            for values in &results {
                assert_eq!(values, &results[0]);
                let close = |(x, y): (&f64, &f64)| (x - y).abs() < 1e-12;
                assert!(values.iter().zip(&expected.values()).all(close), "{ranks} ranks");
            }
        }
    }
}

/// Returns the calls and bytes of 6 steps with `count` micro-batches each, on the first of two ranks.
fn counted(count: usize) -> (u64, u64) {
    let start = Mlp::<A>::new();
    let counts = run(2, |group: &Communicator| {
        let counting = CountingEngine::new(group.engine().clone());
        let (calls, bytes) = (counting.calls.clone(), counting.bytes.clone());
        let parallel = DataParallel::new(Communicator::from_engine(Arc::new(counting)));
        let own: Vec<Vec<usize>> = (0..count).map(|at| vec![at, at + group.rank()]).collect();
        train(&parallel, start.clone(), &vec![own; 6])?;
        Ok((calls.load(Ordering::Relaxed), bytes.load(Ordering::Relaxed)))
    });
    counts[0]
}

#[test]
fn x_503_gradients_travel_once_for_each_step() {
    let expected = counted(1);
    // 42 numbers of 8 bytes, in both halves of each all-reduce.
    assert!(expected.1 >= 6 * 42 * 8, "{expected:?}");
    assert_eq!(counted(4), expected);
    assert_eq!(counted(7), expected);
}

#[test]
fn x_503_a_step_with_micro_batches_has_one_reduction_for_each_bucket() {
    let begun = run(2, |group| {
        let parallel = DataParallel::new(group.clone());
        let model = parallel.synchronize::<A, _>(Mlp::<A>::new())?;
        let mut earlier = AccumulatedGradients::new();
        for at in 0..3 {
            earlier.add(GradientsParams::from_grads(loss(&model, &[at, 9]).backward(), &model), 2);
        }
        assert_eq!((earlier.micro_batches(), earlier.items()), (3, 6));
        let reduction = parallel.begin_backward_accumulated::<A, _>(earlier, &model, 0)?;
        let reduction = reduction.expect("there are items");
        // Without a last micro-batch, the sums travel at the end.
        assert_eq!(reduction.begun(), 0);
        let reduced = reduction.finish(GradientsParams::new())?;
        Ok((reduced.grads.len(), reduced.unused))
    });
    assert_eq!(begun, [(4, vec![]), (4, vec![])]);
}

/// In bf16, 256 + 1 is 256: sums are of `f32`, and rounded once.
#[test]
fn x_503_micro_batches_of_half_precision_are_summed_in_f32() {
    type H = Autodiff<NdArray<bf16>>;
    let device = Default::default();
    let model: Linear<H> = LinearConfig::new(1, 1).with_bias(false).init(&device);
    let loss = |x: f32| model.forward(Tensor::<H, 2>::from_data([[x]], &device)).mean();
    let results = Local::run(2, |group| {
        // Rank 1 has one micro-batch, of the weight of three.
        let own: &[f32] = if group.rank() == 0 { &[256.0, 1.0, 1.0, 2.0] } else { &[4.0] };
        let (last, others) = own.split_last().unwrap();
        let mut earlier = AccumulatedGradients::new();
        for x in others {
            earlier.add(GradientsParams::from_grads(loss(*x).backward(), &model), 1);
        }
        let items = if group.rank() == 0 { 1 } else { 4 };
        let grads = DataParallel::new(group).backward_accumulated(earlier, loss(*last), &model, items)?.grads;
        let grad = grads.get::<NdArray<bf16>, 2>(model.weight.id()).unwrap();
        Ok::<_, CollectiveError>((grad.dtype(), grad.into_data().to_f64()))
    });
    // (260 + 4 * 4) / 8 = 34.5; with sums of bf16 it would be 34.25 at most.
    for result in results.unwrap() {
        assert_eq!(result.unwrap(), (DType::BF16, vec![34.5]));
    }
}
