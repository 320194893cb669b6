//! every element type, and operands of two of them. Expected dtypes are those of `torch.result_type`.

use crate::expect::exactly;
use crate::given::{B, CPU, bool};
use burn::tensor::{Bool, DType, Float, Int, Tensor};

const FLOATS: [DType; 4] = [DType::F64, DType::F32, DType::F16, DType::BF16];
const INTS: [DType; 8] = {
    use DType::*;
    [I64, I32, I16, I8, U64, U32, U16, U8]
};

fn floats(dtype: DType) -> Tensor<B, 2> {
    Tensor::from_data([[3.0, 1.0], [2.0, 4.0]], (CPU, dtype))
}

fn ints(dtype: DType) -> Tensor<B, 2, Int> {
    Tensor::from_data([[3, 1], [2, 4]], (CPU, dtype))
}

#[test]
fn x_012_dtype_rank_and_cast() {
    for dtype in FLOATS {
        let x = floats(dtype);
        assert_eq!((x.dtype(), x.rank()), (dtype, 2));
        for other in FLOATS {
            let cast = x.clone().cast(other);
            assert_eq!(cast.dtype(), other);
            exactly(cast, [[3.0, 1.0], [2.0, 4.0]]);
        }
        assert!(x.try_cast(DType::I32).is_err());
    }
    for dtype in INTS {
        for other in INTS {
            let cast = ints(dtype).cast(other);
            assert_eq!(cast.dtype(), other);
            exactly(cast, [[3, 1], [2, 4]]);
        }
        assert!(ints(dtype).try_cast(DType::F32).is_err());
    }
    assert_eq!(bool::<1>([true]).cast(DType::Bool).dtype(), DType::Bool);
    assert!(bool::<1>([true]).try_cast(DType::U8).is_err());
}

/// The same calls for each dtype: values are small whole numbers, which every type has.
macro_rules! calls {
    ($make:ident, $dtype:expr) => {{
        let (x, dtype) = (|| $make($dtype), $dtype);
        let keeps = |name: &str, found: DType| assert_eq!(found, dtype, "{name}");
        exactly(x() + x(), [[6, 2], [4, 8]]);
        exactly(x() * 2, [[6, 2], [4, 8]]);
        exactly(x() % 2, [[1, 1], [0, 0]]);
        exactly(x().sum_dim(1), [[4], [6]]);
        exactly(
            x().mean_dim(0),
            [[if dtype.is_float() { 2.5 } else { 2.0 }, if dtype.is_float() { 2.5 } else { 2.0 }]],
        );
        exactly(x().max_abs(), [4]);
        exactly(x().cumsum(1), [[3, 4], [2, 6]]);
        exactly(x().cumprod(0), [[3, 1], [6, 4]]);
        exactly(x().sort(1), [[1, 3], [2, 4]]);
        exactly(x().argmax(1), [[0], [1]]);
        exactly(x().topk(1, 0), [[3, 4]]);
        exactly(x().median(1), [[1], [2]]);
        exactly(x().clamp(2, 3), [[3, 2], [2, 3]]);
        exactly(x().greater_elem(2), [[true, false], [false, true]]);
        exactly(x().equal(x().transpose()), [[true, false], [false, true]]);
        exactly(x().mask_fill(x().lower_elem(3), 0), [[3, 0], [0, 4]]);
        exactly(x().mask_where(x().lower_elem(3), x() + 1), [[3, 2], [3, 4]]);
        exactly(x().roll_dim(1, 0), [[2, 4], [3, 1]]);
        exactly(x().slice_fill([0..1], 7), [[7, 7], [2, 4]]);
        exactly(x().repeat_interleave(2, 1).slice([0..1]), [[3, 3, 1, 1]]);
        exactly(Tensor::cat(vec![x(), x()], 1).slice([1..2]), [[2, 4, 2, 4]]);
        exactly(x().select(1, Tensor::from_data([1], CPU)), [[1], [4]]);
        exactly(x().gather(1, Tensor::from_data([[1], [0]], CPU)), [[1], [2]]);
        exactly(
            x().scatter_max(1, Tensor::from_data([[1], [0]], CPU), x().slice([0..2, 0..1])),
            [[3, 3], [2, 4]],
        );
        exactly(x().flip([0]).swap_dims(0, 1), [[2, 3], [4, 1]]);
        exactly(x().pad([(1, 0)], 0), [[0, 3, 1], [0, 2, 4]]);
        exactly(burn::tensor::einsum::<_, 2, _>("ij,jk->ik", [x(), x()]), [[11, 7], [14, 18]]);
        exactly(x().zeros_like(), [[0, 0], [0, 0]]);
        keeps("add", (x() + x()).dtype());
        keeps("scalar", (x() * 2).dtype());
        keeps("sum", x().sum().dtype());
        keeps("mean", x().mean_dim(0).dtype());
        keeps("cumsum", x().cumsum(0).dtype());
        keeps("sort", x().sort(0).dtype());
        keeps("full_like", x().full_like(1).dtype());
        keeps("einsum", burn::tensor::einsum::<_, 2, _>("ij,jk->ik", [x(), x()]).dtype());
    }};
}

