//! Gradients that are reduced while the backward pass runs, against those reduced after it.

use crate::tensors::{B, Outcome, bits, run};
use crate::training::{A, Mlp, batch};
use burn::collective::{Communicator, DataParallel, Local, SyncBatchNorm};
use burn::module::Module;
use burn::nn::{BatchNormConfig, Linear, LinearConfig};
use burn::optim::{GradientsParams, Optimizer, SgdConfig};
use burn::tensor::Tensor;
use burn::tensor::backend::{AutodiffBackend, Backend, GradientHook, GradientHookScope};
use burn::tensor::grad::checkpoint;
use std::cell::RefCell;
use std::rc::Rc;

/// Gradients of a model as numbers, in the order of its values.
fn numbers(model: &Mlp<A>, grads: &GradientsParams) -> Vec<f64> {
    let weights = [&model.first.weight, &model.second.weight];
    let biases = [&model.first.bias, &model.second.bias];
    let matrix = |x: Tensor<B, 2>| x.into_data().to_f64();
    let mut all: Vec<f64> =
        weights.iter().flat_map(|x| grads.get::<B, 2>(x.id()).map(matrix).unwrap_or_default()).collect();
    for bias in biases.iter().filter_map(|bias| bias.as_ref()) {
        all.extend(grads.get::<B, 1>(bias.id()).map(|x| x.into_data().to_f64()).unwrap_or_default());
    }
    all
}

fn loss(model: &Mlp<A>, items: &[usize]) -> Tensor<A, 1> {
    let (x, y) = batch(items);
    (model.forward(x) - y).square().mean()
}

/// Event of a step.
#[derive(Clone, Debug, PartialEq)]
enum Event {
    /// A gradient became complete; so many buckets were begun then.
    Gradient(usize),
    BackwardReturned(usize),
}

#[test]
fn x_503_buckets_are_begun_before_the_backward_pass_is_over() {
    for (bucket_bytes, expected) in [
        // A bucket for each gradient: each is begun when it is complete, before the next one is.
        (1, vec![1, 2, 3, 4, 4]),
        // One bucket, which the last gradient fills.
        (1 << 20, vec![0, 0, 0, 1, 1]),
    ] {
        let results = run(2, |group| {
            let parallel = DataParallel::new(group.clone()).with_bucket_bytes(bucket_bytes);
            let model = parallel.synchronize::<A, _>(Mlp::<A>::new())?;
            let mut last = Vec::new();
            // The first pass measures the order of the second.
            for _ in 0..2 {
                let loss = loss(&model, &[group.rank(), 3]);
                let reduction =
                    Rc::new(parallel.begin_backward::<A, _>(&model, 2)?.expect("there are items"));
                let events = Rc::new(RefCell::new(Vec::new()));
                let scope = {
                    let (hook, reduction, events) = (reduction.hook(), reduction.clone(), events.clone());
                    let hooked = leaves(&model);
                    let observer = GradientHook::new(hooked, move |leaf, grad| {
                        hook.ready(leaf, grad);
                        events.borrow_mut().push(Event::Gradient(reduction.begun()));
                    });
                    GradientHookScope::enter(observer)
                };
                let grads = loss.backward();
                drop(scope);
                events.borrow_mut().push(Event::BackwardReturned(reduction.begun()));
                let reduction = Rc::into_inner(reduction).expect("the observer is gone");
                reduction.finish(GradientsParams::from_grads(grads, &model))?;
                last = events.borrow().clone();
            }
            Ok(last)
        });
        let mut events: Vec<Event> = expected.into_iter().map(Event::Gradient).collect();
        if let Some(Event::Gradient(begun)) = events.pop() {
            events.push(Event::BackwardReturned(begun));
        }
        assert_eq!(results, [events.clone(), events]);
    }
}

