//! Sizes and layouts.

use crate::large_sum::sum_a_hundred_million_elements;
use crate::tensors::{B, Outcome, run, values};
use burn::collective::{Communicator, Reduction};
use burn::tensor::{Float, Tensor, TensorData};

fn everywhere(group: &Communicator, x: Tensor<B, 2>) -> Outcome<[Tensor<B, 2>; 4]> {
    Ok([
        group.all_reduce(x.clone(), Reduction::Sum)?,
        group.all_gather(x.clone(), 1)?,
        group.reduce_scatter(x.clone(), 0, Reduction::Sum)?,
        group.broadcast(x, 0)?,
    ])
}

#[test]
fn tensors_without_elements_have_results_without_elements() {
    for shape in [[0, 3], [4, 0], [0, 0]] {
        let results = run(4, |group| everywhere(group, Tensor::zeros(shape, &Default::default())));
        for [sum, all, part, one] in results {
            assert_eq!((sum.dims(), one.dims()), (shape, shape));
            assert_eq!(all.dims(), [shape[0], shape[1] * 4]);
            assert_eq!(part.dims(), [shape[0] / 4, shape[1]]);
        }
    }
}

#[test]
fn views_are_moved_as_the_tensors_that_they_show() {
    let whole = |rank: usize| {
        let data: Vec<f64> = (0..48).map(|at| (at * (rank + 1)) as f64).collect();
        crate::tensors::vector(&data).reshape([6, 8])
    };
    let views: [fn(Tensor<B, 2>) -> Tensor<B, 2>; 4] = [
        Tensor::transpose,
        |x| x.slice([1..5, 2..6]),
        |x| x.flip([0]).slice([0..4, 0..2]),
        |x| x.slice([0..1, 0..8]).expand([4, 8]),
    ];
    for view in views {
        // The same elements, laid out in order.
        let plain = |x: Tensor<B, 2>| Tensor::<B, 2>::from_data(view(x).into_data(), &Default::default());
        let results = run(2, |group| {
            let x = whole(group.rank());
            Ok((everywhere(group, view(x.clone()))?, everywhere(group, plain(x))?))
        });
        for (view, plain) in results {
            assert_eq!(view.map(values), plain.map(values));
        }
    }
}

#[test]
fn a_tensor_of_rank_0_is_reduced_and_sent() {
    let results = run(2, |group| {
        let x = Tensor::<B, 0>::from_data(TensorData::new([2.5], []), &Default::default());
        if group.rank() == 0 {
            group.send(x.clone(), 1)?;
        } else {
            let sent = group.receive::<B, 0, Float>(0, &Default::default())?;
            assert_eq!(values(sent), [2.5]);
        }
        group.all_reduce(x, Reduction::Sum)
    });
    assert!(results.into_iter().all(|x| values(x) == [5.0]));
}

#[test]
fn a_million_elements_are_reduced_in_the_order_of_ranks() {
    const COUNT: usize = 1_000_003;
    let element = |rank: usize, at: usize| ((at % 1000) as f64 + 0.1) * (rank as f64 + 0.3);
    let results = run(3, |group| {
        let data: Vec<f64> = (0..COUNT).map(|at| element(group.rank(), at)).collect();
        group.all_reduce(crate::tensors::vector(&data), Reduction::Sum)
    });
    let expected: Vec<f64> = (0..COUNT).map(|at| element(0, at) + element(1, at) + element(2, at)).collect();
    for result in results {
        assert!(values(result) == expected, "the sums differ");
    }
}

#[test]
fn x_501_a_hundred_million_elements_of_two_threads_are_summed() {
    run(2, |group| {
        sum_a_hundred_million_elements(group);
        Ok(())
    });
}
