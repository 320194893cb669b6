//! parts of tensors, slices, dims from the back. Values by scripts/surface_values.py.

use crate::expect::{exactly, panics};
use crate::given::{B, CPU, float, int};
use crate::slopes;
use burn::tensor::{Tensor, s};

fn small() -> Tensor<B, 2> {
    float([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])
}

#[test]
fn x_007_roll() {
    exactly(small().roll_dim(1, 1), [[2.0, 0.0, 1.0], [5.0, 3.0, 4.0]]);
    exactly(small().roll_dim(-4, -1), [[1.0, 2.0, 0.0], [4.0, 5.0, 3.0]]);
    exactly(small().roll_dim(isize::MIN, 0), small().into_data());
    exactly(small().roll(&[1, -1], &[0, 1]), [[4.0, 5.0, 3.0], [1.0, 2.0, 0.0]]);
    assert_eq!(Tensor::<B, 2>::zeros([2, 0], CPU).roll_dim(3, 1).dims(), [2, 0]);
    let message = panics(|| small().roll(&[1], &[0, 1]));
    assert!(message.starts_with("roll: 1 shifts [1] for 2 dimensions"), "{message}");
    slopes::agree([0.5, -1.0, 2.0], |x: Tensor<_, 1>| x.clone() * x.roll_dim(1, 0));
}

#[test]
fn x_007_repeats() {
    exactly(
        small().repeat_interleave(2, 1),
        [[0.0, 0.0, 1.0, 1.0, 2.0, 2.0], [3.0, 3.0, 4.0, 4.0, 5.0, 5.0]],
    );
    exactly(int::<1>([1, 2]).repeat_interleave(3, -1), [1, 1, 1, 2, 2, 2]);
    assert_eq!(small().repeat_interleave(0, 0).dims(), [0, 3]);
    exactly(small().tile(&[2]), [[0.0, 1.0, 2.0, 0.0, 1.0, 2.0], [3.0, 4.0, 5.0, 3.0, 4.0, 5.0]]);
    slopes::agree([[0.5, -1.0], [2.0, 1.0]], |x: Tensor<_, 2>| x.repeat_interleave(2, 0));
}

#[test]
fn x_007_splits() {
    let parts = small().split(2, -1);
    exactly(parts[0].clone(), [[0.0, 1.0], [3.0, 4.0]]);
    exactly(parts[1].clone(), [[2.0], [5.0]]);
    let parts = small().split_with_sizes(&[1, 0, 2], 1);
    exactly(parts[0].clone(), [[0.0], [3.0]]);
    assert_eq!(parts[1].dims(), [2, 0]);
    exactly(parts[2].clone(), [[1.0, 2.0], [4.0, 5.0]]);
    let message = panics(|| small().split_with_sizes(&[1, 1], -1));
    assert!(
        message.starts_with("split_with_sizes: the sizes [1, 1] do not add up to dimension 1"),
        "{message}"
    );
    assert!(small().try_split_with_sizes(&[usize::MAX, 4], 1).is_err(), "the sum overflows");
}

#[test]
fn x_007_windows() {
    let line = Tensor::<B, 1, burn::tensor::Int>::arange(0..10, CPU);
    exactly(line.unfold::<2>(0, 4, 3), [[0, 1, 2, 3], [3, 4, 5, 6], [6, 7, 8, 9]]);
    exactly(
        float::<2>([[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0]]).unfold::<3>(-1, 3, 1),
        [[[0.0, 1.0, 2.0], [1.0, 2.0, 3.0]], [[4.0, 5.0, 6.0], [5.0, 6.0, 7.0]]],
    );
    assert_eq!(Tensor::<B, 3>::zeros([2, 3, 4], CPU).unfold::<4>(1, 2, 1).dims(), [2, 2, 4, 2]);
    assert!(small().try_unfold::<3>(1, 4, 1).is_err() && small().try_unfold::<3>(1, 1, 0).is_err());
    slopes::agree([0.5, -1.0, 2.0, 1.5], |x: Tensor<_, 1>| x.unfold::<2>(0, 2, 1));
}

#[test]
fn x_007_slices_of_a_dim() {
    exactly(small().select_dim::<1>(0, -1), [3.0, 4.0, 5.0]);
    exactly(small().select_dim::<1>(-1, 1), [1.0, 4.0]);
    let message = panics(|| small().select_dim::<1>(1, -4));
    assert!(message.starts_with("select_dim: index -4 is beyond dimension 1 of [2, 3]"), "{message}");
    let columns: Vec<f32> = small().iter_dim(1).map(|column| column.sum().into_scalar()).collect();
    assert_eq!(columns, [3.0, 5.0, 7.0]);
    let mut rows = small().iter_dim(0);
    assert_eq!(rows.len(), 2);
    exactly(rows.next_back().expect("two rows"), [[3.0, 4.0, 5.0]]);
    exactly(
        small().take::<2, 3>(-1, int([[2, 0], [1, 1]])),
        [[[2.0, 0.0], [1.0, 1.0]], [[5.0, 3.0], [4.0, 4.0]]],
    );
    assert!(small().try_take::<1, 2>(1, int([3])).is_err(), "an index beyond the dimension");
    slopes::agree([0.5, -1.0, 2.0], |x: Tensor<_, 1>| {
        x.take::<2, 2>(0, Tensor::from_data([[2, 0], [2, 1]], CPU))
    });
}