#[test]
fn x_012_every_dtype_through_the_methods() {
    for dtype in FLOATS {
        calls!(floats, dtype);
    }
    for dtype in INTS {
        calls!(ints, dtype);
    }
}

#[test]
fn x_012_operands_of_two_dtypes_are_promoted() {
    for (lhs, rhs, expected) in [
        (DType::F32, DType::F64, DType::F64),
        (DType::F16, DType::F32, DType::F32),
        (DType::F16, DType::BF16, DType::F32),
        (DType::BF16, DType::F64, DType::F64),
    ] {
        for (lhs, rhs) in [(lhs, rhs), (rhs, lhs)] {
            let sum = floats(lhs) + floats(rhs);
            assert_eq!(sum.dtype(), expected, "{lhs} + {rhs}");
            exactly(sum, [[6.0, 2.0], [4.0, 8.0]]);
            assert_eq!(floats(lhs).powf(floats(rhs)).dtype(), expected);
            assert_eq!(floats(lhs).mask_where(floats(lhs).lower_elem(3), floats(rhs)).dtype(), expected);
            assert_eq!(Tensor::cat(vec![floats(lhs), floats(rhs)], 0).dtype(), expected);
            assert_eq!(Tensor::stack::<3>(vec![floats(lhs), floats(rhs)], 0).dtype(), expected);
            exactly(floats(lhs).equal(floats(rhs)), [[true; 2]; 2]);
        }
    }
    for (lhs, rhs, expected) in [
        (DType::U8, DType::I8, DType::I16),
        (DType::I8, DType::I64, DType::I64),
        (DType::I16, DType::I32, DType::I32),
        (DType::U8, DType::I32, DType::I32),
    ] {
        for (lhs, rhs) in [(lhs, rhs), (rhs, lhs)] {
            assert_eq!((ints(lhs) * ints(rhs)).dtype(), expected, "{lhs} * {rhs}");
            assert_eq!(ints(lhs).max_pair(ints(rhs)).dtype(), expected);
            assert_eq!(ints(lhs).bitwise_and(ints(rhs)).dtype(), expected);
            exactly(ints(lhs).lower_equal(ints(rhs)), [[true; 2]; 2]);
        }
    }
    // 200 is not -56: both are compared in 16 bits.
    let bytes = Tensor::<B, 1, Int>::from_data([200], (CPU, DType::U8));
    exactly(bytes.equal(Tensor::from_data([-56], (CPU, DType::I8))), [false]);
}

#[test]
fn x_012_what_is_written_takes_the_dtype_of_the_target() {
    let place = || Tensor::<B, 1, Int>::from_data([1], CPU);
    let row = || floats(DType::F64).slice([0..1]);
    for target in FLOATS {
        let x = || floats(target);
        let assigned = x().slice_assign([1..2], row());
        let selected = x().select_assign(0, place(), row());
        let scattered = x().scatter_assign(0, Tensor::from_data([[1, 1]], CPU), row());
        for (result, expected) in [
            (assigned, [[3.0, 1.0], [3.0, 1.0]]),
            (selected, [[3.0, 1.0], [5.0, 5.0]]),
            (scattered, [[3.0, 1.0], [3.0, 1.0]]),
        ] {
            assert_eq!(result.dtype(), target);
            exactly(result, expected);
        }
    }
}

#[test]
fn x_012_numbers_beside_a_tensor_do_not_change_its_dtype() {
    assert_eq!((floats(DType::F16) + 1e-3_f64).dtype(), DType::F16);
    assert_eq!((ints(DType::U8) + 1_i64).dtype(), DType::U8);
    assert_eq!(floats(DType::BF16).clamp(0.0_f64, 1.0_f32).dtype(), DType::BF16);
    assert!(ints(DType::I32).try_add_scalar(0.5).is_err(), "a fraction beside integers");
}

#[test]
fn x_012_gradients_come_back_in_the_dtype_of_the_operand() {
    use burn::backend::{Autodiff, NdArray};
    type A = Autodiff<NdArray>;
    let half = Tensor::<A, 1>::from_data([2.0, 3.0], (CPU, DType::F16)).require_grad();
    let wide = Tensor::<A, 1>::from_data([5.0, 7.0], (CPU, DType::F64)).require_grad();
    let gradients = (half.clone() * wide.clone()).sum().backward();
    let (by_half, by_wide) =
        (half.grad(&gradients).expect("tracked"), wide.grad(&gradients).expect("tracked"));
    assert_eq!((by_half.dtype(), by_wide.dtype()), (DType::F16, DType::F64));
    exactly(by_half, [5.0, 7.0]);
    exactly(by_wide, [2.0, 3.0]);
}

#[test]
fn x_012_kinds_have_their_dtypes() {
    assert_eq!(Tensor::<B, 1, Float>::empty([1], CPU).dtype(), DType::F32);
    assert_eq!(Tensor::<B, 1, Int>::empty([1], CPU).dtype(), DType::I64);
    assert_eq!(Tensor::<B, 1, Bool>::empty([1], CPU).dtype(), DType::Bool);
}
