//! Snippets of the page on many devices.

use burn::backend::{Autodiff, NdArray};

#[test]
fn ranks_sum_tensors() -> Result<(), burn::collective::CollectiveError> {
    // ANCHOR: ranks
    use burn::collective::{Local, Reduction};
    use burn::tensor::Tensor;

    let sums = Local::run(4, |communicator| {
        let device = Default::default();
        let x = Tensor::<NdArray, 1>::full([2], communicator.rank() as f32, &device);
        communicator.all_reduce(x, Reduction::Sum).map(|sum| sum.into_data().to_f64())
    })?;
    // ANCHOR_END: ranks
    assert_eq!(sums, vec![Ok(vec![6.0, 6.0]); 4]);
    Ok(())
}

// ANCHOR: train
use burn::collective::{CollectiveError, Communicator, DataParallel, DistributedSampler};
use burn::nn::{Linear, LinearConfig};
use burn::optim::{Optimizer, SgdConfig};
use burn::tensor::Tensor;

/// Trains on the part of each batch that belongs to this rank.
fn train(communicator: Communicator) -> Result<Vec<f64>, CollectiveError> {
    let device = Default::default();
    let sampler = DistributedSampler::new(64, 16, &communicator)?.with_shuffle(42);
    let parallel = DataParallel::new(communicator);
    let model: Linear<Autodiff<NdArray>> = LinearConfig::new(1, 1).init(&device);
    // All ranks begin with the model of rank 0.
    let mut model = parallel.synchronize(model)?;
    let mut optimizer = SgdConfig::new().init();
    for epoch in 0..20 {
        for items in sampler.batches(epoch)? {
            let x: Vec<f32> = items.iter().map(|item| *item as f32 / 64.0).collect();
            let x = Tensor::<_, 1>::from_data(x.as_slice(), &device).reshape([items.len(), 1]);
            let loss = (model.forward(x.clone()) - (x * 3.0 + 1.0)).square().mean();
            // The mean over the items of all ranks: the same on every rank.
            let grads = parallel.backward(loss, &model, items.len())?.grads;
            model = optimizer.step(0.5, model, grads);
        }
    }
    Ok(model.weight.val().into_data().to_f64())
}
// ANCHOR_END: train

#[test]
fn ranks_train_one_model() -> Result<(), CollectiveError> {
    // ANCHOR: run
    use burn::collective::Local;

    let weights = Local::run(2, train)?;
    // ANCHOR_END: run
    let weights: Vec<Vec<f64>> = weights.into_iter().map(|weight| weight.unwrap()).collect();
    assert_eq!(weights[0], weights[1]);
    assert!((weights[0][0] - 3.0).abs() < 0.2, "{weights:?}");
    Ok(())
}

#[test]
fn groups_and_gradients() {
    use burn::collective::{Local, Reduction};
    let slopes = Local::run(4, |communicator| {
        // ANCHOR: groups
        // Ranks 0 and 1 are one group, 2 and 3 the other.
        let pair = communicator.split(Some(communicator.rank() as u64 / 2), 0)?;
        let pair = pair.expect("every rank gave a color");

        let x = Tensor::<Autodiff<NdArray>, 1>::full([1], 3.0, &Default::default()).require_grad();
        let sum = pair.all_reduce(x.clone(), Reduction::Sum)?;
        // Each rank has a loss: gradients are those of the sum of both.
        let gradients = sum.square().sum().backward();
        // ANCHOR_END: groups
        let slope = x.grad(&gradients).expect("the loss depends on it").into_scalar();
        Ok::<f32, CollectiveError>(slope)
    })
    .unwrap();
    assert_eq!(slopes, vec![Ok(24.0); 4]);
}

// ANCHOR: split
use burn::collective::{ColumnParallelLinear, RowParallelLinear};
use burn::module::Module;
use burn::tensor::activation;
use burn::tensor::backend::Backend;

#[derive(Module, Debug)]
struct FeedForward<B: Backend> {
    up: ColumnParallelLinear<B>,
    down: RowParallelLinear<B>,
}

impl<B: Backend> FeedForward<B> {
    fn new(communicator: &Communicator, device: &B::Device) -> Result<Self, CollectiveError> {
        let up = ColumnParallelLinear::from_linear(LinearConfig::new(16, 64).init(device), communicator)?;
        let down = RowParallelLinear::from_linear(LinearConfig::new(64, 16).init(device), communicator)?;
        Ok(FeedForward { up, down })
    }

    fn forward(&self, x: Tensor<B, 2>) -> Tensor<B, 2> {
        self.down.forward(activation::gelu(self.up.forward(x)))
    }
}
// ANCHOR_END: split

