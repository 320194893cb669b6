//! Bytes that ranks keep at a step of the optimizer, against the formulas.

use crate::sharded_optimizer::bytes;
use crate::tensors::{B, Outcome, run};
use crate::training::A;
use burn::collective::{Communicator, DataParallel, ShardedOptimizer, Sharding, TrainingMemory};
use burn::module::Module;
use burn::nn::{Linear, LinearConfig};
use burn::optim::{AdamWConfig, GradientsParams, Optimizer};
use burn::record::IntoNode;
use burn::tensor::{Tensor, activation, backend::Backend};

/// Feed-forward layers between a layer of other sizes at the begin and one at the end.
#[derive(Module, Debug)]
struct Stack<T: Backend> {
    layers: Vec<Linear<T>>,
}

/// Widths of the layers.
const WIDTHS: [usize; 27] = [
    40, 24, 96, 24, 96, 24, 96, 24, 96, 24, 96, 24, 96, 24, 96, 24, 96, 24, 96, 24, 96, 24, 96, 24, 96, 24,
    50,
];

impl<T: Backend> Stack<T> {
    fn new() -> Self {
        let layer =
            |pair: &[usize]| LinearConfig::new(pair[0], pair[1]).with_bias(false).init(&Default::default());
        Stack { layers: WIDTHS.windows(2).map(layer).collect() }
    }

    fn loss(&self) -> Tensor<T, 1> {
        let x = Tensor::<T, 2>::ones([3, WIDTHS[0]], &Default::default());
        let x = self.layers.iter().fold(x, |x, layer| activation::tanh(layer.forward(x)));
        x.square().mean()
    }

    fn gradient_bytes(&self, grads: &GradientsParams) -> usize {
        let numbers =
            |layer: &Linear<T>| grads.get::<B, 2>(layer.weight.id()).map_or(0, |x| x.shape().num_elements());
        8 * self.layers.iter().map(numbers).sum::<usize>()
    }
}

/// Makes two steps, and measures what this rank keeps at the second.
fn measure(group: &Communicator, sharding: Sharding) -> Outcome<TrainingMemory> {
    let parallel = DataParallel::new(group.clone());
    let mut model = parallel.synchronize::<A, _>(Stack::<A>::new())?;
    let mut whole = AdamWConfig::new().init();
    let mut sharded = ShardedOptimizer::new::<A, _>(AdamWConfig::new().init(), &parallel, &model)?;
    let mut gradients = 0;
    for _ in 0..2 {
        let grads = GradientsParams::from_grads(model.loss().backward(), &model);
        let grads = match sharding {
            Sharding::None | Sharding::State => parallel.reduce_gradients::<A, _>(grads, &model, 3)?.grads,
            Sharding::StateAndGradients => sharded.reduce_gradients::<A, _>(grads, &model, 3)?.grads,
        };
        gradients = model.gradient_bytes(&grads);
        model = match sharding {
            Sharding::None => whole.step(1e-2, model, grads),
            Sharding::State | Sharding::StateAndGradients => sharded.step::<A, _>(1e-2, model, grads)?,
        };
    }
    let state = match sharding {
        Sharding::None => bytes(&Optimizer::<Stack<A>, A>::to_record(&whole).into_node()),
        Sharding::State | Sharding::StateAndGradients => {
            bytes(&sharded.to_record::<A, Stack<A>>(&Default::default())?.into_node())
        }
    };
    let parameters = bytes(&model.into_record().into_node());
    Ok(TrainingMemory { parameters, gradients, state })
}

#[test]
fn x_504_memory_of_each_rank_is_that_of_the_formula() {
    let parameters = 8 * WIDTHS.windows(2).map(|pair| pair[0] * pair[1]).sum::<usize>();
    for ranks in [1, 2, 3, 4] {
        for sharding in [Sharding::None, Sharding::State, Sharding::StateAndGradients] {
            let expected = sharding.memory(parameters, 2, ranks);
            for found in run(ranks, |group| measure(group, sharding)) {
                assert_eq!(found.parameters, expected.parameters);
                for (found, expected) in [
                    (found.gradients, expected.gradients),
                    (found.state, expected.state),
                    (found.total(), expected.total()),
                ] {
                    let ratio = found as f64 / expected as f64;
                    assert!(
                        (ratio - 1.0).abs() < 0.05,
                        "{sharding:?} on {ranks} ranks: {found} of {expected}"
                    );
                }
            }
        }
    }
}
