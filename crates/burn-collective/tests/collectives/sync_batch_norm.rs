//! Batch norms over the batches of all ranks, against one rank with the whole batch.

use crate::tensor_parallel::largest_difference;
use crate::tensors::{bits, run, table, values};
use crate::training::A;
use burn::collective::{Communicator, DataParallel, Local, SyncBatchNorm};
use burn::module::{AutodiffModule, Module};
use burn::nn::{BatchNorm, BatchNormConfig, Linear, LinearConfig};
use burn::optim::{AdamWConfig, GradientsParams, Optimizer};
use burn::tensor::Tensor;
use burn::tensor::backend::Backend;

#[derive(Module, Debug)]
struct Whole<T: Backend> {
    first: Linear<T>,
    norm: BatchNorm<T>,
    second: Linear<T>,
}

#[derive(Module, Debug)]
struct Synced<T: Backend> {
    first: Linear<T>,
    norm: SyncBatchNorm<T>,
    second: Linear<T>,
}

fn start() -> Whole<A> {
    let device = Default::default();
    Whole {
        // Without a bias, which the norm takes away: its gradient is the rounding of sums, which AdamW scales
        // up.
        first: LinearConfig::new(3, 4).with_bias(false).init(&device),
        norm: BatchNormConfig::new(4).init(&device),
        second: LinearConfig::new(4, 2).init(&device),
    }
}

fn batch(rows: core::ops::Range<usize>) -> (Tensor<A, 2>, Tensor<A, 2>) {
    let part = |width: usize, from: usize| {
        Tensor::from_inner(table(16, width, from).narrow(0, rows.start, rows.len()))
    };
    (part(3, 1), part(2, 77))
}

fn train<M: AutodiffModule<A>>(
    mut model: M,
    group: Option<&Communicator>,
    forward: impl Fn(&M, Tensor<A, 2>) -> Tensor<A, 2>,
) -> (M, Vec<f64>) {
    let (rank, ranks) = group.map_or((0, 1), |group| (group.rank(), group.world_size()));
    let own = 16 / ranks;
    let mut optimizer = AdamWConfig::new().init();
    let mut losses = Vec::new();
    for _ in 0..50 {
        let (x, y) = batch(rank * own..(rank + 1) * own);
        let loss = (forward(&model, x) - y).square().mean();
        let mut value = loss.clone().inner();
        let mut grads = GradientsParams::from_grads(loss.backward(), &model);
        if let Some(group) = group {
            value = group.all_reduce(value, burn::collective::Reduction::Mean).unwrap();
            grads =
                DataParallel::new(group.clone()).reduce_gradients::<A, _>(grads, &model, own).unwrap().grads;
        }
        losses.push(value.into_scalar());
        model = optimizer.step(1e-2, model, grads);
    }
    (model, losses)
}

#[test]
fn x_503_sync_batch_norm_trains_the_model_of_the_whole_batch() {
    let start = start();
    let forward = |model: &Whole<A>, x| model.second.forward(model.norm.forward(model.first.forward(x)));
    let (whole, expected) = train(start.clone(), None, forward);
    let statistics = |norm: &BatchNorm<A>| {
        [values(norm.running_mean.value().inner()), values(norm.running_var.value().inner())].concat()
    };
    for ranks in [1, 2, 4] {
        let results = run(ranks, |group| {
            let start = start.clone();
            let norm = SyncBatchNorm::from_batch_norm(start.norm, group);
            let model = Synced { first: start.first, norm, second: start.second };
            let forward =
                |model: &Synced<A>, x| model.second.forward(model.norm.forward(model.first.forward(x)));
            let (model, losses) = train(model, Some(group), forward);
            // Validation moves nothing: rank 0 alone may run it.
            if group.rank() == 0 {
                let x = table(2, 4, 5);
                let found = model.norm.valid().try_forward(x.clone())?;
                let reference = model.norm.norm.valid().forward(x);
                assert_eq!(bits(&values(found)), bits(&values(reference)));
            }
            Ok((statistics(&model.norm.norm), losses))
        });
        for (found, losses) in &results {
            assert_eq!(bits(found), bits(&results[0].0));
            assert!(largest_difference(losses, &expected) < 1e-10, "{ranks} ranks");
            assert!(largest_difference(found, &statistics(&whole.norm)) < 1e-10, "{ranks} ranks");
        }
    }
}

#[test]
fn x_503_sync_batch_norm_counts_every_item_of_unequal_batches() {
    // Ranks have 1 and 3 items: mean 2.5 and variance 1.25 of 1, 2, 3, 4; the unbiased variance is 5 / 3.
    let results = run(2, |group| {
        let items: &[f64] = if group.rank() == 0 { &[1.0] } else { &[2.0, 3.0, 4.0] };
        let norm: BatchNorm<A> =
            BatchNormConfig::new(1).with_epsilon(0.0).with_momentum(1.0).init(&Default::default());
        let norm = SyncBatchNorm::from_batch_norm(norm, group);
        let x = Tensor::<A, 1>::from_data(items, &Default::default()).reshape([items.len(), 1]);
        let y = values(norm.try_forward(x)?.inner());
        let var = values(norm.norm.running_var.value().inner())[0];
        Ok((y, values(norm.norm.running_mean.value().inner())[0], var))
    });
    let expected = [-1.5, -0.5, 0.5, 1.5].map(|x: f64| x / 1.25_f64.sqrt());
    let found: Vec<f64> = results.iter().flat_map(|(y, _, _)| y.clone()).collect();
    assert!(largest_difference(&found, &expected) < 1e-14, "{found:?}");
    for (_, mean, var) in results {
        assert!(mean == 2.5 && (var - 5.0 / 3.0).abs() < 1e-14, "{mean} {var}");
    }
}

#[test]
fn x_503_sync_batch_norm_of_other_channels_is_an_error_on_every_rank() {
    let texts = Local::run(2, |group| {
        let norm: BatchNorm<A> = BatchNormConfig::new(3).init(&Default::default());
        let norm = SyncBatchNorm::from_batch_norm(norm, &group);
        let channels = if group.rank() == 1 { 2 } else { 3 };
        norm.try_forward(Tensor::<A, 2>::ones([4, channels], &Default::default())).unwrap_err().to_string()
    })
    .unwrap();
    for text in texts {
        assert!(text.contains("rank 1 gave a wrong x; expected [batch, 3, ..], got [4, 2]"), "{text}");
    }
}
