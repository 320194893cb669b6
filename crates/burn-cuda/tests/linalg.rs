//! Matrices that are factored in several panels, blocks or launches, as in the tests of `burn-wgpu`: cubes
//! have more units and shared memory here.

mod device;

use burn_cuda::Cuda;
use burn_ndarray::NdArray;

burn_conformance::factorization_suite!(
    Cuda<f32, i32>,
    reference = NdArray<f64, i64>,
    before = device::require()
);