fn leaves(model: &Mlp<A>) -> Vec<burn::tensor::backend::LeafId> {
    let weights = [&model.first.weight, &model.second.weight].map(|x| x.val().into_primitive().tensor());
    let biases = [&model.first.bias, &model.second.bias];
    let biases = biases.map(|x| x.as_ref().expect("layers have a bias").val().into_primitive().tensor());
    weights.iter().chain(&biases).filter_map(A::leaf_id).collect()
}

/// Trains, and compares the gradients of each step with those that are reduced after the backward pass.
fn train(group: &Communicator, start: &Mlp<A>, bucket_bytes: usize) -> Outcome<Vec<f64>> {
    let parallel = DataParallel::new(group.clone()).with_bucket_bytes(bucket_bytes);
    let own = if group.rank() == 0 { start.clone() } else { Mlp::new() };
    let mut model = parallel.synchronize::<A, _>(own)?;
    let mut optimizer = SgdConfig::new().init();
    for step in 0..6 {
        // Unequal numbers of items, and in some steps none on a rank.
        let count = (group.rank() + step) % 3 + usize::from(group.rank() == 0);
        let items: Vec<usize> = (0..count).map(|at| at * 5 + group.rank() + step).collect();
        let loss = || (count > 0).then(|| loss(&model, &items));
        let after = loss().map(|loss| GradientsParams::from_grads(loss.backward(), &model));
        let after = parallel.reduce_gradients::<A, _>(after.unwrap_or_default(), &model, count)?;
        let beside = parallel.backward(loss(), &model, count)?;
        assert_eq!(bits(&numbers(&model, &beside.grads)), bits(&numbers(&model, &after.grads)));
        assert_eq!(beside.unused, after.unused);
        model = optimizer.step(0.1, model, beside.grads);
    }
    Ok(model.values())
}

#[test]
fn x_503_gradients_reduced_beside_the_backward_pass_have_the_bits_of_those_after_it() {
    let start = Mlp::new();
    for ranks in [1, 2, 3, 4] {
        let mut results = Vec::new();
        for bucket_bytes in [0, 64, 1 << 20] {
            results.extend(run(ranks, |group| train(group, &start, bucket_bytes)));
        }
        for result in &results {
            assert_eq!(bits(result), bits(&results[0]));
        }
    }
}

#[test]
fn x_503_chunks_beside_the_backward_pass_have_the_bits_of_one_rank() {
    const CHUNKS: usize = 8;
    let start = Mlp::new();
    let train = |group: &Communicator| {
        let parallel = DataParallel::new(group.clone()).with_bucket_bytes(128);
        let own = if group.rank() == 0 { start.clone() } else { Mlp::new() };
        let mut model = parallel.synchronize::<A, _>(own)?;
        let mut optimizer = SgdConfig::new().init();
        for step in 0..5 {
            let count = CHUNKS / group.world_size();
            // 24 items in chunks of unequal sizes; one chunk has none.
            let own = |index: usize| {
                let chunk = group.rank() * count + index;
                let items: Vec<usize> = (0..24).filter(|item| (item + step) % 7 == chunk).collect();
                ((!items.is_empty()).then(|| loss(&model, &items)), items.len())
            };
            let after = (0..count).map(own).map(|(loss, items)| {
                let grads = loss.map(|loss| GradientsParams::from_grads(loss.backward(), &model));
                (grads.unwrap_or_default(), items)
            });
            let after = parallel.reduce_chunks::<A, _>(after.collect(), &model)?.grads;
            let beside = parallel.backward_chunks::<A, _, _>((0..count).map(own), &model)?.grads;
            assert_eq!(bits(&numbers(&model, &beside)), bits(&numbers(&model, &after)));
            model = optimizer.step(0.1, model, beside);
        }
        Ok(model.values())
    };
    let expected = run(1, train).remove(0);
    for ranks in [2, 4, 8] {
        for result in run(ranks, train) {
            assert_eq!(bits(&result), bits(&expected), "{ranks} ranks");
        }
    }
}

