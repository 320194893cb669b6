//! Optimizers whose state is split over ranks, against the whole optimizer.

use crate::tensor_parallel::largest_difference;
use crate::tensors::{Outcome, bits, run};
use crate::training::{A, ITEMS, Mlp, batch};
use burn::collective::{Communicator, DataParallel, DistributedSampler, Local, ShardedOptimizer};
use burn::optim::{
    AdafactorConfig, AdamWConfig, GradientClippingConfig, GradientsParams, MuonConfig, Optimizer,
    ParameterGroups, SgdConfig,
};
use burn::record::{IntoNode, Node};
use burn::tensor::Tensor;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Sharding {
    /// The whole optimizer on every rank.
    None,
    Zero1,
    /// Gradients are reduced after the backward pass.
    Zero2,
    /// Gradients are reduced while the backward pass runs.
    Zero2Beside,
}

/// Losses of 50 steps, each the mean over the batch of all ranks, and the weights.
fn train<O: Optimizer<Mlp<A>, A>>(
    group: &Communicator,
    start: &Mlp<A>,
    optimizer: O,
    sharding: Sharding,
) -> Outcome<(Vec<f64>, Vec<f64>)> {
    // Buckets of some parameters.
    let parallel = DataParallel::new(group.clone()).with_bucket_bytes(130);
    let own = if group.rank() == 0 { start.clone() } else { Mlp::new() };
    let model = parallel.synchronize::<A, _>(own)?;
    let mut run = Run {
        sharded: ShardedOptimizer::new::<A, _>(optimizer.clone(), &parallel, &model)?,
        whole: optimizer,
        model,
        parallel,
    };
    let losses = run.steps(0..50, sharding)?;
    Ok((losses, run.model.values()))
}

struct Run<O> {
    sharded: ShardedOptimizer<O>,
    whole: O,
    model: Mlp<A>,
    parallel: DataParallel,
}

impl<O: Optimizer<Mlp<A>, A>> Run<O> {
    fn steps(&mut self, steps: core::ops::Range<usize>, sharding: Sharding) -> Outcome<Vec<f64>> {
        let group = self.parallel.communicator().clone();
        let sampler = DistributedSampler::new(ITEMS, 8, &group)?.with_shuffle(7);
        let mut losses = Vec::new();
        for step in steps {
            let batches = sampler.batches(step as u64 / 4)?;
            let items = &batches[step % 4];
            let loss = (!items.is_empty()).then(|| {
                let (x, y) = batch(items);
                (self.model.forward(x) - y).square().mean()
            });
            let sum = loss.clone().map_or(0.0, |loss| loss.into_scalar() * items.len() as f64);
            let sums = crate::tensors::vector(&[sum, items.len() as f64]);
            let sums = crate::tensors::values(group.all_reduce(sums, burn::collective::Reduction::Sum)?);
            losses.push(sums[0] / sums[1]);
            let model = self.model.clone();
            let own = |loss: Option<Tensor<A, 1>>| {
                let grads = loss.map(|loss| GradientsParams::from_grads(loss.backward(), &model));
                grads.unwrap_or_default()
            };
            let (parallel, count) = (&self.parallel, items.len());
            let grads = match sharding {
                Sharding::None | Sharding::Zero1 => {
                    parallel.reduce_gradients::<A, _>(own(loss), &model, count)?.grads
                }
                Sharding::Zero2 => self.sharded.reduce_gradients::<A, _>(own(loss), &model, count)?.grads,
                Sharding::Zero2Beside => self.sharded.backward(loss, &model, count)?.grads,
            };
            self.model = match sharding {
                Sharding::None => self.whole.step(1e-2, model, grads),
                Sharding::Zero1 | Sharding::Zero2 | Sharding::Zero2Beside => {
                    self.sharded.step::<A, _>(1e-2, model, grads)?
                }
            };
        }
        Ok(losses)
    }
}

fn check<O: Optimizer<Mlp<A>, A> + Sync>(optimizer: &O) {
    let start = Mlp::new();
    let (expected, _) = run(1, |group| train(group, &start, optimizer.clone(), Sharding::None)).remove(0);
    for ranks in [1, 2, 4] {
        let whole = run(ranks, |group| train(group, &start, optimizer.clone(), Sharding::None)).remove(0);
        for sharding in [Sharding::Zero1, Sharding::Zero2, Sharding::Zero2Beside] {
            for (losses, weights) in run(ranks, |group| train(group, &start, optimizer.clone(), sharding)) {
                let error = largest_difference(&losses, &expected);
                assert!(error < 1e-10, "{sharding:?} on {ranks} ranks: {error}");
                assert_eq!(bits(&losses), bits(&whole.0), "{sharding:?} on {ranks} ranks");
                assert_eq!(bits(&weights), bits(&whole.1), "{sharding:?} on {ranks} ranks");
            }
        }
    }
}

