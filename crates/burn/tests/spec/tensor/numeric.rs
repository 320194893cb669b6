//! TN: operations of Float and Int tensors.

use crate::expect::{exactly, nearly};
use crate::given::{B, CPU, bool, float, int};
use burn::tensor::{PadMode, Tensor};

#[test]
fn tn_001_add() {
    exactly(float::<1>([1.0, 2.0]) + float([10.0, 20.0]), [11.0, 22.0]);
    exactly(float::<1>([1.0, 2.0]).add(float([10.0, 20.0])), [11.0, 22.0]);
    exactly(int::<1>([1, 2]).add_scalar(5), [6, 7]);
    exactly(int::<1>([1, 2]) + int([3, 4]), [4, 6]);
}

#[test]
fn tn_002_sub() {
    exactly(float::<1>([1.0, 2.0]) - float([10.0, 20.0]), [-9.0, -18.0]);
    exactly(int::<1>([1, 2]).sub(int([3, 5])), [-2, -3]);
    exactly(float::<1>([1.0, 2.0]).sub_scalar(0.5), [0.5, 1.5]);
}

#[test]
fn tn_003_mul() {
    exactly(float::<1>([1.0, 2.0]) * float([10.0, 20.0]), [10.0, 40.0]);
    exactly(int::<1>([3, -2]).mul(int([3, 5])), [9, -10]);
    exactly(float::<1>([1.0, 2.0]).mul_scalar(0.5), [0.5, 1.0]);
}

#[test]
fn tn_004_division_of_integers_truncates_toward_zero() {
    exactly(float::<1>([1.0, -3.0]) / float([4.0, 2.0]), [0.25, -1.5]);
    exactly(float::<1>([1.0, 2.0]).div_scalar(4), [0.25, 0.5]);
    // torch.div(.., rounding_mode="trunc")
    exactly(int::<1>([7, -7, 7, -7]) / int([2, 2, -2, -2]), [3, -3, -3, 3]);
    exactly(int::<1>([7, -7]).div_scalar(2), [3, -3]);
    exactly(int::<1>([7, -7]).div(int([3, 3])), [2, -2]);
}

#[test]
fn tn_005_the_remainder_has_the_sign_of_the_divisor() {
    // torch.remainder
    exactly(int::<1>([7, -7, 7, -7]) % int([3, 3, -3, -3]), [1, 2, -2, -1]);
    exactly(float::<1>([5.5, -5.5]).remainder(float([2.0, 2.0])), [1.5, 0.5]);
    exactly(float::<1>([5.5, -5.5]) % -2, [-0.5, -1.5]);
    exactly(int::<1>([-7]).remainder_scalar(3), [2]);
}

#[test]
fn tn_006_neg() {
    exactly(-float::<1>([1.0, -2.0]), [-1.0, 2.0]);
    exactly(int::<1>([1, -2]).neg(), [-1, 2]);
}

#[test]
fn tn_007_abs() {
    exactly(float::<1>([1.5, -2.5, f32::NEG_INFINITY]).abs(), [1.5, 2.5, f32::INFINITY]);
    exactly(int::<1>([1, -2]).abs(), [1, 2]);
}

#[test]
fn tn_008_sign() {
    exactly(float::<1>([1.5, -2.5, 0.0]).sign(), [1.0, -1.0, 0.0]);
    exactly(int::<1>([9, -2, 0]).sign(), [1, -1, 0]);
}

#[test]
fn tn_009_powers() {
    nearly(float::<1>([2.0, 9.0, 4.0]).powf(float([3.0, 0.5, -1.0])), [8.0, 3.0, 0.25]);
    nearly(float::<1>([2.0, 9.0]).powf_scalar(0.5), [std::f32::consts::SQRT_2, 3.0]);
    nearly(float::<1>([2.0, -3.0]).powi(int([3, 3])), [8.0, -27.0]);
    nearly(float::<1>([2.0, -3.0]).powi_scalar(3), [8.0, -27.0]);
    exactly(int::<1>([2, -3]).powi(int([5, 3])), [32, -27]);
    exactly(int::<1>([2, -3]).powi_scalar(2), [4, 9]);
}

#[test]
fn tn_010_sum_mean_and_prod_have_shape_one() {
    let x = float::<2>([[1.0, 2.0], [3.0, 5.0]]);
    exactly(x.clone().sum(), [11.0]);
    exactly(x.clone().mean(), [2.75]);
    exactly(x.prod(), [30.0]);
    exactly(int::<1>([1, 2, 4]).sum(), [7]);
    exactly(int::<1>([1, 2, 4]).prod(), [8]);
    exactly(int::<1>([1, 2, 4]).mean(), [2]);
}