#[test]
fn x_008_slices_with_steps_and_from_the_back() {
    let line = || int::<1>([0, 1, 2, 3, 4, 5, 6]);
    exactly(line().slice_dim(0, 1..6), [1, 2, 3, 4, 5]);
    exactly(line().slice_dim(-1, -3..), [4, 5, 6]);
    exactly(line().slice_dim(0, -2), [5]);
    let stepped = burn::tensor::Slice::from(1..).with_step(2);
    exactly(line().slice_dim(0, stepped), [1, 3, 5]);
    exactly(line().slice(s![..;3]), [0, 3, 6]);
    exactly(line().slice(s![1..6;-2]), [5, 3, 1]);
    exactly(line().slice_assign(s![-1..0;2], int([0; 0])), [0, 1, 2, 3, 4, 5, 6]);
    exactly(line().slice_assign(s![..;-3], int([10, 20, 30])), [30, 1, 2, 20, 4, 5, 10]);
    exactly(small().slice_dim(1, ..=1), [[0.0, 1.0], [3.0, 4.0]]);
    assert!(line().try_slice_dim(0, 5..9).is_err() && line().try_slice_dim(1, 0..1).is_err());
}

#[test]
fn x_008_fill_of_a_slice() {
    exactly(small().slice_fill([0..1, 1..3], 9.0), [[0.0, 9.0, 9.0], [3.0, 4.0, 5.0]]);
    exactly(int::<1>([0, 1, 2, 3, 4]).slice_fill(s![..;2], -1), [-1, 1, -1, 3, -1]);
    exactly(int::<1>([0, 1, 2, 3, 4]).slice_fill(s![-2..], 7), [0, 1, 2, 7, 7]);
    let message = panics(|| int::<1>([0, 1]).slice_fill([0..1], 0.5));
    assert!(message.starts_with("slice_fill: the number 0.5 beside a tensor of i64"), "{message}");
    slopes::agree([0.5, -1.0, 2.0], |x: Tensor<_, 1>| x.clone() * x.slice_fill([1..2], 3.0));
}

/// A dim from the back names what the dim from the front does, in what the table of [`crate::tensor::extras`]
/// lacks.
#[test]
fn x_009_negative_dims_of_the_newer_operations() {
    let x = || float::<3>([[[3.0, 1.0, 2.0], [6.0, 5.0, 4.0]], [[0.0, 9.0, 8.0], [7.0, 2.0, 1.0]]]);
    let same = |front: Tensor<B, 3>, back: Tensor<B, 3>| exactly(back, front.into_data());
    same(x().cumsum(1), x().cumsum(-2));
    same(x().logcumsumexp(0), x().logcumsumexp(-3));
    same(x().sum_dims(&[0, 2]), x().sum_dims(&[-3, -1]));
    same(x().median(2), x().median(-1));
    same(x().quantile(0.4, 1), x().quantile(0.4, -2));
    same(x().kthvalue(2, 2).0, x().kthvalue(2, -1).0);
    same(x().logsumexp(0), x().logsumexp(-3));
    same(x().std(2), x().std(-1));
    same(x().roll(&[1, 2], &[1, 2]), x().roll(&[1, 2], &[-2, -1]));
    same(x().repeat_interleave(2, 0), x().repeat_interleave(2, -3));
    same(x().slice_dim(1, 0..1), x().slice_dim(-2, 0..1));
    same(x().squeeze_dims::<3>(&[]), x());
    same(x().movedim(0, 2), x().movedim(-3, -1));
    same(x().sort_descending(1), x().sort_descending(-2));
    same(x().var_bias(2), x().var_bias(-1));
    exactly(x().unsqueeze_dims::<5>(&[-1, 0]).squeeze_dims::<3>(&[-5, 4]), x().into_data());
    exactly(x().select_dim::<2>(-2, -1), x().select_dim::<2>(1, 1).into_data());
    for dim in [3, -4] {
        assert!(
            x().try_cumsum(dim).is_err()
                && x().try_median(dim).is_err()
                && x().try_unfold::<4>(dim, 1, 1).is_err()
        );
    }
}
