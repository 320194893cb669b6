//! Fourier transforms of all lengths, as in the tests of `burn-wgpu`: cubes have more shared memory here.

mod device;

use burn_backend::DType;
use burn_conformance::fourier;
use burn_cuda::{Cuda, CudaDevice};

type B = Cuda<f32, i32>;

#[test]
fn pure_tones_are_one_element() {
    if !device::is_missing() {
        fourier::pure_tones_are_one_element::<B>(&CudaDevice::default());
    }
}

#[test]
fn single_elements_are_waves() {
    if !device::is_missing() {
        fourier::single_elements_are_waves::<B>(&CudaDevice::default(), DType::F32);
    }
}

#[test]
fn spectra_keep_the_energy() {
    if !device::is_missing() {
        fourier::spectra_keep_the_energy::<B>(&CudaDevice::default());
    }
}

#[test]
fn inverses_undo_transforms() {
    if !device::is_missing() {
        fourier::inverses_undo_transforms::<B>(&CudaDevice::default(), DType::F32);
    }
}

#[test]
fn results_are_the_sum() {
    if !device::is_missing() {
        fourier::results_are_the_sum::<B>(&CudaDevice::default(), DType::F32);
    }
}

#[test]
fn single_elements_of_f64_are_waves() {
    if !device::is_missing() {
        fourier::single_elements_are_waves::<B>(&CudaDevice::default(), DType::F64);
    }
}

#[test]
fn inverses_undo_transforms_of_f64() {
    if !device::is_missing() {
        fourier::inverses_undo_transforms::<B>(&CudaDevice::default(), DType::F64);
    }
}

#[test]
fn results_in_f64_are_the_sum() {
    if !device::is_missing() {
        fourier::results_are_the_sum::<B>(&CudaDevice::default(), DType::F64);
    }
}

#[test]
fn imaginary_parts_of_their_own_images_do_not_count() {
    if !device::is_missing() {
        fourier::imaginary_parts_of_their_own_images_do_not_count::<B>(&CudaDevice::default());
    }
}

#[test]
fn many_lines_are_like_one() {
    if !device::is_missing() {
        fourier::many_lines_are_like_one::<B>(&CudaDevice::default());
    }
}
