//! Matrices that are factored in several panels, blocks or launches.

mod device;

use burn_backend::{DType, Distribution, Factorization, Shape, TensorSpec, TypedCalls, kernels};
use burn_conformance::factorizations;
use burn_ndarray::NdArray;
use burn_wgpu::{Wgpu, WgpuDevice};

type Gpu = Wgpu<f32, i32>;
type Cpu = NdArray<f64, i64>;

#[test]
fn systems_of_several_panels() {
    device::require();
    factorizations::systems_of_several_panels::<Gpu, Cpu>();
}

#[test]
fn pivots_of_low_and_high_panels() {
    device::require();
    factorizations::pivots_of_low_and_high_panels::<Gpu, Cpu>();
}

#[test]
fn of_equal_pivots_the_first_is_taken() {
    device::require();
    factorizations::of_equal_pivots_the_first_is_taken::<Gpu, Cpu>();
}

#[test]
fn factors_of_several_panels() {
    device::require();
    factorizations::factors_of_several_panels::<Gpu, Cpu>();
}

#[test]
fn values_of_many_rounds() {
    device::require();
    factorizations::values_of_many_rounds::<Gpu, Cpu>();
}

#[test]
fn values_of_all_sizes() {
    device::require();
    factorizations::values_of_all_sizes::<Gpu>();
}

#[test]
fn values_that_are_far_apart_or_the_same() {
    device::require();
    factorizations::values_that_are_far_apart_or_the_same::<Gpu>();
}

#[test]
fn values_beside_what_has_none() {
    device::require();
    factorizations::values_beside_what_has_none::<Gpu>();
}

#[test]
fn rotations_keep_lengths() {
    device::require();
    factorizations::rotations_keep_lengths::<Gpu>();
}

#[test]
fn reflections_of_all_sizes() {
    device::require();
    factorizations::reflections_of_all_sizes::<Gpu>();
}

#[test]
fn reflections_of_fewer_directions() {
    device::require();
    factorizations::reflections_of_fewer_directions::<Gpu>();
}

/// Launches do not grow with the number of pairs of rows, and a matrix that is one panel takes one after
/// that which makes it symmetric.
#[test]
fn factors_take_few_launches() {
    device::require();
    let launches = |op: Factorization, shape: &[usize]| {
        let spec = TensorSpec::new(Shape::from(shape), DType::F32);
        let x = Gpu::random(spec, Distribution::Default, &WgpuDevice::default());
        let listening = kernels::listen();
        let _ = Gpu::factorize(op, x);
        listening.heard().len()
    };
    for op in [Factorization::Eigh, Factorization::Svd] {
        let small = launches(op, &[1000, 32, 32]);
        assert!(small < 60, "{op:?}: {small}");
        let large = launches(op, &[256, 256]);
        assert!(large < 700, "{op:?}: {large}");
    }
    assert_eq!(launches(Factorization::Cholesky, &[1000, 64, 64]), 2);
}
