//! Snippets of the page on semantics. PyTorch's values are those that version 2.11 prints.

// ANCHOR: given
use burn::backend::NdArray;
use burn::tensor::{Bool, DType, Distribution, Int, Tensor, TensorData, TensorKind, Tolerance, s};

const NAN: f32 = f32::NAN;
const INFINITY: f32 = f32::INFINITY;

fn float(values: impl Into<TensorData>) -> Tensor<NdArray, 1> {
    Tensor::from_data(values, &Default::default())
}

fn int(values: impl Into<TensorData>) -> Tensor<NdArray, 1, Int> {
    Tensor::from_data(values, &Default::default())
}

fn matrix(values: impl Into<TensorData>) -> Tensor<NdArray, 2> {
    Tensor::from_data(values, &Default::default())
}

/// Same shape, same values; NaN is NaN here.
#[track_caller]
fn is<const D: usize, K: TensorKind>(x: Tensor<NdArray, D, K>, expected: impl Into<TensorData>) {
    x.into_data().assert_approx_eq::<f64>(&expected.into(), Tolerance::strict());
}
// ANCHOR_END: given

fn bool(values: impl Into<TensorData>) -> Tensor<NdArray, 1, Bool> {
    Tensor::from_data(values, &Default::default())
}

#[test]
fn two_dtypes_become_one() {
    // ANCHOR: promotion
    let (small, unsigned) = (int([1]).cast(DType::I8), int([255]).cast(DType::U8));
    let sum = small + unsigned;
    assert_eq!(sum.dtype(), DType::I16);
    is(sum, [256]);

    let (half, brain) = (float([1.5]).cast(DType::F16), float([2.0]).cast(DType::BF16));
    assert_eq!((half.clone() * brain).dtype(), DType::F32);
    assert_eq!(Tensor::cat(vec![half, float([1.0])], 0).dtype(), DType::F32);
    // ANCHOR_END: promotion
}

#[test]
fn a_number_takes_the_dtype_of_the_tensor() {
    // ANCHOR: number
    let half = float([1.0, 2.0]).cast(DType::F16);
    assert_eq!((half + 0.5).dtype(), DType::F16);

    let small = int([100, 3]).cast(DType::I8);
    let doubled = small * 2;
    assert_eq!(doubled.dtype(), DType::I8);
    is(doubled, [-56, 6]);

    // 2.0 is a whole number. 2.5 is not, and would be cut off without a word.
    is(int([1, 2]) + 2.0, [3, 4]);
    let error = int([1, 2]).try_add_scalar(2.5).unwrap_err();
    assert!(error.to_string().contains("2.5"));
    is(int([1, 2]).float() + 2.5, [3.5, 4.5]);
    // ANCHOR_END: number
}

#[test]
fn comparisons_with_a_number_are_exact() {
    // ANCHOR: compare
    is(int([3, 4]).lower_elem(3.5), [true, false]);
    is(int([3, 4]).equal_elem(3.5), [false, false]);
    is(int([16_777_217]).greater_elem(16_777_216.5), [true]);
    // ANCHOR_END: compare
}

#[test]
fn integers_divide_toward_zero() {
    // ANCHOR: division
    let (x, y) = (int([7, -7, 7, -7]), int([2, 2, -2, -2]));
    is(x.clone() / y.clone(), [3, -3, -3, 3]);
    is(x % y, [1, 1, -1, -1]);

    let (x, y) = (float([7.0, -7.0]), float([2.0, 2.0]));
    is(x.clone() / y.clone(), [3.5, -3.5]);
    is(x % y, [1.0, 1.0]);
    // ANCHOR_END: division
}

#[test]
fn nothing_divides_by_zero_with_a_panic() {
    // ANCHOR: zero
    is(int([5, 0, -5]) / int([0, 0, 0]), [0, 0, 0]);
    is(int([5, 0, -5]) % int([0, 0, 0]), [0, 0, 0]);
    is(float([1.0, 0.0, -1.0]) / 0.0, [INFINITY, NAN, -INFINITY]);
    is(float([1.0]) % 0.0, [NAN]);
    // ANCHOR_END: zero
}

#[test]
fn integers_wrap_around() {
    // ANCHOR: wrap
    let least = int([-128]).cast(DType::I8);
    is(least.clone() - 1, [127]);
    is(least.clone().abs(), [-128]);
    is(least / -1, [-128]);

    let many = int([100, 100]).cast(DType::I8);
    let sum = many.sum();
    assert_eq!(sum.dtype(), DType::I8);
    is(sum, [-56]);
    // ANCHOR_END: wrap
}

#[test]
fn powers_of_integers_are_integers() {
    // ANCHOR: power
    is(int([2, -3, 0]).powi(int([3, 3, 0])), [8, -27, 1]);
    is(int([2, 1, -1, -1]).powi(int([-1, -1, -1, -2])), [0, 1, -1, 1]);
    // ANCHOR_END: power
}

