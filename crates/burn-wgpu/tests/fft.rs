//! Fourier transforms of all lengths: sums, lines that fit into a cube, longer ones, and convolutions.

mod device;
#[path = "device/missing_dtype.rs"]
mod missing_dtype;

use burn_backend::*;
use burn_conformance::fft;
use burn_wgpu::{Wgpu, WgpuDevice};

type B = Wgpu<f32, i32>;

#[test]
fn pure_tones_are_one_element() {
    device::require();
    fft::pure_tones_are_one_element::<B>(&WgpuDevice::default());
}

#[test]
fn single_elements_are_waves() {
    device::require();
    fft::single_elements_are_waves::<B>(&WgpuDevice::default(), DType::F32);
}

#[test]
fn spectra_keep_the_energy() {
    device::require();
    fft::spectra_keep_the_energy::<B>(&WgpuDevice::default());
}

#[test]
fn inverses_undo_transforms() {
    device::require();
    fft::inverses_undo_transforms::<B>(&WgpuDevice::default(), DType::F32);
}

#[test]
fn results_are_the_sum() {
    device::require();
    fft::results_are_the_sum::<B>(&WgpuDevice::default(), DType::F32);
}

#[test]
fn single_elements_of_f64_are_waves_where_there_is_f64() {
    device::require();
    if !missing_dtype::is_refused(DType::F64) {
        fft::single_elements_are_waves::<B>(&WgpuDevice::default(), DType::F64);
    }
}

#[test]
fn results_in_f64_are_the_sum_where_there_is_f64() {
    device::require();
    if !missing_dtype::is_refused(DType::F64) {
        fft::results_are_the_sum::<B>(&WgpuDevice::default(), DType::F64);
    }
}

#[test]
fn imaginary_parts_of_their_own_images_do_not_count() {
    device::require();
    fft::imaginary_parts_of_their_own_images_do_not_count::<B>(&WgpuDevice::default());
}

#[test]
fn many_lines_are_like_one() {
    device::require();
    fft::many_lines_are_like_one::<B>(&WgpuDevice::default());
}

#[test]
fn lines_that_fit_are_one_launch() {
    device::require();
    let launches = |op: FftOp, shape: &[usize]| {
        let x =
            B::full(TensorSpec::new(Shape::from(shape), DType::F32), Scalar::Int(1), &WgpuDevice::default());
        let listening = kernels::listen();
        let _ = B::fft(op, x, 1);
        listening.heard().len()
    };
    for n in [1, 7, 1000, 1009, 2048] {
        assert_eq!(launches(FftOp::Forward, &[3, n, 2]), 1, "{n}");
        assert_eq!(launches(FftOp::Real, &[3, 2 * n]), 1, "{n}");
        assert_eq!(launches(FftOp::Half { n: 2 * n }, &[3, n + 1, 2]), 1, "{n}");
    }
    assert_eq!(launches(FftOp::Forward, &[2, 1 << 17, 2]), 2);
}
