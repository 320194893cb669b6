//! Gradients of collectives, against central differences of the sum of the losses of all ranks.

use crate::tensors::{B, Outcome, WORLD_SIZES, run, values, vector};
use burn::backend::Autodiff;
use burn::collective::{CollectiveError, Communicator, Local, Reduction};
use burn::tensor::backend::Backend;
use burn::tensor::{Tensor, grad};

#[derive(Clone, Copy, Debug)]
enum Call {
    AllReduce(Reduction),
    AllGather,
    ReduceScatter(Reduction),
    Broadcast,
}

fn calls(ranks: usize) -> Vec<Call> {
    let reductions = [Reduction::Sum, Reduction::Mean, Reduction::Min, Reduction::Max, Reduction::Product];
    let mut calls: Vec<Call> = reductions.map(Call::AllReduce).to_vec();
    calls.extend(reductions.map(Call::ReduceScatter));
    calls.extend([Call::AllGather, Call::Broadcast]);
    // Products of many numbers have large third derivatives, which differences see.
    calls.retain(|call| ranks < 8 || !matches!(call, Call::AllReduce(Reduction::Product)));
    calls
}

/// Loss of a rank, which differs by rank and is not linear in the result of the collective.
fn loss<T: Backend>(group: &Communicator, call: Call, x: Tensor<T, 2>) -> Outcome<Tensor<T, 1>> {
    let y = match call {
        Call::AllReduce(reduction) => group.all_reduce(x, reduction)?,
        Call::AllGather => group.all_gather(x, 1)?,
        Call::ReduceScatter(reduction) => group.reduce_scatter(x, 1, reduction)?,
        Call::Broadcast => group.broadcast(x, group.world_size() - 1)?,
    };
    let y = (y * (group.rank() as f64 + 1.5)).sin();
    let weights = Tensor::from_data([[0.5], [-1.25]], &y.device());
    Ok((y.clone() * y * weights).sum())
}

fn input(rank: usize, ranks: usize) -> Vec<f64> {
    (0..2 * ranks).map(|at| 0.4 + ((rank * 17 + at * 5 + 3) as f64).sin()).collect()
}

fn total(call: Call, inputs: &[Vec<f64>]) -> f64 {
    let ranks = inputs.len();
    let losses = run(ranks, |group| {
        loss(group, call, vector(&inputs[group.rank()]).reshape([2, ranks])).map(|loss| values(loss)[0])
    });
    losses.iter().sum()
}

#[test]
fn x_502_gradients_are_the_differences_of_the_sum_of_all_losses() {
    const STEP: f64 = 1e-5;
    for ranks in WORLD_SIZES {
        let inputs: Vec<Vec<f64>> = (0..ranks).map(|rank| input(rank, ranks)).collect();
        for call in calls(ranks) {
            let slopes = run(ranks, |group| {
                let x = vector(&inputs[group.rank()]).reshape([2, ranks]);
                let x = Tensor::<Autodiff<B>, 2>::from_inner(x).require_grad();
                let gradients = loss(group, call, x.clone())?.backward();
                Ok(values(x.grad(&gradients).expect("the loss depends on it")))
            });
            for (rank, slopes) in slopes.iter().enumerate() {
                // Ends and the middle: each is two runs of all ranks.
                for at in [0, ranks, 2 * ranks - 1] {
                    let moved = |by: f64| {
                        let mut inputs = inputs.clone();
                        inputs[rank][at] += by;
                        total(call, &inputs)
                    };
                    let expected = (moved(STEP) - moved(-STEP)) / (2.0 * STEP);
                    let error = (slopes[at] - expected).abs();
                    assert!(
                        error < 1e-6 * (1.0 + expected.abs()),
                        "{call:?} of {ranks} ranks, rank {rank}, element {at}: {} and {expected}",
                        slopes[at]
                    );
                }
            }
        }
    }
}

#[test]
fn x_502_second_derivatives_go_through_collectives_twice() {
    // The loss is the sum over ranks r of (sum of x)^3, so the second derivative of its gradient's sum is 6
    // n^2 sum of x for each pair of ranks.
    type Twice = Autodiff<Autodiff<B>>;
    let results = run(3, |group| {
        let cube = |x: Tensor<Twice, 1>| {
            group.all_reduce(x, Reduction::Sum).unwrap_or_else(|error| panic!("{error}")).powi_scalar(3).sum()
        };
        let hessian: Tensor<B, 2> = grad::hessian(cube, vector(&[group.rank() as f64 + 1.0]));
        Ok(values(hessian))
    });
    // Gradient on each rank: 3 * 3 * s^2; its sum over ranks is 27 s^2, with the slope 54 s at s = 6.
    assert_eq!(results, vec![vec![324.0]; 3]);
}

#[test]
fn x_502_gradients_go_through_checkpoints_and_decorators() {
    use burn::backend::{Fusion, Profile};
    fn slope<T: burn::tensor::backend::AutodiffBackend>() -> Vec<Vec<f64>> {
        run(2, |group| {
            let device = Default::default();
            let x = Tensor::<T, 1>::full([2], group.rank() as f64 + 1.0, &device).require_grad();
            let inside = group.clone();
            let y = grad::checkpoint(
                move |x: Tensor<T, 1>| {
                    let sum = inside.all_reduce(x.square(), Reduction::Sum);
                    sum.unwrap_or_else(|error| panic!("{error}")).square()
                },
                x.clone(),
            );
            Ok(x.grad(&y.backward()).expect("it depends on it").into_data().to_f64())
        })
    }
    // d/dx of two losses (1 + 4)^2 in each element: 2 * 2 * 5 * 2 x.
    let expected = [vec![40.0; 2], vec![80.0; 2]];
    assert_eq!(slope::<Autodiff<B>>(), expected);
    assert_eq!(slope::<Autodiff<Fusion<burn::backend::NdArray>>>(), expected);
    assert_eq!(slope::<Profile<Autodiff<B>>>(), expected);
}

#[test]
fn x_502_a_backward_pass_that_other_ranks_do_not_run_is_an_error() {
    let results = Local::run(2, |group| {
        let x = Tensor::<Autodiff<B>, 1>::from_data([1.0], &Default::default()).require_grad();
        let y = group.all_reduce(x, Reduction::Sum)?;
        if group.rank() == 0 {
            return Ok(y.sum().try_backward().map(drop).unwrap_err().to_string());
        }
        Ok::<_, CollectiveError>(String::new())
    })
    .unwrap();
    let error = results[0].as_ref().unwrap();
    assert!(error.contains("all_reduce: rank 1 ended before this call"), "{error}");
}