#[test]
fn halves_round_to_even() {
    // ANCHOR: round
    is(float([0.5, 1.5, 2.5, -0.5, -1.5]).round(), [0.0, 2.0, 2.0, -0.0, -2.0]);
    // ANCHOR_END: round
}

#[test]
fn nan_is_the_largest_and_wins() {
    // ANCHOR: nan
    let x = float([1.0, NAN, 3.0, NAN]);
    is(x.clone().max(), [NAN]);
    is(x.clone().min(), [NAN]);
    is(x.clone().argmax(0), [1]);
    is(x.clone().argmin(0), [1]);
    is(x.clone().sort(0), [1.0, 3.0, NAN, NAN]);
    is(x.clone().sort_descending(0), [NAN, NAN, 3.0, 1.0]);
    is(x.clone().max_pair(float([2.0; 4])), [2.0, NAN, 3.0, NAN]);
    is(x.clone().clamp(0.0, 2.0), [1.0, NAN, 2.0, NAN]);
    is(x.clone().equal(x), [true, false, true, false]);
    // ANCHOR_END: nan
}

#[test]
fn of_equals_the_first_counts() {
    // ANCHOR: ties
    let x = float([2.0, 1.0, 2.0, 1.0]);
    is(x.clone().argmax(0), [0]);
    is(x.clone().argmin(0), [1]);
    is(x.clone().argsort(0), [1, 3, 0, 2]);
    is(x.clone().argsort_descending(0), [0, 2, 1, 3]);
    is(x.topk_with_indices(3, 0).1, [0, 2, 1]);
    // ANCHOR_END: ties
}

#[test]
fn bounds_of_clamp_that_cross() {
    // ANCHOR: clamp
    is(float([0.0, 5.0]).clamp(2.0, 1.0), [1.0, 1.0]);
    // ANCHOR_END: clamp
}

#[test]
fn nothing_has_a_sum() {
    // ANCHOR: empty
    let nothing = Tensor::<NdArray, 2>::zeros([0, 3], &Default::default());
    is(nothing.clone().sum(), [0.0]);
    is(nothing.clone().prod(), [1.0]);
    is(nothing.clone().mean(), [NAN]);
    is(nothing.clone().sum_dim(0), [[0.0, 0.0, 0.0]]);
    is(nothing.clone().greater_elem(0).any(), [false]);
    is(nothing.clone().greater_elem(0).all(), [true]);
    is(nothing.clone().transpose().matmul(nothing.clone()), [[0.0; 3]; 3]);
    assert_eq!(Tensor::cat(vec![nothing.clone(), matrix([[1.0, 2.0, 3.0]])], 0).dims(), [1, 3]);

    // A reduction without an identity element is an error on an empty tensor, with the reason.
    assert!(nothing.clone().try_max().is_err());
    assert!(nothing.clone().try_argmax(0).is_err());
    assert!(nothing.int().try_mean().is_err());
    // ANCHOR_END: empty
}

#[test]
fn a_tensor_may_have_no_dimension() {
    // ANCHOR: rank_0
    let point = float([3.0]).squeeze::<0>();
    assert_eq!(point.rank(), 0);
    let twice = point * 2;
    assert_eq!(twice.clone().into_scalar(), 6.0);
    is(twice.unsqueeze::<2>(), [[6.0]]);
    // ANCHOR_END: rank_0
}

#[test]
fn reductions_keep_their_dimension() {
    // ANCHOR: reduce
    let x = matrix([[1.0, 3.0], [2.0, 6.0]]);
    is(x.clone().sum(), [12.0]);
    is(x.clone().sum_dim(1), [[4.0], [8.0]]);
    is(x.clone() / x.sum_dim(1), [[0.25, 0.75], [0.25, 0.75]]);
    is(int([1, 2]).mean(), [1]);
    // ANCHOR_END: reduce
}

#[test]
fn dimensions_count_from_both_ends() {
    // ANCHOR: dims
    let x = matrix([[1.0, 2.0], [3.0, 4.0]]);
    is(x.clone().sum_dim(-1), [[3.0], [7.0]]);
    let error = x.try_sum_dim(-3).unwrap_err();
    assert!(error.to_string().contains("dimension -3 does not exist in [2, 2]"));
    // ANCHOR_END: dims
}

#[test]
fn casts_that_do_not_fit() {
    // ANCHOR: cast
    is(float([2.9, -2.9, NAN]).int(), [2, -2, 0]);
    is(float([1e30, -1e30]).int(), [i64::MAX, i64::MIN]);
    is(int([300, -1]).cast(DType::U8), [44, 255]);
    is(float([0.0, -0.0, NAN]).bool(), [false, false, true]);
    is(float([70000.0, -70000.0]).cast(DType::F16), [INFINITY, -INFINITY]);
    // ANCHOR_END: cast
}

