//! Mixed precision.

use burn::backend::amp::{Amp, BFloat, Half, Policy, Role};
use burn::backend::profile::{Mode, Profile};
use burn::backend::{Autodiff, Fusion, NdArray};
use burn::module::{Module, Param};
use burn::nn::Linear;
use burn::optim::{AdamConfig, GradientsParams, Optimizer};
use burn::tensor::backend::{AutodiffBackend, Backend};
use burn::tensor::module::{self, AttentionOptions};
use burn::tensor::{DType, Tensor, TensorData, Tolerance, activation};

#[derive(Clone, Copy, Debug, Default)]
struct Own<const N: u8>;

impl<const N: u8> Mode for Own<N> {
    const SYNCED: bool = false;
}

fn matrix<B: Backend>(rows: usize, cols: usize, seed: usize) -> Tensor<B, 2> {
    let value = |i: usize| ((i * 37 + seed * 11) % 101) as f32 / 50.0 - 1.0;
    let values: Vec<f32> = (0..rows * cols).map(value).collect();
    Tensor::from_data(TensorData::new(values, [rows, cols]), &Default::default())
}

/// The element types that the calls of this name got.
fn seen<const N: u8>(name: &str) -> Vec<DType> {
    let report = Profile::<NdArray, Own<N>>::report();
    let rows = report.by_shape().iter().filter(|row| row.name == name);
    rows.flat_map(|row| row.operands.iter().flatten().map(|spec| spec.dtype)).collect()
}

#[test]
fn products_compute_in_half_precision_and_stay_what_they_were() {
    let exact = matrix::<NdArray>(8, 64, 1).matmul(matrix(64, 8, 2)).into_data();
    let mixed = matrix::<Amp<Profile<NdArray, Own<0>>>>(8, 64, 1).matmul(matrix(64, 8, 2)).into_data();
    assert_eq!(mixed.dtype, DType::F32);
    assert_ne!(mixed, exact);
    // Each factor has a relative error of 2^-9, and so has the result; products are below 1.
    let bound = 64.0 * 3.0 / 512.0;
    mixed.assert_approx_eq::<f64>(&exact, Tolerance::rel_abs(bound, bound));
    assert_eq!(seen::<0>("matmul"), [DType::BF16; 2]);
    let half = matrix::<Amp<NdArray, Half>>(8, 64, 1).matmul(matrix(64, 8, 2)).into_data();
    half.assert_approx_eq::<f64>(&exact, Tolerance::rel_abs(bound / 8.0, bound / 8.0));
    assert_eq!(half.dtype, DType::F32);
}

#[test]
fn sums_of_half_precision_tensors_compute_in_single_precision() {
    type A = Amp<Profile<NdArray, Own<1>>>;
    let x = Tensor::<A, 1>::ones([1000], &Default::default()).cast(DType::BF16);
    let (sum, soft) = (x.clone().sum(), activation::softmax(x.clone(), 0));
    assert_eq!((sum.dtype(), soft.dtype()), (DType::BF16, DType::BF16));
    assert_eq!(sum.cast(DType::F32).into_scalar(), 1000.0);
    let largest = x.clone().max();
    assert_eq!((x * 2).dtype(), DType::BF16);
    assert_eq!(largest.dtype(), DType::BF16);
    assert_eq!((seen::<1>("sum"), seen::<1>("softmax")), (vec![DType::F32], vec![DType::F32]));
    // `mul` computes in the dtype of its operands; `max` is exact in any dtype.
    assert_eq!((seen::<1>("mul"), seen::<1>("max")), (vec![DType::BF16], vec![DType::BF16]));
}

/// Attention and the gradient by its query.
fn attend<B: AutodiffBackend>() -> [TensorData; 2] {
    let given = |seed| matrix::<B>(8, 16, seed).reshape([1, 2, 4, 16]) * 2;
    let query = given(1).require_grad();
    let result = module::attention(query.clone(), given(2), given(3), None, AttentionOptions::default());
    let gradients = result.clone().tanh().sum().backward();
    [result.into_data(), query.grad(&gradients).expect("tracked").into_data()]
}