#[test]
fn tn_011_reductions_along_a_dim_keep_it() {
    let x = float::<2>([[1.0, 2.0, 6.0], [3.0, 5.0, 1.0]]);
    exactly(x.clone().sum_dim(0), [[4.0, 7.0, 7.0]]);
    exactly(x.clone().sum_dim(-1), [[9.0], [9.0]]);
    exactly(x.clone().mean_dim(1), [[3.0], [3.0]]);
    exactly(x.clone().prod_dim(1), [[12.0], [15.0]]);
    exactly(int::<2>([[1, 2], [3, 4]]).sum_dim(1), [[3], [7]]);
}

#[test]
fn tn_012_max_and_min() {
    let x = float::<2>([[1.0, 7.0], [-3.0, 5.0]]);
    exactly(x.clone().max(), [7.0]);
    exactly(x.clone().min(), [-3.0]);
    exactly(x.clone().max_dim(0), [[1.0, 7.0]]);
    exactly(x.min_dim(1), [[1.0], [-3.0]]);
    exactly(int::<2>([[1, 7]]).max_dim(1), [[7]]);
    assert!(float::<1>([1.0, f32::NAN]).max().into_scalar().is_nan(), "as torch.max");
}

#[test]
fn tn_013_extremes_with_their_indices() {
    let x = float::<2>([[1.0, 7.0, 7.0], [5.0, -3.0, 5.0]]);
    let (values, indices) = x.clone().max_dim_with_indices(1);
    exactly(values, [[7.0], [5.0]]);
    exactly(indices, [[1], [0]]);
    let (values, indices) = x.min_dim_with_indices(0);
    exactly(values, [[1.0, -3.0, 5.0]]);
    exactly(indices, [[0, 1, 1]]);
    let (values, indices) = int::<1>([4, 9, 2]).max_dim_with_indices(0);
    exactly(values, [9]);
    exactly(indices, [1]);
}

#[test]
fn tn_014_the_larger_and_the_smaller_of_each_pair() {
    exactly(float::<1>([1.0, 5.0]).max_pair(float([3.0, 2.0])), [3.0, 5.0]);
    exactly(float::<1>([1.0, 5.0]).min_pair(float([3.0, 2.0])), [1.0, 2.0]);
    exactly(int::<1>([1, 5]).max_pair(int([3, 2])), [3, 5]);
}

#[test]
fn tn_015_argmax_and_argmin_keep_the_dim() {
    let x = float::<2>([[1.0, 7.0, 3.0]]);
    exactly(x.clone().argmax(1), [[1]]);
    exactly(x.clone().argmin(-1), [[0]]);
    assert_eq!(x.argmax(1).flatten::<1>(0, 1).into_scalar(), 1);
    exactly(int::<2>([[1, 7], [9, 3]]).argmax(0), [[1, 0]]);
}

#[test]
fn tn_016_argsort() {
    let x = float::<2>([[3.0, 1.0, 2.0], [4.0, 6.0, 5.0]]);
    exactly(x.clone().argsort(1), [[1, 2, 0], [0, 2, 1]]);
    exactly(x.argsort_descending(1), [[0, 2, 1], [1, 2, 0]]);
    exactly(int::<1>([2, 1, 2, 1]).argsort(0), [1, 3, 0, 2]);
}