#[test]
fn x_503_parameters_that_a_loss_does_not_use_are_named() {
    let results = run(3, |group| {
        let parallel = DataParallel::new(group.clone()).with_bucket_bytes(1);
        let model = parallel.synchronize::<A, _>(Mlp::<A>::new())?;
        let mut last = None;
        for _ in 0..2 {
            // The first layer is used by no rank, the second by rank 1 alone.
            let x = Tensor::<A, 2>::ones([1, 5], &Default::default());
            let other = Tensor::<A, 1>::zeros([1], &Default::default()).require_grad();
            let loss = if group.rank() == 1 { model.second.forward(x).sum() } else { other * 2.0 };
            let reduced = parallel.backward(loss, &model, 1)?;
            let grad = reduced.grads.get::<B, 2>(model.second.weight.id()).expect("rank 1 has it");
            assert_eq!(reduced.grads.len(), 2);
            let mut unused: Vec<_> = reduced.unused.into_iter().map(|x| (x.path, x.ranks)).collect();
            unused.sort();
            last = Some((grad.into_data().to_f64(), unused));
        }
        Ok(last.expect("two steps"))
    });
    let expected = [
        ("first.bias", vec![0, 1, 2]),
        ("first.weight", vec![0, 1, 2]),
        ("second.bias", vec![0, 2]),
        ("second.weight", vec![0, 2]),
    ];
    for (grad, unused) in results {
        assert_eq!(grad, [1.0 / 3.0; 10]);
        assert_eq!(unused, expected.clone().map(|(path, ranks)| (path.to_string(), ranks)));
    }
}

/// A model that uses one layer several times, in part in checkpointed segments.
#[derive(Module, Debug)]
struct Shared<T: Backend> {
    layer: Linear<T>,
    last: Linear<T>,
}

impl<T: Backend> Shared<T> {
    fn forward(&self, x: Tensor<T, 2>, has_segments: bool) -> Tensor<T, 1> {
        let mut x = x;
        for _ in 0..3 {
            let (layer, scale) = (self.layer.clone(), x.clone().mean());
            // `scale` is captured, and depends on the layer too.
            let block = move |x: Tensor<T, 2>| layer.forward(x).tanh() * scale.clone().unsqueeze();
            x = if has_segments { checkpoint(block, x) } else { block(x) };
        }
        self.last.forward(x).square().mean()
    }
}

#[test]
fn x_503_hooks_get_each_gradient_once_and_complete() {
    let device = Default::default();
    let model: Shared<A> = Shared {
        layer: LinearConfig::new(4, 4).init(&device),
        last: LinearConfig::new(4, 1).with_bias(false).init(&device),
    };
    let weights = [&model.layer.weight, &model.last.weight];
    let leaves = weights.map(|x| A::leaf_id(&x.val().into_primitive().tensor()).expect("it is a leaf"));
    let values: Vec<f64> = (0..12).map(|at| (at as f64).sin() + 1.5).collect();
    let x = || Tensor::<A, 1>::from_data(values.as_slice(), &device).reshape([3, 4]);
    let plain = GradientsParams::from_grads(model.forward(x(), false).backward(), &model);
    for has_segments in [false, true] {
        let seen = Rc::new(RefCell::new(Vec::new()));
        let hook = {
            let seen = seen.clone();
            GradientHook::new(leaves, move |leaf, grad| seen.borrow_mut().push((leaf, grad)))
        };
        let loss = model.forward(x(), has_segments);
        let scope = GradientHookScope::enter(hook);
        let grads = GradientsParams::from_grads(loss.backward(), &model);
        drop(scope);
        // The last layer has its gradient first.
        let order: Vec<_> = seen.borrow().iter().map(|(leaf, _)| *leaf).collect();
        assert_eq!(order, [leaves[1], leaves[0]]);
        for ((_, grad), weight) in seen.borrow().iter().zip([&model.last.weight, &model.layer.weight]) {
            let grad = Tensor::<B, 2>::from_handle(grad.clone().into_inner::<B>());
            let expected = grads.get::<B, 2>(weight.id()).expect("it is used");
            assert_eq!(bits(&grad.into_data().to_f64()), bits(&expected.into_data().to_f64()));
            let found = grads.get::<B, 2>(weight.id()).expect("it is used").into_data().to_f64();
            let expected = plain.get::<B, 2>(weight.id()).expect("it is used").into_data().to_f64();
            assert!(found.iter().zip(&expected).all(|(x, y)| (x - y).abs() < 1e-12));
        }
        // Outside of the scope, the hook gets nothing.
        let _grads = model.forward(x(), has_segments).backward();
        assert_eq!(seen.borrow().len(), 2);
    }
}

