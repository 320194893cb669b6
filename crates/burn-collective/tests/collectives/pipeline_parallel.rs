//! Stages of a model on several ranks, and meshes of all kinds of parallel training, against one rank with
//! the whole model.

use crate::tensor_parallel::largest_difference;
use crate::tensors::{Outcome, run, table, values};
use crate::training::A;
use burn::collective::{
    ColumnParallelLinear, Communicator, DataParallel, Local, Mesh, Pipeline, Reduction, RowParallelLinear,
    ShardedOptimizer,
};
use burn::module::Module;
use burn::nn::{Linear, LinearConfig};
use burn::optim::{AdamWConfig, GradientsParams, Optimizer};
use burn::tensor::backend::Backend;
use burn::tensor::{Tensor, activation};
use std::sync::Mutex;

const ITEMS: usize = 16;
const WIDTH: usize = 4;
const BLOCKS: usize = 4;

#[derive(Module, Debug)]
struct Block<T: Backend> {
    up: Linear<T>,
    down: Linear<T>,
}

impl Block<A> {
    fn new() -> Self {
        let device = Default::default();
        Block {
            up: LinearConfig::new(WIDTH, 2 * WIDTH).init(&device),
            down: LinearConfig::new(2 * WIDTH, WIDTH).init(&device),
        }
    }

    fn forward(&self, x: Tensor<A, 2>) -> Tensor<A, 2> {
        x.clone() + self.down.forward(activation::tanh(self.up.forward(x)))
    }
}

/// Block whose layers are split over the ranks of a group.
#[derive(Module, Debug)]
struct SplitBlock<T: Backend> {
    up: ColumnParallelLinear<T>,
    down: RowParallelLinear<T>,
}

impl SplitBlock<A> {
    fn new(block: Block<A>, group: &Communicator) -> Outcome<Self> {
        let up = ColumnParallelLinear::from_linear(block.up, group)?;
        let down = RowParallelLinear::from_linear(block.down, group)?;
        Ok(SplitBlock { up, down })
    }

    fn forward(&self, x: Tensor<A, 2>) -> Outcome<Tensor<A, 2>> {
        let y = self.down.try_forward(activation::tanh(self.up.try_forward(x.clone())?))?;
        Ok(x + y)
    }
}

/// Rows of the batch.
fn rows(from: usize, width: usize, range: core::ops::Range<usize>) -> Tensor<A, 2> {
    Tensor::from_inner(table(ITEMS, width, from).narrow(0, range.start, range.len()))
}

fn mean_square(y: Tensor<A, 2>, range: core::ops::Range<usize>) -> Tensor<A, 1> {
    (y - rows(90, WIDTH, range)).square().mean()
}

/// Losses of one rank with all blocks and the whole batch.
fn expected(blocks: &[Block<A>]) -> Vec<f64> {
    let mut model = blocks.to_vec();
    let mut optimizer = AdamWConfig::new().init();
    let mut losses = Vec::new();
    for _ in 0..50 {
        let x = model.iter().fold(rows(1, WIDTH, 0..ITEMS), |x, block| block.forward(x));
        let loss = mean_square(x, 0..ITEMS);
        losses.push(loss.clone().into_scalar());
        let grads = GradientsParams::from_grads(loss.backward(), &model);
        model = optimizer.step(1e-2, model, grads);
    }
    assert!(losses[49] < 0.8 * losses[0], "{losses:?}");
    losses
}

fn blocks() -> Vec<Block<A>> {
    (0..BLOCKS).map(|_| Block::new()).collect()
}

/// Losses of all steps, from the last stage, on a mesh of data parallel, pipeline and tensor parallel ranks.
fn losses_on(mesh: &Mesh, blocks: &[Block<A>], microbatches: usize, is_sharded: bool) -> Outcome<Vec<f64>> {
    let device = Default::default();
    let data = mesh.group("data")?;
    let pipeline = Pipeline::new(mesh.group("pipeline")?.clone(), microbatches)?;
    let own = pipeline.layers(blocks.len())?;
    let mut stage = Vec::new();
    for block in &blocks[own] {
        stage.push(SplitBlock::new(block.clone(), mesh.group("tensor")?)?);
    }
    let parallel = DataParallel::new(data.clone());
    let mut stage = parallel.synchronize::<A, _>(stage)?;
    let mut optimizer = AdamWConfig::new().init();
    let mut sharded = ShardedOptimizer::new::<A, _>(optimizer.clone(), &parallel, &stage)?;
    let items = ITEMS / data.world_size();
    let size = items / microbatches;
    let range = |microbatch: usize| {
        let start = data.rank() * items + microbatch * size;
        start..start + size
    };
    let mut losses = Vec::new();
    for _ in 0..50 {
        let output = pipeline.train_step(
            &stage,
            &device,
            |stage: &Vec<SplitBlock<A>>, x, microbatch| {
                let x = x.unwrap_or_else(|| rows(1, WIDTH, range(microbatch)));
                stage.iter().try_fold(x, |x, block| block.forward(x))
            },
            |y, microbatch| Ok(mean_square(y, range(microbatch))),
        )?;
        assert_eq!(output.loss.is_some(), pipeline.is_last());
        if let Some(loss) = output.loss {
            losses.push(values(data.all_reduce(loss, Reduction::Mean)?)[0]);
        }
        stage = if is_sharded {
            let grads = sharded.reduce_gradients::<A, _>(output.grads, &stage, items)?.grads;
            sharded.step::<A, _>(1e-2, stage, grads)?
        } else {
            let grads = parallel.reduce_gradients::<A, _>(output.grads, &stage, items)?.grads;
            optimizer.step(1e-2, stage, grads)
        };
    }
    Ok(losses)
}

