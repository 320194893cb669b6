//! Checks of backends over a tensor library: whose kernels run, buffers that views share, errors. Tensors are
//! on the default device.

use burn_backend::kernels;
use burn_tensor::{Backend, Int, Tensor, s};

/// Returns the kernels that `call` runs, in order.
pub fn heard(call: impl FnOnce()) -> Vec<String> {
    let listening = kernels::listen();
    call();
    listening.heard()
}

/// # Panics
/// When a product of matrices is wrong or runs on other kernels than `kernel`.
#[track_caller]
pub fn products_run_on<B: Backend>(kernel: &str) {
    let x = Tensor::<B, 2>::from_data([[1.0, 2.0], [3.0, 4.0]], &Default::default());
    let listening = kernels::listen();
    let product = x.clone().matmul(x);
    assert_eq!(listening.heard(), [kernel]);
    assert_eq!(product.into_data().to_f64(), [7.0, 10.0, 15.0, 22.0]);
}

/// # Panics
/// When the views of `x`, `[2, 3]` in `f32`, have other values or a buffer of their own; `address` is that of
/// the first element.
#[track_caller]
pub fn views_share_their_buffer<B: Backend>(x: &Tensor<B, 2>, address: impl Fn(&Tensor<B, 2>) -> usize) {
    let start = address(x);
    assert_eq!(address(&x.clone().transpose()), start);
    assert_eq!(address(&x.clone().reshape([3, 2])), start);
    assert_eq!(address(&x.clone().slice([1..2, 0..3])), start + 3 * 4);
    let strided = x.clone().slice(s![.., 0..3;2]);
    assert_eq!(address(&strided), start);
    assert_eq!(address(&x.clone().slice([0..1, 0..3]).expand([5, 3])), start);
    let all = x.clone().into_data().to_f64();
    assert_eq!(strided.into_data().to_f64(), [all[0], all[2], all[3], all[5]]);
}

/// A call on a matrix.
pub type MatrixCall<B> = fn(Tensor<B, 2>) -> Tensor<B, 2>;

/// Lone parts, whole slices and types of one width give a buffer on; it is the same tensor then, or another
/// buffer.
///
/// # Panics
/// When a write to the result of one of the calls is seen through its operand.
#[track_caller]
pub fn results_are_no_second_owner<B: Backend>(others: &[MatrixCall<B>]) {
    let all: [MatrixCall<B>; 4] = [
        |x| Tensor::cat(vec![x.clone(), x.slice([0..0, 0..3])], 0),
        |x| x.slice([0..2, 0..3]),
        |x| x.flip([]),
        |x| x.repeat_dim(0, 1),
    ];
    for call in all.iter().chain(others) {
        let x = Tensor::<B, 2>::from_data([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], &Default::default());
        let y = call(x.clone());
        drop(y.slice_assign([0..1, 0..3], Tensor::from_data([[0.0; 3]], &Default::default())));
        assert_eq!(x.into_data().to_f64(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    }
}

/// # Panics
/// When a tensor on a device that is not there is no error with the device and the cause, or the process does
/// not go on.
#[track_caller]
pub fn absent_device_is_an_error<B: Backend>(device: &B::Device, name: &str, cause: &str) {
    assert!(!cause.is_empty(), "{name}");
    let text = Tensor::<B, 1>::try_from_data([1.0], device).expect_err("there is no device").to_string();
    assert!(text.contains(name) && text.contains(cause), "{text}");
    // The process goes on.
    assert_eq!(Tensor::<B, 1>::from_data([1.0], &Default::default()).into_data().to_f64(), [1.0]);
}

/// # Panics
/// When an index outside of a dimension of three, the largest integer too, is no error of the call.
#[track_caller]
pub fn index_outside_is_an_error<B: Backend>() {
    let x = Tensor::<B, 1>::from_data([1.0, 2.0, 3.0], &Default::default());
    // Candle takes the largest index of a type for "nothing".
    for index in [3, -1, i64::MAX] {
        let index = Tensor::<B, 1, Int>::from_data([index], &Default::default());
        for error in [x.clone().try_gather(0, index.clone()), x.clone().try_select(0, index.clone())] {
            let error = error.expect_err("it is outside").to_string();
            assert!(error.contains("is out of range for dimension 0 of [3]"), "{error}");
        }
    }
}

/// # Panics
/// When tensors beyond the memory of any machine are no errors that say how much was asked for.
#[track_caller]
pub fn more_than_memory_is_an_error<B: Backend>() {
    let error = Tensor::<B, 1>::try_zeros([1 << 50], &Default::default()).expect_err("no machine has it");
    assert!(error.to_string().contains("4.00 PiB"), "{error}");
    let wide = Tensor::<B, 2>::zeros([1, 1], &Default::default()).expand([1 << 25, 1 << 25]);
    let error = wide.try_exp().expect_err("no machine has it");
    assert!(error.to_string().contains("PiB"), "{error}");
}
