//! reading several tensors at once, and creation with options.

use crate::expect::{exactly, nearly, panics};
use crate::given::{B, CPU, bool, float, int};
use burn::tensor::{Bool, DType, Distribution, Int, Tensor, TensorData, TensorOptions, Transaction};
use std::pin::pin;
use std::task::{Context, Poll, Waker};

fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("this backend computes at once"),
    }
}

#[test]
fn x_018_reading_without_waiting() {
    let x = float::<1>([1.0, 2.0]);
    assert_eq!(ready(x.to_data_async()).expect("read"), TensorData::from([1.0_f32, 2.0]));
    assert_eq!(ready(x.into_data_async()).expect("read"), TensorData::from([1.0_f32, 2.0]));
}

#[test]
fn x_018_several_tensors_at_once() {
    let transaction = || {
        Transaction::default()
            .register(float::<2>([[1.0], [2.0]]))
            .register(int::<1>([3]))
            .register(bool::<1>([true]))
    };
    let expected =
        [TensorData::from([[1.0_f32], [2.0]]), TensorData::from([3_i64]), TensorData::from([true])];
    assert_eq!(transaction().execute(), expected);
    assert_eq!(transaction().try_execute().expect("read"), expected);
    assert_eq!(ready(transaction().execute_async()).expect("read"), expected);
    assert_eq!(Transaction::<B>::default().execute(), []);
}

#[test]
fn x_018_a_transaction_reads_what_is_behind_decorators() {
    type F = burn::backend::Autodiff<burn::backend::Fusion<burn::backend::NdArray>>;
    let x = Tensor::<F, 1>::from_data([1.0, 2.0], &Default::default());
    let [sum, product] = Transaction::default()
        .register(x.clone().sum())
        .register((x * 3).prod())
        .execute()
        .try_into()
        .expect("two tensors");
    assert_eq!((sum, product), (TensorData::from([3.0_f32]), TensorData::from([18.0_f32])));
}

#[test]
fn x_019_a_dtype_beside_the_device() {
    for dtype in [DType::F64, DType::F32, DType::F16, DType::BF16] {
        let options = (CPU, dtype);
        let tensors: [Tensor<B, 2>; 8] = [
            Tensor::zeros([2, 2], options),
            Tensor::ones([2, 2], options),
            Tensor::full([2, 2], 0.5, options),
            Tensor::empty([2, 2], options),
            Tensor::random([2, 2], Distribution::Default, options),
            Tensor::eye(2, options),
            Tensor::from_data([[1.0, 2.0]], options),
            Tensor::from_floats([[1.0, 2.0]], options),
        ];
        for (place, tensor) in tensors.into_iter().enumerate() {
            assert_eq!(tensor.dtype(), dtype, "tensor {place}");
        }
        exactly(Tensor::<B, 2>::eye(2, options), [[1.0, 0.0], [0.0, 1.0]]);
        assert_eq!(Tensor::<B, 1>::one_hot(1, 3, options).dtype(), dtype);
        assert_eq!(Tensor::<B, 1>::linspace(0.0, 1.0, 3, options).dtype(), dtype);
    }
    for dtype in
        [DType::I64, DType::I32, DType::I16, DType::I8, DType::U64, DType::U32, DType::U16, DType::U8]
    {
        let options = (CPU, dtype);
        let tensors: [Tensor<B, 1, Int>; 6] = [
            Tensor::zeros([2], options),
            Tensor::full([2], 7, options),
            Tensor::arange(0..5, options),
            Tensor::arange_step(0..5, 2, options),
            Tensor::from_ints([1, 2], options),
            Tensor::int_random([3], Distribution::Uniform(0.0, 9.0), options),
        ];
        for (place, tensor) in tensors.into_iter().enumerate() {
            assert_eq!(tensor.dtype(), dtype, "tensor {place}");
        }
        exactly(Tensor::<B, 1, Int>::arange_step(1..8, 3, options), [1, 4, 7]);
        assert_eq!(Tensor::<B, 2, Int>::cartesian_grid([2], options).dtype(), dtype);
    }
    assert_eq!(Tensor::<B, 1>::zeros([1], TensorOptions::default()).dtype(), DType::F32);
    // A value that only 64 bits have is not rounded on its way.
    let exact = Tensor::<B, 1>::from_data([0.1_f64], (CPU, DType::F64)).into_data();
    assert_eq!(exact, TensorData::from([0.1_f64]));
}

#[test]
fn x_019_a_dtype_of_another_kind() {
    let error = Tensor::<B, 1>::try_zeros([1], (CPU, DType::I32)).expect_err("floats only");
    assert!(error.to_string().starts_with("zeros: tensors of kind Float do not hold i32"), "{error}");
    let message = panics(|| Tensor::<B, 1, Int>::arange(0..3, (CPU, DType::F32)));
    assert!(message.starts_with("arange: tensors of kind Int do not hold f32"), "{message}");
    assert!(Tensor::<B, 1, Bool>::try_from_data([true], (CPU, DType::U8)).is_err());
    assert!(Tensor::<B, 2>::try_eye(2, (CPU, DType::Bool)).is_err());
}

#[test]
fn x_019_the_device_is_still_inferred() {
    let device = Default::default();
    let x = Tensor::<B, 2>::zeros([2, 3], &device);
    let y: Tensor<B, 1, Int> = Tensor::arange(0..3, &device);
    let z = Tensor::<B, 1>::from_data([1.0], &Default::default());
    assert_eq!((x.device(), y.dims(), z.dims()), (device, [3], [1]));
}

#[test]
fn x_019_numbers_at_equal_distances() {
    exactly(Tensor::<B, 1>::linspace(-1.0, 1.0, 5, CPU), [-1.0, -0.5, 0.0, 0.5, 1.0]);
    exactly(Tensor::<B, 1>::linspace(3.0, 9.0, 1, CPU), [3.0]);
    assert_eq!(Tensor::<B, 1>::linspace(3.0, 9.0, 0, CPU).dims(), [0]);
    nearly(Tensor::<B, 1>::logspace(0.0, 2.0, 3, 10.0, CPU), [1.0, 10.0, 100.0]);
    let thirds = Tensor::<B, 1>::linspace(0.0, 1.0, 4, (CPU, DType::F64)).into_data();
    assert_eq!(thirds.to_f64(), [0.0, 1.0 / 3.0, 1.0 - 1.0 / 3.0, 1.0], "both ends are exact");
    assert!(Tensor::<B, 1>::try_linspace(0.0, 1.0, usize::MAX, CPU).is_err());
}

#[test]
fn x_019_like_another_tensor() {
    let x = Tensor::<B, 2>::zeros([2, 3], (CPU, DType::F16));
    for like in [x.zeros_like(), x.ones_like(), x.full_like(2.5), x.random_like(Distribution::Default)] {
        assert_eq!((like.dims(), like.dtype()), ([2, 3], DType::F16));
    }
}
