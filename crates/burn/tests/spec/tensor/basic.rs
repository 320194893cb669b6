//! TB: operations of tensors of every kind.

use crate::expect::exactly;
use crate::given::{B, CPU, bool, float, int};
use burn::tensor::{Bool, Int, Tensor, s};

#[test]
fn tb_001_cat_joins_along_a_dim() {
    let (x, y) = (float::<2>([[1.0, 2.0]]), float::<2>([[3.0, 4.0], [5.0, 6.0]]));
    exactly(Tensor::cat(vec![x.clone(), y], 0), [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]);
    exactly(Tensor::cat(vec![x.clone(), x], -1), [[1.0, 2.0, 1.0, 2.0]]);
    exactly(Tensor::cat(vec![int::<1>([1]), int([2, 3])], 0), [1, 2, 3]);
    exactly(Tensor::cat(vec![bool::<1>([true]), bool([false])], 0), [true, false]);
}

#[test]
fn tb_002_stack_joins_along_a_new_dim() {
    let (x, y) = (float::<2>([[1.0, 2.0]]), float::<2>([[3.0, 4.0]]));
    let stacked = Tensor::stack::<3>(vec![x.clone(), y.clone()], 0);
    assert_eq!(stacked.dims(), [2, 1, 2]);
    exactly(stacked, [[[1.0, 2.0]], [[3.0, 4.0]]]);
    exactly(Tensor::stack::<3>(vec![x, y], 2), [[[1.0, 3.0], [2.0, 4.0]]]);
}

#[test]
fn tb_003_all() {
    exactly(bool::<2>([[true, true], [true, false]]).all(), [false]);
    exactly(bool::<2>([[true, true], [true, false]]).all_dim(1), [[true], [false]]);
    exactly(float::<1>([1.0, -2.0]).all(), [true]);
    exactly(int::<1>([1, 0]).all(), [false]);
    let all: Tensor<B, 1, Bool> = Tensor::<B, 1>::empty([0], CPU).all();
    exactly(all, [true]);
}

#[test]
fn tb_004_any() {
    exactly(bool::<2>([[false, false], [true, false]]).any(), [true]);
    exactly(bool::<2>([[false, false], [true, false]]).any_dim(1), [[false], [true]]);
    exactly(float::<2>([[0.0, 0.0]]).any(), [false]);
    exactly(int::<2>([[0, 3]]).any_dim(0), [[false, true]]);
}

#[test]
fn tb_005_the_last_chunk_may_be_shorter() {
    // torch.arange(11).chunk(6) has sizes 2 2 2 2 2 1, chunk(4) has 3 3 3 2.
    let x = Tensor::<B, 1, Int>::arange(0..11, CPU);
    let sizes = |n: usize| x.clone().chunk(n, 0).iter().map(|part| part.dims()[0]).collect::<Vec<_>>();
    assert_eq!(sizes(6), [2, 2, 2, 2, 2, 1]);
    assert_eq!(sizes(4), [3, 3, 3, 2]);
    assert_eq!(sizes(20), [1; 11]);
    exactly(x.clone().chunk(4, 0).swap_remove(3), [9, 10]);
    let columns = float::<2>([[1.0, 2.0], [3.0, 4.0]]).chunk(2, 1);
    exactly(columns[1].clone(), [[2.0], [4.0]]);
}

#[test]
fn tb_006_equal_and_not_equal() {
    let x = float::<1>([1.0, f32::NAN, 3.0]);
    exactly(x.clone().equal(x.clone()), [true, false, true]);
    exactly(x.clone().not_equal(x), [false, true, false]);
    exactly(int::<1>([1, 2]).equal(int([1, 3])), [true, false]);
    exactly(bool::<1>([true, false]).equal(bool([true, true])), [true, false]);
    exactly(bool::<1>([true, false]).not_equal(bool([true, true])), [false, true]);
}

#[test]
fn tb_007_expand_repeats_dims_of_size_one() {
    exactly(float::<2>([[1.0], [2.0]]).expand([2, 3]), [[1.0; 3], [2.0; 3]]);
    exactly(float::<2>([[1.0], [2.0]]).expand([-1, 2]), [[1.0; 2], [2.0; 2]]);
    exactly(int::<1>([1, 2]).expand([2, -1]), [[1, 2], [1, 2]]);
    assert_eq!(bool::<1>([true]).expand([3, 2, 4]).dims(), [3, 2, 4]);
}