#[test]
fn x_503_collectives_of_the_backward_pass_and_buckets_do_not_meet() {
    let results = run(3, |group| {
        let device = Default::default();
        let parallel = DataParallel::new(group.clone()).with_bucket_bytes(1);
        let model = parallel.synchronize::<A, _>(Mlp::<A>::new())?;
        let norm = SyncBatchNorm::from_batch_norm(BatchNormConfig::new(5).init::<A>(&device), group);
        let mut all = Vec::new();
        for step in 0..3 {
            let (x, y) = batch(&[group.rank() + step, 7, 11]);
            let loss = |model: &Mlp<A>| {
                let hidden = norm.forward(model.first.forward(x.clone()));
                (model.second.forward(hidden.tanh()) - y.clone()).square().mean()
            };
            let after = GradientsParams::from_grads(loss(&model).backward(), &model);
            let after = parallel.reduce_gradients::<A, _>(after, &model, 3)?.grads;
            let beside = parallel.backward(loss(&model), &model, 3)?.grads;
            assert_eq!(bits(&numbers(&model, &beside)), bits(&numbers(&model, &after)));
            all.extend(numbers(&model, &beside));
        }
        Ok(all)
    });
    assert_eq!(bits(&results[0]), bits(&results[2]));
}

#[test]
fn x_503_wrong_steps_end_on_all_ranks() {
    let texts = |program: &(dyn Fn(&Communicator) -> Outcome<()> + Sync)| -> Vec<String> {
        let results = Local::run(2, |group| program(&group).unwrap_err().to_string());
        results.unwrap()
    };
    let model = |width: usize| -> Linear<A> { LinearConfig::new(2, width).init(&Default::default()) };
    let ones = || Tensor::<A, 2>::ones([1, 2], &Default::default());
    let other_model = texts(&|group| {
        let model = model(3 + group.rank());
        DataParallel::new(group.clone()).backward(model.forward(ones()).mean(), &model, 1).map(drop)
    });
    for error in other_model {
        assert!(error.contains("ranks differ in the parameters; expected weight [2, 3]"), "{error}");
    }
    let no_items = texts(&|group| {
        let model = model(3);
        DataParallel::new(group.clone()).backward(None::<Tensor<A, 1>>, &model, 0).map(drop)
    });
    assert!(no_items[1].contains("wrong items; expected items on one rank at least"), "{}", no_items[1]);
    let untracked = texts(&|group| {
        let parallel = DataParallel::new(group.clone());
        let model = parallel.synchronize::<A, _>(model(3))?;
        let loss = match group.rank() {
            0 => model.forward(ones()).mean(),
            _ => Tensor::<A, 1>::zeros([1], &Default::default()),
        };
        parallel.backward(loss, &model, 1).map(drop)
    });
    assert!(untracked[1].contains("require_grad"), "{}", untracked[1]);
    assert!(untracked[0].contains("rank 1"), "{}", untracked[0]);
    let three_chunks = texts(&|group| {
        let model = model(3);
        let chunks = (0..3).map(|_| (model.forward(ones()).mean(), 1));
        DataParallel::new(group.clone()).backward_chunks::<A, _, _>(chunks, &model).map(drop)
    });
    assert!(three_chunks[0].contains("wrong chunks; expected a number that is a power of two, got 3"));
}
