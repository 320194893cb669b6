//! Data parallel training, against one rank with the whole batch.

use crate::tensors::{B, Outcome, bits, run};
use crate::training::{A, ITEMS, Mlp, batch};
use burn::collective::{Communicator, DataParallel, DistributedSampler, Local};
use burn::nn::{BatchNorm, BatchNormConfig, Linear, LinearConfig};
use burn::optim::{AdamWConfig, GradientsParams, Optimizer, SgdConfig};
use burn::tensor::Tensor;

fn train(group: &Communicator, start: &Mlp<A>, bucket_bytes: usize) -> Outcome<Vec<f64>> {
    let sampler = DistributedSampler::new(ITEMS, 8, group)?.with_shuffle(7);
    let parallel = DataParallel::new(group.clone()).with_bucket_bytes(bucket_bytes);
    // Only rank 0 has the model that all begin with.
    let own = if group.rank() == 0 { start.clone() } else { Mlp::new() };
    let mut model = parallel.synchronize::<A, _>(own)?;
    let mut optimizer = AdamWConfig::new().init();
    for epoch in 0..5 {
        for items in sampler.batches(epoch)? {
            let mut grads = GradientsParams::new();
            if !items.is_empty() {
                let (x, y) = batch(&items);
                let loss = (model.forward(x) - y).square().mean();
                grads = GradientsParams::from_grads(loss.backward(), &model);
            }
            let grads = parallel.reduce_gradients::<A, _>(grads, &model, items.len())?.grads;
            model = optimizer.step(1e-2, model, grads);
        }
    }
    Ok(model.values())
}

#[test]
fn x_503_any_number_of_ranks_trains_the_model_of_one() {
    let start = Mlp::new();
    let expected = run(1, |group| train(group, &start, 1 << 20)).remove(0);
    assert_ne!(expected, start.values());
    for ranks in [2, 3, 4, 8] {
        // One bucket, and many.
        for bucket_bytes in [1 << 20, 64] {
            let results = run(ranks, |group| train(group, &start, bucket_bytes));
            for result in &results {
                assert_eq!(bits(result), bits(&results[0]), "ranks have different models");
                let error = result.iter().zip(&expected).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
                assert!(error < 1e-12, "{ranks} ranks: {error}");
            }
        }
    }
}

#[test]
fn x_503_weights_have_the_bits_of_one_rank_where_sums_are_exact() {
    // Integers and powers of two: no sum is rounded, so its order does not show.
    let train = |group: &Communicator| {
        let sampler = DistributedSampler::new(16, 8, group)?;
        let parallel = DataParallel::new(group.clone());
        let linear: Linear<A> = LinearConfig::new(2, 1)
            .with_initializer(burn::module::Initializer::Ones)
            .init(&Default::default());
        let mut model = parallel.synchronize::<A, _>(linear)?;
        let mut optimizer = SgdConfig::new().init();
        for items in sampler.batches(0)? {
            let x: Vec<f64> = items.iter().flat_map(|item| [*item as f64, (item % 3) as f64]).collect();
            let x = Tensor::<A, 1>::from_data(x.as_slice(), &Default::default()).reshape([items.len(), 2]);
            let loss = (model.forward(x) - 2.0).square().mean();
            let grads = GradientsParams::from_grads(loss.backward(), &model);
            let grads = parallel.reduce_gradients::<A, _>(grads, &model, items.len())?.grads;
            model = optimizer.step(0.125, model, grads);
        }
        Ok(model.weight.val().into_data().to_f64())
    };
    let expected = run(1, train).remove(0);
    for ranks in [2, 4] {
        for result in run(ranks, train) {
            assert_eq!(bits(&result), bits(&expected));
        }
    }
}

