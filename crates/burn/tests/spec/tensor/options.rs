//! the dtype beside the device, wherever a device is taken.

use crate::expect::{exactly, nearly};
use crate::given::{B, CPU};
use burn::tensor::{Bool, DType, DynTensor, Int, Tensor, TensorError, signal};

/// The Hann window of four is (0, 0.5, 1, 0.5), the Hamming window (0.08, 0.54, 1, 0.54) and the Blackman
/// window (0, 0.34, 1, 0.34).
#[test]
fn x_019_windows_with_a_dtype() {
    let double = (CPU, DType::F64);
    let hann = signal::hann_window::<B>(4, true, double);
    assert_eq!(hann.dtype(), DType::F64);
    hann.into_data()
        .assert_approx_eq::<f64>(&[0.0, 0.5, 1.0, 0.5].into(), burn::tensor::Tolerance::absolute(1e-15));
    let hamming = signal::hamming_window::<B>(4, true, (CPU, DType::F16));
    assert_eq!(hamming.dtype(), DType::F16);
    let blackman = signal::blackman_window::<B>(4, true, double);
    blackman
        .into_data()
        .assert_approx_eq::<f64>(&[0.0, 0.34, 1.0, 0.34].into(), burn::tensor::Tolerance::absolute(1e-15));
    assert_eq!(signal::hann_window::<B>(4, true, CPU).dtype(), DType::F32);
    let error = signal::try_hann_window::<B>(4, true, (CPU, DType::I32)).unwrap_err();
    assert_eq!(error.operation(), "hann_window");
}

#[test]
fn x_019_frequencies_with_a_dtype() {
    let double = (CPU, DType::F64);
    let frequencies = signal::fftfreq::<B>(5, 0.1, double);
    assert_eq!(frequencies.dtype(), DType::F64);
    nearly(frequencies, [0.0, 2.0, 4.0, -4.0, -2.0]);
    assert_eq!(signal::rfftfreq::<B>(5, 0.1, double).dtype(), DType::F64);
    assert!(signal::try_rfftfreq::<B>(5, 0.1, (CPU, DType::Bool)).is_err());
}

#[test]
fn x_019_masks_and_tensors_of_any_rank_with_a_dtype() {
    let mask = Tensor::<B, 2, Bool>::tril_mask([2, 2], 0, (CPU, DType::Bool));
    exactly(mask, [[false, true], [false, false]]);
    let refused = |result: Result<Tensor<B, 2, Bool>, TensorError>| assert!(result.is_err());
    refused(Tensor::try_tril_mask([2, 2], 0, (CPU, DType::U8)));
    refused(Tensor::try_triu_mask([2, 2], 0, (CPU, DType::U8)));
    refused(Tensor::try_diag_mask([2, 2], 0, (CPU, DType::U8)));
    let dtypes = [
        DynTensor::<B>::zeros([2], (CPU, DType::F16)).dtype(),
        DynTensor::<B, Int>::ones([2], (CPU, DType::I8)).dtype(),
        DynTensor::<B>::full([2], 0.5, (CPU, DType::F64)).dtype(),
        DynTensor::<B, Int>::from_data([1, 2], (CPU, DType::U16)).dtype(),
        DynTensor::<B, Bool>::ones([2], CPU).dtype(),
    ];
    assert_eq!(dtypes, [DType::F16, DType::I8, DType::F64, DType::U16, DType::Bool]);
    assert!(DynTensor::<B>::try_from_data([1.0], (CPU, DType::I8)).is_err());
}