#[test]
fn split_layers_have_equal_outputs() {
    let outputs = burn::collective::Local::run(2, |communicator| {
        let device = Default::default();
        let layers = FeedForward::<NdArray>::new(&communicator, &device)?;
        let y = layers.forward(Tensor::ones([3, 16], &device));
        Ok::<_, CollectiveError>(y.into_data().to_f64())
    })
    .unwrap();
    assert_eq!(outputs[0], outputs[1]);
    assert_eq!(outputs[0].as_ref().map(Vec::len), Ok(48));
}

#[test]
fn optimizer_state_is_split() {
    let weights = burn::collective::Local::run(2, |communicator| {
        let device = Default::default();
        // ANCHOR: sharded
        use burn::collective::{DataParallel, ShardedOptimizer};
        use burn::optim::AdamWConfig;

        let parallel = DataParallel::new(communicator);
        let model: Linear<Autodiff<NdArray>> = LinearConfig::new(3, 2).init(&device);
        let mut model = parallel.synchronize(model)?;
        let mut optimizer = ShardedOptimizer::new(AdamWConfig::new().init(), &parallel, &model)?;
        for _ in 0..3 {
            let loss = model.forward(Tensor::<_, 2>::ones([4, 3], &device)).square().mean();
            // ZeRO-2: each rank gets the gradients of the parameters that it updates.
            let grads = optimizer.backward(loss, &model, 4)?.grads;
            model = optimizer.step(1e-3, model, grads)?;
        }
        // ANCHOR_END: sharded
        assert_eq!(optimizer.shard_bytes(), if parallel.communicator().rank() == 0 { 24 } else { 8 });
        Ok::<_, CollectiveError>(model.weight.val().into_data().to_f64())
    })
    .unwrap();
    assert_eq!(weights[0], weights[1]);
}

#[test]
fn stages_run_on_their_ranks() {
    let losses = burn::collective::Local::run(2, |communicator| {
        type B = Autodiff<NdArray>;
        let device = Default::default();
        // ANCHOR: pipeline
        use burn::collective::Pipeline;

        // Four microbatches in each step.
        let pipeline = Pipeline::new(communicator, 4)?;
        let stage: Vec<Linear<B>> =
            pipeline.layers(6)?.map(|_| LinearConfig::new(8, 8).init(&device)).collect();
        let output = pipeline.train_step(
            &stage,
            &device,
            |stage: &Vec<Linear<B>>, x, microbatch| {
                // The first stage takes the inputs, the others get those of the stage before.
                let x = x.unwrap_or_else(|| Tensor::<B, 2>::full([2, 8], microbatch as f32, &device));
                Ok(stage.iter().fold(x, |x, layer| activation::tanh(layer.forward(x))))
            },
            |y, _microbatch| Ok(y.square().mean()),
        )?;
        // ANCHOR_END: pipeline
        assert_eq!(output.grads.len(), 6);
        Ok::<_, CollectiveError>(output.loss.is_some())
    })
    .unwrap();
    assert_eq!(losses, [Ok(false), Ok(true)]);
}

#[test]
fn meshes_name_their_dimensions() {
    let results = burn::collective::Local::run(4, |communicator| {
        // ANCHOR: mesh
        use burn::collective::{DataParallel, Mesh};

        let mesh = Mesh::new(&communicator, &[("data", 2), ("tensor", 2)])?;
        // Layers are split over two ranks, and there are two copies of each part.
        let layer: Linear<NdArray> = LinearConfig::new(4, 8).init(&Default::default());
        let layer = ColumnParallelLinear::from_linear(layer, mesh.group("tensor")?)?;
        let layer = DataParallel::new(mesh.group("data")?.clone()).synchronize(layer)?;
        // ANCHOR_END: mesh
        Ok::<_, CollectiveError>(layer.weight.dims())
    })
    .unwrap();
    assert_eq!(results, vec![Ok([4, 4]); 4]);
}

#[test]
fn errors_name_the_rank() {
    use burn::collective::{Local, Reduction};
    let texts = Local::run(3, |communicator| {
        let device = Default::default();
        // ANCHOR: errors
        // A mistake: the tensor of rank 2 has one element more.
        let count = if communicator.rank() == 2 { 3 } else { 2 };
        let x = Tensor::<NdArray, 1>::zeros([count], &device);
        let error = communicator.all_reduce(x, Reduction::Sum).unwrap_err();
        // ANCHOR_END: errors
        error.to_string()
    })
    .unwrap();
    for text in texts {
        let expected = "all_reduce: ranks differ in the shape; expected [2] as on rank 0, got [3] on rank 2";
        assert!(text.starts_with(expected), "{text}");
    }
}