#[test]
fn tb_008_flatten_joins_dims() {
    let x = Tensor::<B, 1, Int>::arange(0..24, CPU).reshape([2, 3, 4]);
    assert_eq!(x.clone().flatten::<2>(1, 2).dims(), [2, 12]);
    assert_eq!(x.clone().flatten::<2>(0, -2).dims(), [6, 4]);
    exactly(x.flatten::<1>(0, 2), std::array::from_fn::<i64, 24, _>(|i| i as i64));
}

#[test]
fn tb_009_flip_reverses_axes() {
    let x = float::<2>([[1.0, 2.0], [3.0, 4.0]]);
    exactly(x.clone().flip([0]), [[3.0, 4.0], [1.0, 2.0]]);
    exactly(x.clone().flip([-1]), [[2.0, 1.0], [4.0, 3.0]]);
    exactly(x.flip([0, 1]), [[4.0, 3.0], [2.0, 1.0]]);
    exactly(bool::<1>([true, false]).flip([0]), [false, true]);
}

#[test]
fn tb_010_narrow_takes_a_run_of_a_dim() {
    let x = float::<2>([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    exactly(x.clone().narrow(1, 1, 2), [[2.0, 3.0], [5.0, 6.0]]);
    exactly(x.narrow(0, 1, 1), [[4.0, 5.0, 6.0]]);
}

#[test]
fn tb_011_permute_and_movedim() {
    let x = Tensor::<B, 1, Int>::arange(0..6, CPU).reshape([1, 2, 3]);
    exactly(x.clone().permute([2, 0, 1]), [[[0, 3]], [[1, 4]], [[2, 5]]]);
    exactly(x.clone().permute([-1, 0, 1]), [[[0, 3]], [[1, 4]], [[2, 5]]]);
    let y = Tensor::<B, 4>::zeros([2, 3, 4, 5], CPU);
    assert_eq!(y.clone().movedim(0, 2).dims(), [3, 4, 2, 5]);
    assert_eq!(y.movedim(-1, 0).dims(), [5, 2, 3, 4]);
}

#[test]
fn tb_012_repeat_dim_tiles_one_dim() {
    exactly(float::<2>([[1.0, 2.0]]).repeat_dim(0, 2), [[1.0, 2.0], [1.0, 2.0]]);
    exactly(float::<2>([[1.0, 2.0]]).repeat_dim(1, 2), [[1.0, 2.0, 1.0, 2.0]]);
}

#[test]
fn tb_012_repeat_tiles_every_dim() {
    let x = int::<2>([[1, 2], [3, 4]]);
    exactly(x.clone().repeat(&[2, 1]), [[1, 2], [3, 4], [1, 2], [3, 4]]);
    exactly(x.repeat(&[1, 3]), [[1, 2, 1, 2, 1, 2], [3, 4, 3, 4, 3, 4]]);
    exactly(bool::<1>([true, false]).repeat(&[2]), [true, false, true, false]);
}

#[test]
fn tb_013_reshape_keeps_the_order_and_infers_one_size() {
    let x = float::<2>([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    exactly(x.clone().reshape([3, 2]), [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]);
    assert_eq!(x.clone().reshape([1, -1, 2]).dims(), [1, 3, 2]);
    exactly(x.clone().transpose().reshape([6]), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    exactly(bool::<2>([[true], [false]]).reshape([-1]), [true, false]);
}

#[test]
fn tb_014_slice_with_ranges() {
    let x = float::<2>([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    exactly(x.clone().slice([0..1, 0..3]), [[1.0, 2.0, 3.0]]);
    exactly(x.clone().slice([1..2]), [[4.0, 5.0, 6.0]]);
    exactly(x.slice([0..2, 1..1]).sum(), [0.0]);
}

#[test]
fn tb_014_slice_with_the_macro() {
    // x = torch.arange(24).reshape(2, 3, 4)
    let x = Tensor::<B, 1, Int>::arange(0..24, CPU).reshape([2, 3, 4]);
    // x[:, 1:3, -1:]
    exactly(x.clone().slice(s![.., 1..3, -1]), [[[7], [11]], [[19], [23]]]);
    // x[1:2, 0:1, ::2]
    exactly(x.clone().slice(s![1, 0, ..;2]), [[[12, 14]]]);
    // x[0:1, :-1, 1:-1]
    exactly(x.clone().slice(s![0, ..-1, 1..-1]), [[[1, 2], [5, 6]]]);
    // x[0:1, 0:1, 0:3]
    exactly(x.clone().slice(s![0, 0, 0..=2]), [[[0, 1, 2]]]);
    // x[0:1, 0:1].flip(-1), the step of -1 that PyTorch has no slice for
    exactly(x.clone().slice(s![0, 0, ..;-1]), [[[3, 2, 1, 0]]]);
    exactly(x.clone().slice(s![0, 0, ..;-2]), [[[3, 1]]]);
    assert_eq!(x.slice(s![1..]).dims(), [1, 3, 4]);
}

#[test]
fn tb_015_slice_assign_writes_a_part() {
    let x = Tensor::<B, 2>::zeros([2, 3], CPU);
    exactly(x.clone().slice_assign([0..1, 1..3], float([[7.0, 8.0]])), [[0.0, 7.0, 8.0], [0.0; 3]]);
    exactly(x.slice_assign(s![.., -1], float([[1.0], [2.0]])), [[0.0, 0.0, 1.0], [0.0, 0.0, 2.0]]);
    let x = Tensor::<B, 1, Int>::zeros([5], CPU);
    exactly(x.slice_assign(s![..;2], int([1, 2, 3])), [1, 0, 2, 0, 3]);
}

#[test]
fn tb_016_squeeze_drops_dims_of_size_one() {
    let x = Tensor::<B, 4>::zeros([1, 2, 1, 3], CPU);
    assert_eq!(x.clone().squeeze::<2>().dims(), [2, 3]);
    assert_eq!(x.clone().squeeze_dim::<3>(0).dims(), [2, 1, 3]);
    assert_eq!(x.clone().squeeze_dim::<3>(-2).dims(), [1, 2, 3]);
    assert_eq!(x.squeeze_dims::<2>(&[0, -2]).dims(), [2, 3]);
    exactly(int::<2>([[4], [5]]).squeeze_dim::<1>(1), [4, 5]);
}

#[test]
fn tb_017_unsqueeze_adds_dims_of_size_one() {
    let x = float::<2>([[1.0, 2.0], [3.0, 4.0]]);
    assert_eq!(x.clone().unsqueeze::<4>().dims(), [1, 1, 2, 2]);
    assert_eq!(x.clone().unsqueeze_dim::<3>(1).dims(), [2, 1, 2]);
    assert_eq!(x.clone().unsqueeze_dim::<3>(-1).dims(), [2, 2, 1]);
    exactly(x.unsqueeze_dim::<3>(2), [[[1.0], [2.0]], [[3.0], [4.0]]]);
}

#[test]
fn tb_018_swap_dims_and_transpose_of_every_kind() {
    exactly(float::<2>([[1.0, 2.0], [3.0, 4.0]]).transpose(), [[1.0, 3.0], [2.0, 4.0]]);
    exactly(int::<2>([[1, 2, 3]]).swap_dims(0, 1), [[1], [2], [3]]);
    exactly(bool::<2>([[true, false]]).transpose(), [[true], [false]]);
    let x = Tensor::<B, 3>::zeros([2, 3, 4], CPU);
    assert_eq!(x.clone().transpose().dims(), [2, 4, 3]);
    assert_eq!(x.swap_dims(0, -1).dims(), [4, 3, 2]);
}

#[test]
fn tb_019_every_kind_is_read_and_moved() {
    let flags: Tensor<B, 2, Bool> = bool([[true], [false]]);
    assert_eq!((flags.dims(), flags.shape().num_elements()), ([2, 1], 2));
    assert_eq!(flags.to_data().to_vec::<bool>().unwrap(), [true, false]);
    let flags = flags.to_device(CPU);
    assert_eq!(flags.device(), *CPU);
    assert_eq!(flags.into_data().to_vec::<bool>().unwrap(), [true, false]);
    assert!(bool::<1>([true]).into_scalar());
    assert_eq!(int::<1>([3]).to_device(CPU).into_scalar(), 3);
}

#[test]
fn tb_020_bools_are_selected_gathered_and_masked() {
    let x = bool::<2>([[true, false, false], [false, true, true]]);
    exactly(x.clone().select(1, int([2, 0])), [[false, true], [true, false]]);
    exactly(x.clone().gather(1, int([[0, 0], [1, 0]])), [[true, true], [true, false]]);
    let mask = bool::<2>([[true, true, false], [false, false, true]]);
    exactly(x.clone().mask_fill(mask.clone(), true), [[true, true, false], [false, true, true]]);
    let others = bool::<2>([[false; 3]; 2]);
    exactly(x.mask_where(mask, others), [[false, false, false], [false, true, false]]);
}