#[test]
fn attention_computes_in_half_precision() {
    let [exact, gradient] = attend::<Autodiff<NdArray>>();
    let [mixed, mixed_gradient] = attend::<Autodiff<Amp<Profile<NdArray, Own<3>>>>>();
    mixed.assert_approx_eq::<f64>(&exact, Tolerance::rel_abs(0.05, 0.05));
    mixed_gradient.assert_approx_eq::<f64>(&gradient, Tolerance::rel_abs(0.05, 0.05));
    assert_ne!(mixed, exact);
    let expected = [DType::BF16, DType::BF16, DType::BF16, DType::BF16, DType::BF16, DType::F32];
    assert_eq!(
        (seen::<3>("attention"), seen::<3>("attention_grad")),
        (vec![DType::BF16; 3], expected.to_vec())
    );
}

#[test]
fn double_precision_and_integers_are_left_alone() {
    let x = matrix::<NdArray<f64>>(5, 5, 3).matmul(matrix(5, 5, 4)).into_data();
    let y = matrix::<Amp<NdArray<f64>>>(5, 5, 3).matmul(matrix(5, 5, 4)).into_data();
    assert_eq!(x, y);
}

#[test]
fn a_policy_of_ones_own_decides() {
    #[derive(Clone, Copy, Debug, Default)]
    struct OnlySums;
    impl Policy for OnlySums {
        fn computes(role: Role, dtype: DType) -> DType {
            if role == Role::Accumulation { DType::F64 } else { dtype }
        }
    }
    type A = Amp<Profile<NdArray, Own<2>>, OnlySums>;
    let product = matrix::<A>(3, 3, 1).matmul(matrix(3, 3, 2));
    let sum = product.sum();
    assert_eq!(sum.dtype(), DType::F32);
    assert_eq!((seen::<2>("matmul"), seen::<2>("sum")), (vec![DType::F32; 2], vec![DType::F64]));
    assert_eq!(BFloat::computes(Role::Product, DType::F32), DType::BF16);
}

#[derive(Module, Debug)]
struct Mlp<B: Backend> {
    first: Linear<B>,
    second: Linear<B>,
}

/// The losses of learning where two coordinates have one sign.
fn losses<B: AutodiffBackend>() -> Vec<f32> {
    // Nothing is drawn: other tests draw from the same generator, and six backends start alike.
    let layer = |inputs, outputs, seed| {
        let weight = Param::from_tensor(matrix(inputs, outputs, seed));
        Linear::new(weight, Some(Param::from_tensor(matrix::<B>(1, outputs, seed + 1).reshape([outputs]))))
    };
    let mut model: Mlp<B> = Mlp { first: layer(2, 16, 1), second: layer(16, 1, 3) };
    let mut optimizer = AdamConfig::new().init();
    let x = matrix::<B>(64, 2, 5);
    let y = (x.clone().slice([0..64, 0..1]) * x.clone().slice([0..64, 1..2])).sign();
    let mut losses = Vec::new();
    for _ in 0..150 {
        let output = model.second.forward(activation::tanh(model.first.forward(x.clone())));
        let difference = output - y.clone();
        let loss = (difference.clone() * difference).mean();
        losses.push(loss.clone().into_scalar_f32());
        let gradients = GradientsParams::from_grads(loss.backward(), &model);
        model = optimizer.step(0.02, model, gradients);
    }
    assert_eq!(model.first.weight.dtype(), DType::F32);
    losses
}

trait ScalarF32 {
    fn into_scalar_f32(self) -> f32;
}

impl<B: Backend> ScalarF32 for Tensor<B, 1> {
    fn into_scalar_f32(self) -> f32 {
        self.into_data().iter::<f32>().next().expect("one element")
    }
}

#[test]
fn a_model_learns_in_mixed_precision() {
    let exact = losses::<Autodiff<NdArray>>();
    let last = |losses: &[f32]| losses[losses.len() - 1];
    assert!(last(&exact) < 0.2 * exact[0], "{} to {}", exact[0], last(&exact));
    for mixed in [
        losses::<Autodiff<Amp<NdArray>>>(),
        losses::<Autodiff<Amp<NdArray, Half>>>(),
        losses::<Autodiff<Fusion<Amp<NdArray>>>>(),
        losses::<Autodiff<Amp<Fusion<NdArray>>>>(),
        losses::<Amp<Autodiff<NdArray>>>(),
    ] {
        assert!((mixed[0] - exact[0]).abs() < 0.02 * exact[0], "{} and {}", mixed[0], exact[0]);
        assert!(last(&mixed) < 0.2 * mixed[0], "{} to {}", mixed[0], last(&mixed));
    }
}