#[test]
fn an_index_beyond_the_dimension_is_an_error() {
    // ANCHOR: index
    let x = float([1.0, 2.0, 3.0]);
    is(x.clone().slice(s![1..]), [2.0, 3.0]);
    is(x.clone().slice(s![-1]), [3.0]);
    is(x.clone().slice(s![..;-1]), [3.0, 2.0, 1.0]);
    assert!(x.clone().try_slice(s![1..5]).is_err());

    // Indices that are values count from the front only.
    is(x.clone().select(0, int([2, 0])), [3.0, 1.0]);
    assert!(x.clone().try_select(0, int([3])).is_err());
    assert!(x.try_select(0, int([-1])).is_err());
    // ANCHOR_END: index
}

#[test]
fn shapes_broadcast_within_a_rank() {
    // ANCHOR: broadcast
    let column = matrix([[1.0], [2.0]]);
    let row = matrix([[10.0, 20.0]]);
    is(column + row, [[11.0, 21.0], [12.0, 22.0]]);

    let x = matrix([[1.0, 2.0], [3.0, 4.0]]);
    let bias = float([10.0, 20.0]);
    is(x + bias.unsqueeze(), [[11.0, 22.0], [13.0, 24.0]]);
    // ANCHOR_END: broadcast
}

/// The seed is that of the process, and other tests draw numbers too: this one has a process of its own.
#[test]
fn a_seed_gives_the_same_numbers() {
    if burn_conformance::again::again("a_seed_gives_the_same_numbers", &[]).is_some() {
        return;
    }
    // ANCHOR: random
    use burn::backend::{Autodiff, Fusion};
    use burn::tensor::backend::Backend;

    fn draw<B: Backend>() -> TensorData {
        B::seed(7);
        let x = Tensor::<B, 1>::random([1000], Distribution::Normal(0.0, 1.0), &Default::default());
        x.into_data()
    }

    assert_eq!(draw::<NdArray>(), draw::<NdArray>());
    assert_eq!(draw::<NdArray>(), draw::<Autodiff<NdArray>>());
    assert_eq!(draw::<NdArray>(), draw::<Autodiff<Fusion<NdArray>>>());
    // ANCHOR_END: random
}

#[test]
fn gradients_where_the_slope_jumps() {
    // ANCHOR: kinks
    use burn::backend::Autodiff;
    use burn::tensor::activation;

    type B = Autodiff<NdArray>;

    /// The gradient of the sum of `f(x)`.
    fn slope(f: impl Fn(Tensor<B, 1>) -> Tensor<B, 1>, at: &[f32]) -> Tensor<NdArray, 1> {
        let x = Tensor::<B, 1>::from_data(at, &Default::default()).require_grad();
        x.grad(&f(x.clone()).sum().backward()).expect("it depends on x")
    }

    is(slope(|x| x.abs(), &[0.0]), [0.0]);
    is(slope(activation::relu, &[0.0]), [0.0]);
    is(slope(|x| x.clamp(0.0, 1.0), &[-1.0, 0.0, 1.0, 2.0]), [0.0, 1.0, 1.0, 0.0]);
    is(slope(|x| x.sqrt(), &[0.0]), [INFINITY]);
    is(slope(|x| x.clone().floor() + x.sign(), &[1.5]), [0.0]);
    is(slope(|x| x.prod(), &[0.0, 2.0, 3.0]), [6.0, 0.0, 0.0]);

    // Equal elements share a gradient, unless their indices are returned.
    is(slope(|x| x.max(), &[1.0, 3.0, 3.0]), [0.0, 0.5, 0.5]);
    is(slope(|x| x.clone().max_pair(x.flip([0])), &[3.0, 3.0]), [1.0, 1.0]);
    is(slope(|x| x.max_dim_with_indices(0).0, &[1.0, 3.0, 3.0]), [0.0, 1.0, 0.0]);
    // ANCHOR_END: kinks
}

#[test]
fn tensors_never_share_what_is_written() {
    // ANCHOR: clones
    let x = float([1.0, 2.0, 3.0]);
    let kept = x.clone();
    let part = x.clone().slice([0..2]);
    let written = x.slice_assign([0..1], float([9.0]));
    is(written, [9.0, 2.0, 3.0]);
    is(kept, [1.0, 2.0, 3.0]);
    is(part, [1.0, 2.0]);
    // ANCHOR_END: clones
}

#[test]
fn truth_values_are_a_kind_of_their_own() {
    // ANCHOR: bool
    let x = float([1.0, -2.0, 3.0]);
    let positive = x.clone().greater_elem(0);
    is(positive.clone().int().sum(), [2]);
    is(x.mask_fill(positive.clone().bool_not(), 0), [1.0, 0.0, 3.0]);
    is(positive.bool_and(bool([true, true, false])), [true, false, false]);
    // ANCHOR_END: bool
}
