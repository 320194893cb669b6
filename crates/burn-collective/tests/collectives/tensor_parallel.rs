//! Layers that are split over ranks, against the whole ones.

use crate::tensors::{B, bits, run, values};
use burn::backend::Autodiff;
use burn::collective::{ColumnParallelLinear, Communicator, Local, RowParallelLinear};
use burn::module::Module;
use burn::nn::{Linear, LinearConfig};
use burn::optim::{AdamWConfig, GradientsParams, Optimizer};
use burn::tensor::backend::Backend;
use burn::tensor::{Tensor, activation};

type A = Autodiff<B>;

#[derive(Module, Debug)]
struct Whole<T: Backend> {
    first: Linear<T>,
    up: Linear<T>,
    down: Linear<T>,
}

#[derive(Module, Debug)]
struct Split<T: Backend> {
    first: ColumnParallelLinear<T>,
    up: ColumnParallelLinear<T>,
    down: RowParallelLinear<T>,
}

impl<T: Backend> Whole<T> {
    fn new() -> Self {
        let device = Default::default();
        Whole {
            first: LinearConfig::new(3, 4).init(&device),
            up: LinearConfig::new(4, 8).init(&device),
            down: LinearConfig::new(8, 2).init(&device),
        }
    }

    fn forward(&self, x: Tensor<T, 2>) -> Tensor<T, 2> {
        let x = activation::tanh(self.first.forward(x));
        self.down.forward(activation::gelu(self.up.forward(x)))
    }
}

impl<T: Backend> Split<T> {
    fn new(whole: Whole<T>, group: &Communicator) -> Self {
        Split {
            first: ColumnParallelLinear::from_linear(whole.first, group).unwrap(),
            up: ColumnParallelLinear::from_linear(whole.up, group).unwrap(),
            down: RowParallelLinear::from_linear(whole.down, group).unwrap(),
        }
    }

    fn forward(&self, x: Tensor<T, 2>) -> Tensor<T, 2> {
        let x = activation::tanh(self.first.gather(self.first.forward(x)).unwrap());
        self.down.forward(activation::gelu(self.up.forward(x)))
    }
}

fn table(rows: usize, columns: usize, from: usize) -> Tensor<A, 2> {
    let values: Vec<f64> = (0..rows * columns).map(|at| ((at * 7 + from) as f64).sin()).collect();
    Tensor::<A, 1>::from_data(values.as_slice(), &Default::default()).reshape([rows, columns])
}

/// Losses of some steps of a module.
fn losses<M: burn::module::AutodiffModule<A>>(
    mut module: M,
    forward: impl Fn(&M, Tensor<A, 2>) -> Tensor<A, 2>,
) -> Vec<f64> {
    let mut optimizer = AdamWConfig::new().init();
    let (x, y) = (table(6, 3, 1), table(6, 2, 50));
    (0..50)
        .map(|_| {
            let loss = (forward(&module, x.clone()) - y.clone()).square().mean();
            let value = loss.clone().into_scalar();
            let grads = GradientsParams::from_grads(loss.backward(), &module);
            module = optimizer.step(1e-2, module.clone(), grads);
            value
        })
        .collect()
}

#[test]
fn x_505_losses_of_split_layers_are_those_of_whole_ones() {
    let whole = Whole::<A>::new();
    let expected = losses(whole.clone(), Whole::forward);
    assert!(expected[49] < 0.5 * expected[0], "{expected:?}");
    for ranks in [1, 2, 4] {
        let results = run(ranks, |group| {
            // Only the layers of rank 0 count.
            let own = if group.rank() == 0 { whole.clone() } else { Whole::new() };
            Ok(losses(Split::new(own, group), Split::forward))
        });
        for result in results {
            let error = result.iter().zip(&expected).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
            assert!(error < 1e-10, "{ranks} ranks: {error}");
        }
    }
}

#[test]
fn x_505_parts_are_columns_and_rows_of_the_layer_of_rank_0() {
    let whole = Whole::<A>::new();
    let results = run(2, |group| {
        let split = Split::new(whole.clone(), group);
        assert_eq!(split.num_params(), 3 * 2 + 2 + 4 * 4 + 4 + 4 * 2 + 2);
        Ok((split.up.weight.val().inner(), split.down.weight.val().inner()))
    });
    for (rank, (columns, rows)) in results.into_iter().enumerate() {
        let up = whole.up.weight.val().inner().narrow(1, rank * 4, 4);
        let down = whole.down.weight.val().inner().narrow(0, rank * 4, 4);
        assert_eq!(bits(&values(columns)), bits(&values(up)));
        assert_eq!(bits(&values(rows)), bits(&values(down)));
    }
}

#[test]
fn x_505_sizes_that_ranks_do_not_divide_are_named() {
    let texts = Local::run(3, |group| {
        let whole = Whole::<A>::new();
        let column = ColumnParallelLinear::from_linear(whole.up.clone(), &group).unwrap_err();
        let row = RowParallelLinear::from_linear(whole.up, &group).unwrap_err();
        (column.to_string(), row.to_string())
    })
    .unwrap();
    for (rank, (column, row)) in texts.into_iter().enumerate() {
        let expected = "gave a wrong d_output; expected a size that 3 ranks divide, got 8";
        assert!(column.contains(expected), "rank {rank}: {column}");
        assert!(row.contains("gave a wrong d_input; expected a size that 3 ranks divide, got 4"), "{row}");
    }
}