#[test]
fn x_504_adamw_split_over_ranks_has_the_bits_of_the_whole_one() {
    check(&AdamWConfig::new().init());
}

#[test]
fn x_504_optimizers_that_see_whole_matrices_have_the_bits_of_the_whole_ones() {
    check(&AdafactorConfig::new().init());
    let groups = ParameterGroups::new(AdamWConfig::new().init());
    check(&groups.with_group("**.weight", MuonConfig::new().init()));
    let momentum = burn::optim::momentum::MomentumConfig::new();
    check(&SgdConfig::new().with_momentum(Some(momentum)).init());
}

/// Bytes of the tensors in a record.
pub fn bytes(node: &Node) -> usize {
    match node {
        Node::Bytes(bytes) => bytes.len(),
        Node::Tensor(data) => data.as_bytes().len(),
        Node::List(nodes) => nodes.iter().map(bytes).sum(),
        Node::Map(entries) => entries.iter().map(|(_, node)| bytes(node)).sum(),
        _ => 0,
    }
}

#[test]
fn x_504_ranks_keep_two_numbers_of_adamw_for_each_parameter_that_they_own() {
    let start = Mlp::<A>::new();
    // Bytes in f64: 120 + 40 and 80 + 16.
    let expected: [&[usize]; 3] = [&[256], &[136, 120], &[120, 80, 40, 16]];
    for (ranks, expected) in [1, 2, 4].into_iter().zip(expected) {
        let found = run(ranks, |group| {
            let parallel = DataParallel::new(group.clone());
            let model = parallel.synchronize::<A, _>(start.clone())?;
            let sharded = ShardedOptimizer::new::<A, _>(AdamWConfig::new().init(), &parallel, &model)?;
            let mut run = Run { sharded, whole: AdamWConfig::new().init(), model, parallel };
            run.steps(0..2, Sharding::Zero2)?;
            let record = run.sharded.to_record::<A, Mlp<A>>(&Default::default())?;
            let state = bytes(&record.into_node());
            assert_eq!(state, 2 * run.sharded.shard_bytes());
            Ok(run.sharded.shard_bytes())
        });
        let mut sorted = found.clone();
        sorted.sort_unstable_by(|x, y| y.cmp(x));
        assert_eq!(sorted, expected, "{ranks} ranks");
    }
}

/// Trains 20 steps on some ranks, saves, and returns the records of the model on rank 0 and of the optimizer.
fn first_half(ranks: usize, start: &Mlp<A>, gathered: bool) -> (Mlp<A>, Vec<Vec<u8>>) {
    use burn::record::{BinBytesRecorder, FullPrecisionSettings};
    let mut results = run(ranks, |group| {
        let parallel = DataParallel::new(group.clone());
        let own = if group.rank() == 0 { start.clone() } else { Mlp::new() };
        let model = parallel.synchronize::<A, _>(own)?;
        let sharded = ShardedOptimizer::new::<A, _>(AdamWConfig::new().init(), &parallel, &model)?;
        let mut run = Run { sharded, whole: AdamWConfig::new().init(), model, parallel };
        run.steps(0..20, Sharding::Zero2)?;
        let device = Default::default();
        let record = if gathered {
            run.sharded.gather_record::<A, Mlp<A>>(&device)?
        } else {
            run.sharded.to_record::<A, Mlp<A>>(&device)?
        };
        let bytes = BinBytesRecorder::<FullPrecisionSettings>::new().record(record, ()).unwrap();
        Ok((run.model, bytes))
    });
    let model = results[0].0.clone();
    if gathered {
        results.truncate(1);
    }
    (model, results.into_iter().map(|(_, bytes)| bytes).collect())
}

