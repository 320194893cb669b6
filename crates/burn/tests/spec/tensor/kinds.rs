//! every kind has what it can have.

use crate::expect::{exactly, panics};
use crate::given::{B, CPU, bool, float, int};
use burn::backend::{Autodiff, Fusion, NdArray};
use burn::tensor::backend::Backend;
use burn::tensor::{Bool, DType, IndexUpdate, Int, Tensor, linalg};

/// Runs a check on a leaf and under decorators.
macro_rules! on_every_backend {
    ($check:ident) => {
        $check::<NdArray>();
        $check::<NdArray<f64, i32>>();
        $check::<Autodiff<NdArray>>();
        $check::<Fusion<NdArray>>();
        $check::<Autodiff<Fusion<NdArray>>>();
    };
}

fn int_eye_and_matmul<B: Backend>() {
    let device = Default::default();
    exactly(Tensor::<B, 2, Int>::eye(3, &device), [[1, 0, 0], [0, 1, 0], [0, 0, 1]]);
    assert_eq!(Tensor::<B, 2, Int>::eye(2, &device).dtype(), Tensor::<B, 1, Int>::from([1]).dtype());
    let x = || Tensor::<B, 2, Int>::from([[1, 2, 3], [4, 5, 6]]);
    let y = Tensor::<B, 2, Int>::from([[1, 0], [-1, 2], [10, 20]]);
    exactly(x().matmul(y), [[29, 64], [59, 130]]);
    exactly(x().matmul(Tensor::eye(3, &device)), [[1, 2, 3], [4, 5, 6]]);
    // Batches broadcast: `[2, 1, 3]` by `[3, 2]`.
    let rows = x().unsqueeze_dim::<3>(1);
    let y = Tensor::<B, 3, Int>::from([[[1, 0], [-1, 2], [10, 20]]]);
    exactly(rows.matmul(y), [[[29, 64]], [[59, 130]]]);
    exactly(linalg::matvec::<B, 2, 1, Int>(x(), Tensor::from([1, 1, 1])), [6, 15]);
}

#[test]
fn x_026_int_eye_and_matmul() {
    on_every_backend!(int_eye_and_matmul);
}

/// `2^7 - 1`, `2^8 - 1` and `2^31 - 1` doubled, by hand.
#[test]
fn x_026_int_products_wrap_around() {
    let doubled = |most: i64, dtype: DType| {
        let x = Tensor::<B, 2, Int>::from_data([[most, most]], (CPU, dtype));
        let product = x.matmul(Tensor::ones([2, 1], (CPU, dtype)));
        assert_eq!(product.dtype(), dtype);
        product.into_scalar()
    };
    assert_eq!(doubled(127, DType::I8), -2);
    assert_eq!(doubled(255, DType::U8), 254);
    assert_eq!(doubled(i64::from(i32::MAX), DType::I32), -2);
    assert_eq!(doubled(i64::MAX, DType::I64), -2);
    assert!(int::<2>([[1, 2]]).try_matmul(int([[1, 2]])).is_err());
    assert!(Tensor::<B, 2, Int>::try_eye(2, (CPU, DType::F32)).is_err());
}

fn bool_creation<B: Backend>() {
    let device = Default::default();
    exactly(Tensor::<B, 2, Bool>::zeros([1, 2], &device), [[false, false]]);
    let ones = Tensor::<B, 2, Bool>::ones([2, 1], &device);
    assert_eq!(ones.dtype(), DType::Bool);
    exactly(ones.zeros_like(), [[false], [false]]);
    exactly(ones.ones_like(), [[true], [true]]);
    exactly(ones.full_like(false), [[false], [false]]);
    exactly(Tensor::<B, 1, Bool>::from_bool([true, false], &device), [true, false]);
    exactly(Tensor::<B, 1, Bool>::from_bool(vec![true], &device), [true]);
}

#[test]
fn x_026_bool_creation() {
    on_every_backend!(bool_creation);
}

/// As `index_add` and `scatter_add` of `torch.bool`: a sum of booleans is true where one of them is.
fn bool_select_assign_and_scatter<B: Backend>() {
    let target = || Tensor::<B, 1, Bool>::from([true, false, false, false]);
    let places = || Tensor::<B, 1, Int>::from([0, 1, 1, 2]);
    let values = || Tensor::<B, 1, Bool>::from([false, true, false, false]);
    exactly(target().select_assign(0, places(), values()), [true, true, false, false]);
    exactly(target().scatter(0, places(), values()), [true, true, false, false]);
    let rows = Tensor::<B, 2, Bool>::from([[false, false], [true, false]]);
    let values = Tensor::<B, 2, Bool>::from([[false, true]]);
    exactly(rows.clone().select_assign(0, Tensor::from([1]), values.clone()), [[false, false], [true, true]]);
    let columns = rows.scatter(1, Tensor::from([[1, 1]]), values);
    exactly(columns, [[false, true], [true, false]]);
}

#[test]
fn x_026_bool_select_assign_and_scatter() {
    on_every_backend!(bool_select_assign_and_scatter);
    let x = || bool::<1>([true, false]);
    assert!(x().try_select_assign(0, int([2]), bool([true])).is_err());
    assert!(x().try_scatter(0, int([0, 1]), bool([true])).is_err());
    let message = panics(|| x().select_assign(0, int([0]), bool([true, false])));
    assert!(message.starts_with("select_assign: "), "{message}");
}

/// The product of booleans is true where both are, and so is the smaller; the larger where one is.
#[test]
fn x_026_bool_updates_under_their_own_names() {
    let x = || bool::<1>([true, true, false, false]);
    let (at, values) = (|| int::<1>([0, 1, 2, 3]), || bool::<1>([true, false, true, false]));
    exactly(x().scatter_add(0, at(), values()), [true, true, true, false]);
    exactly(x().scatter_max(0, at(), values()), [true, true, true, false]);
    exactly(x().scatter_multiply(0, at(), values()), [true, false, false, false]);
    exactly(x().select_min(0, at(), values()), [true, false, false, false]);
    exactly(x().scatter_assign(0, at(), values()), [true, false, true, false]);
    let places = int::<2>([[0], [1], [2], [3]]);
    exactly(x().scatter_nd(places, values(), IndexUpdate::Add), [true, true, true, false]);
}

/// Without `use std::ops::Rem`; the sign is that of the divisor, as `torch.remainder` has it.
#[test]
fn x_026_rem_is_inherent() {
    exactly(int::<1>([7, -7, 7]).rem(int([3, 3, -3])), [1, 2, -2]);
    exactly(float::<1>([5.5, -5.5]).rem(float([2.0, 2.0])), [1.5, 0.5]);
    assert!(int::<1>([1, 2]).try_rem(int([1, 2, 3])).is_err());
}