fn check([data, pipeline, tensor]: [usize; 3], microbatches: usize, is_sharded: bool) {
    let blocks = blocks();
    let expected = expected(&blocks);
    let results = run(data * pipeline * tensor, |group| {
        let mesh = Mesh::new(group, &[("data", data), ("pipeline", pipeline), ("tensor", tensor)])?;
        losses_on(&mesh, &blocks, microbatches, is_sharded)
    });
    let found: Vec<_> = results.into_iter().filter(|losses| !losses.is_empty()).collect();
    assert_eq!(found.len(), data * tensor);
    for losses in found {
        let error = largest_difference(&losses, &expected);
        assert!(error < 1e-10, "{data} x {pipeline} x {tensor}, {microbatches} microbatches: {error}");
    }
}

#[test]
fn x_505_losses_of_pipelines_are_those_of_one_rank() {
    for stages in [1, 2, 4] {
        for microbatches in [1, 2, 4, 8] {
            check([1, stages, 1], microbatches, false);
        }
    }
}

#[test]
fn x_505_losses_of_two_by_two_meshes_are_those_of_one_rank() {
    check([2, 2, 1], 4, false);
    check([2, 1, 2], 1, false);
    check([1, 2, 2], 4, false);
    check([2, 2, 1], 2, true);
    check([2, 1, 2], 1, true);
}

#[test]
fn x_505_losses_of_a_mesh_of_three_dimensions_are_those_of_one_rank() {
    check([2, 2, 2], 4, true);
}

#[test]
fn x_505_stages_alternate_forward_and_backward_passes() {
    // Microbatches that a stage has in the forward pass and not yet sent a gradient for: at most two on the
    // first of two stages.
    let events = Mutex::new(Vec::new());
    run(2, |group| {
        let device = Default::default();
        let pipeline = Pipeline::new(group.clone(), 6)?;
        let layer: Linear<A> = LinearConfig::new(2, 2).init(&device);
        let forward = |layer: &Linear<A>, x: Option<Tensor<A, 2>>, microbatch: usize| {
            events.lock().unwrap().push((group.rank(), microbatch));
            Ok(layer.forward(x.unwrap_or_else(|| Tensor::ones([1, 2], &device))))
        };
        pipeline.train_step(&layer, &device, forward, |y, _| Ok(y.sum()))
    });
    let events = events.into_inner().unwrap();
    for (at, (stage, microbatch)) in events.iter().enumerate() {
        // The gradient of microbatch k - 2 came from the last stage, which had its forward pass before.
        if *stage == 0 && *microbatch >= 2 {
            assert!(events[..at].contains(&(1, microbatch - 2)), "{events:?}");
        }
    }
    assert_eq!(events.len(), 12);
}

#[test]
fn x_505_pipelines_that_cannot_be_are_errors_that_name_the_field() {
    let texts = |program: &(dyn Fn(Communicator) -> String + Sync)| Local::run(2, program).unwrap();
    let none = texts(&|group| Pipeline::new(group, 0).map(drop).unwrap_err().to_string());
    assert!(none[1].contains("rank 1 gave a wrong microbatches; expected 1 at least, got 0"), "{}", none[1]);
    let differ = texts(&|group| {
        let count = 2 + group.rank();
        Pipeline::new(group, count).map(drop).unwrap_err().to_string()
    });
    let expected = "ranks differ in the microbatches; expected 2 as on rank 0, got 3 on rank 1";
    assert!(differ[0].contains(expected), "{}", differ[0]);
    let few = texts(&|group| Pipeline::new(group, 1).unwrap().layers(1).unwrap_err().to_string());
    assert!(few[0].contains("wrong count; expected one layer for each of 2 stages, got 1"), "{}", few[0]);
    // The second stage has another width: it ends with its error, the first with one that names it.
    let width = texts(&|group| {
        let device = Default::default();
        let layer: Linear<A> = LinearConfig::new(2 + group.rank(), 2).init(&device);
        let forward = |layer: &Linear<A>, x: Option<Tensor<A, 2>>, _| {
            let x = x.unwrap_or_else(|| Tensor::ones([1, 2], &device));
            let rank = group.rank();
            layer.try_forward(x).map_err(|source| {
                let operation = "stage".to_string();
                burn::collective::CollectiveError::Tensor { operation, rank, source }
            })
        };
        let pipeline = Pipeline::new(group.clone(), 2).unwrap();
        pipeline.train_step(&layer, &device, forward, |y, _| Ok(y.sum())).map(drop).unwrap_err().to_string()
    });
    assert!(width[1].contains("stage: rank 1 gave wrong tensors"), "{}", width[1]);
    assert!(width[0].contains("receive: rank 1 ended"), "{}", width[0]);
}