#[test]
fn x_504_checkpoints_resume_on_another_number_of_ranks() {
    use burn::record::{BinBytesRecorder, FullPrecisionSettings};
    let start = Mlp::<A>::new();
    let (losses, weights) =
        run(1, |group| train(group, &start, AdamWConfig::new().init(), Sharding::None)).remove(0);
    for gathered in [true, false] {
        for (saved, resumed) in [(2, 2), (4, 4), (4, 2), (2, 3), (4, 1), (1, 4)] {
            let (model, files) = first_half(saved, &start, gathered);
            assert_eq!(files.len(), if gathered { 1 } else { saved });
            let uninterrupted =
                run(saved, |group| train(group, &start, AdamWConfig::new().init(), Sharding::Zero2))
                    .remove(0);
            let results = run(resumed, |group| {
                let device = Default::default();
                let parallel = DataParallel::new(group.clone());
                // Rank 0 loads the model, as it saved it; the others have the values of it, and other
                // identifiers.
                let own = if group.rank() == 0 { model.clone() } else { Mlp::new() };
                let model = parallel.synchronize::<A, _>(own)?;
                let records = files.iter().map(|bytes| {
                    let recorder = BinBytesRecorder::<FullPrecisionSettings>::new();
                    recorder.load_slice::<A, _>(bytes, &device).unwrap()
                });
                let sharded = ShardedOptimizer::new::<A, _>(AdamWConfig::new().init(), &parallel, &model)?;
                let sharded = sharded.load_records::<A, _>(records.collect(), &model, &device)?;
                let mut run = Run { sharded, whole: AdamWConfig::new().init(), model, parallel };
                let losses = run.steps(20..50, Sharding::Zero2)?;
                Ok((losses, run.model.values()))
            });
            for (found, values) in results {
                let error = largest_difference(&found, &losses[20..]);
                assert!(error < 1e-10, "{saved} to {resumed} ranks: {error}");
                assert!(largest_difference(&values, &weights) < 1e-10);
                if saved == resumed {
                    assert_eq!(bits(&values), bits(&uninterrupted.1), "{saved} ranks");
                }
            }
        }
    }
}

#[test]
fn x_504_gradients_are_clipped_by_the_norm_of_all_ranks() {
    let start = Mlp::<A>::new();
    let grads = |model: &Mlp<A>| {
        let (x, y) = batch(&[0, 1, 2, 3]);
        GradientsParams::from_grads((model.forward(x) - y).square().mean().backward(), model)
    };
    let norm = grads(&start).global_norm();
    // SGD, whose steps are linear in the gradients: the first step of AdamW hardly depends on their scale.
    let clipping = Some(GradientClippingConfig::GlobalNorm(norm / 4.0));
    let whole = SgdConfig::new().with_grad_clipping(clipping).init().step(0.1, start.clone(), grads(&start));
    for ranks in [1, 2, 4] {
        let results = run(ranks, |group| {
            let parallel = DataParallel::new(group.clone());
            let model = parallel.synchronize::<A, _>(start.clone())?;
            let mut sharded = ShardedOptimizer::new::<A, _>(SgdConfig::new().init(), &parallel, &model)?;
            let mut own = sharded.reduce_gradients::<A, _>(grads(&model), &model, 4)?.grads;
            let found = sharded.clip_by_global_norm(&mut own, norm / 4.0)?;
            assert!((found - norm).abs() < 1e-12 * norm);
            Ok(sharded.step::<A, _>(0.1, model, own)?.values())
        });
        for values in results {
            assert!(largest_difference(&values, &whole.values()) < 1e-12);
        }
    }
}

#[test]
fn x_504_records_and_modules_that_do_not_fit_are_errors() {
    let results = Local::run(2, |group| {
        let device = Default::default();
        let parallel = DataParallel::new(group.clone());
        let model = parallel.synchronize::<A, _>(Mlp::<A>::new()).unwrap();
        let sharded = ShardedOptimizer::new::<A, _>(AdamWConfig::new().init(), &parallel, &model).unwrap();
        let mut step = sharded.clone();
        let other =
            step.step::<A, _>(0.1, Mlp::new(), GradientsParams::new()).map(drop).unwrap_err().to_string();
        // The state of another model.
        let foreign = Mlp::<A>::new();
        let grads = GradientsParams::from_grads(foreign.forward(batch(&[0]).0).sum().backward(), &foreign);
        let mut optimizer = AdamWConfig::new().init();
        let _stepped: Mlp<A> = Optimizer::<Mlp<A>, A>::step(&mut optimizer, 0.1, foreign, grads);
        let record = sharded.load_records::<A, _>(vec![optimizer.to_record()], &model, &device);
        (other, record.map(drop).unwrap_err().to_string())
    })
    .unwrap();
    for (rank, (other, record)) in results.into_iter().enumerate() {
        assert!(other.contains("make a new `ShardedOptimizer` for this module"), "{other}");
        assert!(record.contains(&format!("the record of rank {rank} does not fit")), "{record}");
    }
    // Ranks with different models.
    let texts = Local::run(2, |group| {
        let config = burn::nn::LinearConfig::new(2, 2 + group.rank());
        let model: burn::nn::Linear<A> = config.init(&Default::default());
        let parallel = DataParallel::new(group);
        ShardedOptimizer::new::<A, _>(AdamWConfig::new().init(), &parallel, &model)
            .map(drop)
            .unwrap_err()
            .to_string()
    });
    for text in texts.unwrap() {
        assert!(text.contains("ranks differ in the parameters"), "{text}");
    }
}