#[test]
fn x_503_unused_parameters_are_named_and_count_as_zero() {
    let results = run(3, |group| {
        let parallel = DataParallel::new(group.clone());
        let model = parallel.synchronize::<A, _>(Mlp::<A>::new())?;
        let x = Tensor::<A, 2>::ones([1, 5], &Default::default());
        // The first layer is used by no rank, the second by rank 1 alone.
        let mut grads = GradientsParams::new();
        if group.rank() == 1 {
            grads = GradientsParams::from_grads(model.second.forward(x).sum().backward(), &model);
        }
        let reduced = parallel.reduce_gradients::<A, _>(grads, &model, 1)?;
        let grad = reduced.grads.get::<B, 2>(model.second.weight.id()).unwrap();
        assert_eq!(reduced.grads.len(), 2);
        let unused: Vec<_> = reduced.unused.into_iter().map(|x| (x.path, x.ranks)).collect();
        Ok((grad.into_data().to_f64(), unused))
    });
    for (grad, mut unused) in results {
        assert_eq!(grad, [1.0 / 3.0; 10]);
        unused.sort();
        let expected = [
            ("first.bias", vec![0, 1, 2]),
            ("first.weight", vec![0, 1, 2]),
            ("second.bias", vec![0, 2]),
            ("second.weight", vec![0, 2]),
        ];
        assert_eq!(unused, expected.map(|(path, ranks)| (path.to_string(), ranks)));
    }
}

#[test]
fn x_503_buffers_are_those_of_rank_0() {
    let results = run(2, |group| {
        let norm: BatchNorm<A> = BatchNormConfig::new(2).init(&Default::default());
        let x = Tensor::<A, 2>::full([3, 2], group.rank() as f64 + 5.0, &Default::default());
        let _output = norm.forward(x);
        let norm = DataParallel::new(group.clone()).synchronize::<A, _>(norm)?;
        Ok(norm.running_mean.value().into_data().to_f64())
    });
    // A tenth of the mean of the batch of rank 0.
    assert_eq!(results, [[0.5, 0.5], [0.5, 0.5]]);
}

#[test]
fn x_503_every_item_goes_to_one_rank() {
    for ranks in 1..=8 {
        for (items, batch_size) in [(8, 8), (23, 8), (100, 16), (9, 100)] {
            let shards = run(ranks, |group| {
                DistributedSampler::new(items, batch_size, group)?.with_shuffle(3).batches(1)
            });
            let alone =
                run(1, |group| DistributedSampler::new(items, batch_size, group)?.with_shuffle(3).batches(1));
            for (step, expected) in alone[0].iter().enumerate() {
                let together: Vec<usize> = shards.iter().flat_map(|shard| shard[step].clone()).collect();
                assert_eq!(&together, expected);
            }
            let mut all: Vec<usize> = shards.into_iter().flatten().flatten().collect();
            all.sort_unstable();
            assert_eq!(all, (0..items).collect::<Vec<_>>());
        }
    }
}

#[test]
fn x_503_wrong_programs_are_errors_that_name_what_differs() {
    let texts = |program: &(dyn Fn(&Communicator) -> Outcome<()> + Sync)| -> Vec<String> {
        let results = Local::run(2, |group| program(&group).unwrap_err().to_string());
        results.unwrap()
    };
    let other_model = texts(&|group| {
        let width = if group.rank() == 1 { 4 } else { 3 };
        let linear: Linear<A> = LinearConfig::new(2, width).init(&Default::default());
        DataParallel::new(group.clone()).synchronize::<A, _>(linear).map(drop)
    });
    for error in other_model {
        let expected = "ranks differ in the parameters; expected weight f64 [2, 3] as on rank 0, got weight f64 [2, 4] on \
                        rank 1";
        assert!(error.contains(expected), "{error}");
    }
    let foreign = texts(&|group| {
        let (model, other): (Mlp<A>, Mlp<A>) = (Mlp::new(), Mlp::new());
        let (x, _) = batch(&[0]);
        let grads = GradientsParams::from_grads(other.forward(x).sum().backward(), &other);
        DataParallel::new(group.clone()).reduce_gradients::<A, _>(grads, &model, 1).map(drop)
    });
    assert!(foreign[0].contains("got 4 gradients of other parameters"), "{}", foreign[0]);
    let no_items = texts(&|group| {
        let model: Mlp<A> = Mlp::new();
        let parallel = DataParallel::new(group.clone());
        parallel.reduce_gradients::<A, _>(GradientsParams::new(), &model, 0).map(drop)
    });
    assert!(no_items[1].contains("wrong items; expected items on one rank at least"), "{}", no_items[1]);
    let few_items = texts(&|group| DistributedSampler::new(1, 8, group).map(drop));
    assert!(
        few_items[0].contains("wrong items; expected one for each of 2 ranks, got 1"),
        "{}",
        few_items[0]
    );
    let small_batch = texts(&|group| DistributedSampler::new(8, 1, group).map(drop));
    assert!(small_batch[0].contains("wrong batch_size"), "{}", small_batch[0]);
}

