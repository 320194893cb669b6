//! Sums and means, along rows, along columns and of everything, of matrices of several sizes and of views.

use super::input::normal;
use crate::workload::Workload;
use burn_ndarray::NdArray;
use burn_tensor::{Tensor, s};
use std::hint::black_box;

pub(super) fn all() -> Vec<Workload> {
    let whole = || normal([4096, 4096]);
    let long = || normal([16, 1 << 20]);
    let small = || normal([64, 256]);
    let middle = || normal([512, 768]);
    let turned = || normal::<NdArray, 2>([512, 768]).transpose();
    let points = || normal::<NdArray, 2>([3, 65536]).transpose();
    let stepped = || normal::<NdArray, 2>([1024, 2048]).slice(s![.., ..;2]);
    let sums_of_matrices = [
        sums(["sum dim 0", "sum dim 1", "sum all"], whole),
        sums(["sum dim 0 of 16 x 1 M", "sum dim 1 of 16 x 1 M", "sum all of 16 x 1 M"], long),
        sums(["sum dim 0 of 64 x 256", "sum dim 1 of 64 x 256", "sum all of 64 x 256"], small),
        sums(["sum dim 0 of 512 x 768", "sum dim 1 of 512 x 768", "sum all of 512 x 768"], middle),
    ];
    let sums_of_views_and_means = [
        reduction("sum dim 0 transposed", turned, |x| x.sum_dim(0)).at_most(1.0),
        reduction("sum dim 1 transposed", turned, |x| x.sum_dim(1)).at_most(1.0),
        reduction("sum all transposed", turned, |x| x.sum()),
        reduction("sum all of points", points, |x| x.sum()).at_most(1.0),
        reduction("sum dim 1 stepped", stepped, |x| x.sum_dim(1)),
        reduction("mean of channels last", images, |x| x.mean_dims(&[2, 3])).at_most(1.0),
    ];
    sums_of_matrices.into_iter().flatten().chain(sums_of_views_and_means).collect()
}

/// Sums of columns, of rows and of all elements, by their names.
fn sums(
    [columns, rows, all]: [&'static str; 3],
    operand: impl FnOnce() -> Tensor<NdArray, 2> + Copy + 'static,
) -> [Workload; 3] {
    [
        reduction(columns, operand, |x| x.sum_dim(0)),
        reduction(rows, operand, |x| x.sum_dim(1)),
        reduction(all, operand, |x| x.sum()),
    ]
    .map(|workload| workload.at_most(1.0))
}

fn images() -> Tensor<NdArray, 4> {
    normal::<NdArray, 4>([32, 56, 56, 64]).permute([0, 3, 1, 2])
}

fn reduction<const D: usize, const R: usize>(
    name: &'static str,
    operand: impl FnOnce() -> Tensor<NdArray, D> + 'static,
    function: fn(Tensor<NdArray, D>) -> Tensor<NdArray, R>,
) -> Workload {
    Workload::new(name).with("NdArray", move || {
        let x = operand();
        move || drop(black_box(function(x.clone())))
    })
}
