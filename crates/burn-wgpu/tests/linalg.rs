//! Matrices that are factored in several panels, blocks or launches.

mod device;

use burn_backend::{DType, Distribution, Factorization, Shape, TensorSpec, TypedCalls, kernels};
use burn_ndarray::NdArray;
use burn_wgpu::{Wgpu, WgpuDevice};

type Gpu = Wgpu<f32, i32>;

burn_conformance::factorization_suite!(
    Gpu,
    reference = NdArray<f64, i64>,
    before = device::require()
);

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