#[test]
fn tn_017_sort() {
    let x = float::<2>([[3.0, 1.0, 2.0], [4.0, 6.0, 5.0]]);
    exactly(x.clone().sort(1), [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    exactly(x.clone().sort(0), [[3.0, 1.0, 2.0], [4.0, 6.0, 5.0]]);
    exactly(x.clone().sort_descending(1), [[3.0, 2.0, 1.0], [6.0, 5.0, 4.0]]);
    let (values, indices) = x.clone().sort_with_indices(1);
    exactly(values, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    exactly(indices, [[1, 2, 0], [0, 2, 1]]);
    let (values, indices) = x.sort_descending_with_indices(0);
    exactly(values, [[4.0, 6.0, 5.0], [3.0, 1.0, 2.0]]);
    exactly(indices, [[1, 1, 1], [0, 0, 0]]);
}

#[test]
fn tn_018_topk_gives_the_largest_first() {
    let x = float::<2>([[3.0, 1.0, 2.0, 9.0]]);
    exactly(x.clone().topk(2, 1), [[9.0, 3.0]]);
    let (values, indices) = x.topk_with_indices(3, -1);
    exactly(values, [[9.0, 3.0, 2.0]]);
    exactly(indices, [[3, 0, 2]]);
    exactly(int::<1>([5, 7, 6]).topk(1, 0), [7]);
}

#[test]
fn tn_019_bool_is_true_where_not_zero() {
    exactly(float::<1>([0.0, -0.0, 0.5, f32::NAN]).bool(), [false, false, true, true]);
    exactly(int::<1>([0, 3, -1]).bool(), [false, true, true]);
}

#[test]
fn tn_020_clamp() {
    let x = float::<1>([-2.0, 0.5, 3.0]);
    exactly(x.clone().clamp(-1.0, 1.0), [-1.0, 0.5, 1.0]);
    exactly(x.clone().clamp_min(0), [0.0, 0.5, 3.0]);
    exactly(x.clamp_max(0), [-2.0, 0.0, 0.0]);
    exactly(int::<1>([-2, 0, 3]).clamp(-1, 1), [-1, 0, 1]);
}

#[test]
fn tn_021_nan_is_found() {
    let x = float::<1>([1.0, f32::NAN, f32::INFINITY]);
    exactly(x.clone().is_nan(), [false, true, false]);
    exactly(x.contains_nan(), [true]);
    exactly(float::<1>([1.0, f32::INFINITY]).contains_nan(), [false]);
    exactly(int::<1>([1, 2]).is_nan(), [false, false]);
    exactly(int::<1>([1, 2]).contains_nan(), [false]);
}

#[test]
fn tn_022_closeness_has_the_tolerances_of_pytorch() {
    // torch.isclose: |x - y| <= atol + rtol * |y|, with rtol 1e-5 and atol 1e-8.
    let x = float::<1>([100.0, 100.0, 0.0, f32::INFINITY, f32::NAN]);
    let y = float::<1>([100.0005, 100.01, 1e-9, f32::INFINITY, f32::NAN]);
    exactly(x.clone().is_close(y.clone(), None, None), [true, false, true, true, false]);
    exactly(x.is_close(y, Some(1e-3), None), [true, true, true, true, false]);
    assert!(float::<1>([1.0, 2.0]).all_close(float([1.05, 2.05]), None, Some(0.1)));
    assert!(!float::<1>([1.0, 2.0]).all_close(float([1.05, 2.05]), None, None));
    assert!(float::<1>([1.0]).all_close(float([2.0]), Some(0.5), Some(0.0)), "half of the second operand");
    assert!(int::<1>([5, 6]).all_close(int([5, 6]), None, None));
    exactly(int::<1>([5, 6]).is_close(int([5, 7]), None, None), [true, false]);
}

#[test]
fn tn_023_equal_elem_and_not_equal_elem() {
    exactly(float::<1>([1.0, 2.0]).equal_elem(2), [false, true]);
    exactly(int::<1>([1, 2]).not_equal_elem(2), [true, false]);
}

#[test]
fn tn_024_greater() {
    exactly(float::<1>([1.0, 2.0, 3.0]).greater(float([2.0, 2.0, 2.0])), [false, false, true]);
    exactly(int::<1>([1, 2, 3]).greater_elem(1), [false, true, true]);
}

#[test]
fn tn_025_greater_equal() {
    exactly(float::<1>([1.0, 2.0, 3.0]).greater_equal(float([2.0, 2.0, 2.0])), [false, true, true]);
    exactly(int::<1>([1, 2, 3]).greater_equal_elem(2), [false, true, true]);
}

#[test]
fn tn_026_lower() {
    exactly(float::<1>([1.0, 2.0, 3.0]).lower(float([2.0, 2.0, 2.0])), [true, false, false]);
    exactly(int::<1>([1, 2, 3]).lower_elem(3), [true, true, false]);
}

#[test]
fn tn_027_lower_equal() {
    exactly(float::<1>([1.0, f32::NAN, 3.0]).lower_equal(float([2.0, 2.0, 2.0])), [true, false, false]);
    exactly(int::<1>([1, 2, 3]).lower_equal_elem(2), [true, true, false]);
}

#[test]
fn tn_028_masks_choose_where_values_change() {
    let (x, mask) = (float::<2>([[1.0, 2.0], [3.0, 4.0]]), bool::<2>([[true, false], [false, true]]));
    exactly(x.clone().mask_fill(mask.clone(), -1.0), [[-1.0, 2.0], [3.0, -1.0]]);
    let others = float::<2>([[10.0, 20.0], [30.0, 40.0]]);
    exactly(x.mask_where(mask, others), [[10.0, 2.0], [3.0, 40.0]]);
    exactly(int::<1>([1, 2]).mask_fill(bool([true, false]), 9), [9, 2]);
}

#[test]
fn tn_029_gather() {
    // torch.gather([[1, 2], [3, 4]], 1, [[0, 0], [1, 0]])
    exactly(float::<2>([[1.0, 2.0], [3.0, 4.0]]).gather(1, int([[0, 0], [1, 0]])), [[1.0, 1.0], [4.0, 3.0]]);
    exactly(int::<2>([[1, 2], [3, 4]]).gather(0, int([[1, 0]])), [[3, 2]]);
}

#[test]
fn tn_030_scatter_adds() {
    // zeros(2, 3).scatter_add(1, [[0, 0, 2], [1, 1, 1]], [[1, 2, 3], [4, 5, 6]])
    let zeros = Tensor::<B, 2>::zeros([2, 3], CPU);
    let values = float::<2>([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    let result = zeros.scatter(1, int([[0, 0, 2], [1, 1, 1]]), values);
    exactly(result, [[3.0, 0.0, 3.0], [0.0, 15.0, 0.0]]);
    exactly(int::<1>([10, 20]).scatter(0, int([1, 1]), int([1, 2])), [10, 23]);
}

#[test]
fn tn_031_select_and_select_assign() {
    let x = float::<2>([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]);
    exactly(x.clone().select(0, int([2, 0, 2])), [[5.0, 6.0], [1.0, 2.0], [5.0, 6.0]]);
    exactly(x.clone().select(1, int([1])), [[2.0], [4.0], [6.0]]);
    // x.index_add(0, [0, 0], ..)
    let values = float::<2>([[10.0, 10.0], [100.0, 100.0]]);
    exactly(x.select_assign(0, int([0, 0]), values), [[111.0, 112.0], [3.0, 4.0], [5.0, 6.0]]);
    exactly(int::<1>([1, 2]).select_assign(0, int([1]), int([5])), [1, 7]);
}

#[test]
fn tn_032_pad_with_a_constant() {
    let x = float::<2>([[1.0, 2.0]]);
    // Left, right, top, bottom: torch.nn.functional.pad(x, (1, 2, 0, 1), value=9)
    exactly(x.clone().pad((1, 2, 0, 1), 9.0), [[9.0, 1.0, 2.0, 9.0, 9.0], [9.0; 5]]);
    exactly(x.pad([(1, 0)], 0), [[0.0, 1.0, 2.0]]);
    exactly(int::<1>([1]).pad([(0, 2)], 7), [1, 7, 7]);
    assert_eq!(Tensor::<B, 3>::zeros([1, 2, 3], CPU).pad([(1, 1), (0, 0), (2, 0)], 0.5).dims(), [3, 2, 5]);
}

#[test]
fn tn_032_pad_with_what_is_there() {
    // torch.nn.functional.pad([1, 2, 3], (2, 1), mode="reflect" and "replicate")
    let x = float::<2>([[1.0, 2.0, 3.0]]);
    exactly(x.clone().pad([(2, 1)], PadMode::Reflect), [[3.0, 2.0, 1.0, 2.0, 3.0, 2.0]]);
    exactly(x.pad([(2, 1)], PadMode::Edge), [[1.0, 1.0, 1.0, 2.0, 3.0, 3.0]]);
    let x = float::<2>([[1.0, 2.0], [3.0, 4.0]]);
    // Both dims, corners included: numpy.pad(x, 1, mode="reflect")
    let expected = [[4.0, 3.0, 4.0, 3.0], [2.0, 1.0, 2.0, 1.0], [4.0, 3.0, 4.0, 3.0], [2.0, 1.0, 2.0, 1.0]];
    exactly(x.pad((1, 1, 1, 1), PadMode::Reflect), expected);
}

#[test]
fn tn_033_triangles() {
    let x = float::<2>([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]);
    exactly(x.clone().triu(0), [[1.0, 2.0, 3.0], [0.0, 5.0, 6.0], [0.0, 0.0, 9.0]]);
    exactly(x.clone().triu(1), [[0.0, 2.0, 3.0], [0.0, 0.0, 6.0], [0.0; 3]]);
    exactly(x.clone().tril(0), [[1.0, 0.0, 0.0], [4.0, 5.0, 0.0], [7.0, 8.0, 9.0]]);
    exactly(x.tril(-1), [[0.0; 3], [4.0, 0.0, 0.0], [7.0, 8.0, 0.0]]);
    exactly(int::<2>([[1, 2], [3, 4]]).triu(0), [[1, 2], [0, 4]]);
}

#[test]
fn tn_034_tensors_like_another() {
    let x = int::<2>([[1, 2]]);
    exactly(x.zeros_like(), [[0, 0]]);
    exactly(x.ones_like(), [[1, 1]]);
    exactly(x.full_like(5), [[5, 5]]);
    assert_eq!(x.zeros_like().dtype(), x.dtype());
}
