//! Fourier transforms of all lengths, as in the tests of `burn-wgpu`: cubes have more shared memory here.

mod device;

use burn_backend::DType;
use burn_conformance::fft;
use burn_cuda::{Cuda, CudaDevice};

type B = Cuda<f32, i32>;

#[test]
fn pure_tones_are_one_element() {
    device::require();
    fft::pure_tones_are_one_element::<B>(&CudaDevice::default());
}

#[test]
fn single_elements_are_waves() {
    device::require();
    fft::single_elements_are_waves::<B>(&CudaDevice::default(), DType::F32);
}

#[test]
fn spectra_keep_the_energy() {
    device::require();
    fft::spectra_keep_the_energy::<B>(&CudaDevice::default());
}

#[test]
fn inverses_undo_transforms() {
    device::require();
    fft::inverses_undo_transforms::<B>(&CudaDevice::default(), DType::F32);
}

#[test]
fn results_are_the_sum() {
    device::require();
    fft::results_are_the_sum::<B>(&CudaDevice::default(), DType::F32);
}

#[test]
fn single_elements_of_f64_are_waves() {
    device::require();
    fft::single_elements_are_waves::<B>(&CudaDevice::default(), DType::F64);
}

#[test]
fn inverses_undo_transforms_of_f64() {
    device::require();
    fft::inverses_undo_transforms::<B>(&CudaDevice::default(), DType::F64);
}

#[test]
fn results_in_f64_are_the_sum() {
    device::require();
    fft::results_are_the_sum::<B>(&CudaDevice::default(), DType::F64);
}

#[test]
fn imaginary_parts_of_their_own_images_do_not_count() {
    device::require();
    fft::imaginary_parts_of_their_own_images_do_not_count::<B>(&CudaDevice::default());
}

#[test]
fn many_lines_are_like_one() {
    device::require();
    fft::many_lines_are_like_one::<B>(&CudaDevice::default());
}