#[test]
fn x_503_chunks_in_fixed_order_train_the_model_of_one_rank_to_the_last_bit() {
    const CHUNKS: usize = 8;
    let start = Mlp::<A>::new();
    let train = |group: &Communicator| {
        let parallel = DataParallel::new(group.clone()).with_bucket_bytes(128);
        let own = if group.rank() == 0 { start.clone() } else { Mlp::new() };
        let mut model = parallel.synchronize::<A, _>(own)?;
        let mut optimizer = AdamWConfig::new().init();
        for step in 0..20 {
            let count = CHUNKS / group.world_size();
            let mut chunks = Vec::new();
            for chunk in group.rank() * count..(group.rank() + 1) * count {
                // 24 items in chunks of unequal sizes; one chunk has none.
                let items: Vec<usize> = (0..24).filter(|item| (item + step) % 7 == chunk).collect();
                let mut grads = GradientsParams::new();
                if !items.is_empty() {
                    let (x, y) = batch(&items);
                    let loss = (model.forward(x) - y).square().mean();
                    grads = GradientsParams::from_grads(loss.backward(), &model);
                }
                chunks.push((grads, items.len()));
            }
            let grads = parallel.reduce_chunks::<A, _>(chunks, &model)?.grads;
            model = optimizer.step(1e-2, model, grads);
        }
        Ok(model.values())
    };
    let expected = run(1, train).remove(0);
    // One backward pass over the whole batch: other sums inside of the kernels, so equal up to rounding.
    let mut whole = start.clone();
    let mut optimizer = AdamWConfig::new().init();
    for _ in 0..20 {
        let (x, y) = batch(&(0..24).collect::<Vec<_>>());
        let loss = (whole.forward(x) - y).square().mean();
        let grads = GradientsParams::from_grads(loss.backward(), &whole);
        whole = optimizer.step(1e-2, whole, grads);
    }
    let error = expected.iter().zip(whole.values()).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
    assert!(error < 1e-10, "{error}");
    for ranks in [2, 4, 8] {
        for result in run(ranks, train) {
            assert_eq!(bits(&result), bits(&expected), "{ranks} ranks");
        }
    }
}

#[test]
fn x_503_numbers_of_ranks_and_chunks_that_are_no_powers_of_two_are_named() {
    let texts = |ranks: usize, chunks: usize| {
        let results = Local::run(ranks, |group| {
            let model = Mlp::<A>::new();
            let chunks = vec![(GradientsParams::new(), 1); chunks];
            let reduced = DataParallel::new(group).reduce_chunks::<A, _>(chunks, &model);
            reduced.map(drop).unwrap_err().to_string()
        });
        results.unwrap()
    };
    for text in texts(3, 2) {
        assert!(
            text.contains("wrong communicator; expected a number of ranks that is a power of two, got 3"),
            "{text}"
        );
    }
    assert!(texts(2, 3)[1].contains("wrong chunks; expected a number that is a power of two, got 3"));
}
