//! Squares, powers and variances of half precision: they are computed in `f32` and rounded once, as PyTorch
//! does. In `f16` the square of 300 is infinite and that of 1e-4 is 0.

use burn_core::tensor::{Backend, DType, Tensor};

/// Returns whether numbers of this type have 16 bits.
pub fn is_half(dtype: DType) -> bool {
    dtype == DType::F16 || dtype == DType::BF16
}

/// Returns `x` in `f32` if it is of half precision.
pub fn widened<B: Backend, const D: usize>(x: Tensor<B, D>) -> Tensor<B, D> {
    if is_half(x.dtype()) { x.cast(DType::F32) } else { x }
}

/// Returns the half precision that an input and a parameter have in common; none where their common type has
/// 32 bits or more.
pub fn common_half(x: DType, parameter: DType) -> Option<DType> {
    (x == parameter && is_half(x)).then_some(x)
}

/// Rounds `x` to `dtype`, if there is one.
pub fn rounded<B: Backend, const D: usize>(x: Tensor<B, D>, dtype: Option<DType>) -> Tensor<B, D> {
    match dtype {
        Some(dtype) => x.cast(dtype),
        None => x,
    }
}

/// Computes `f(x)` in `f32` where `x` is of half precision, and rounds the result to the type of `x`.
pub fn in_f32<B: Backend, const D: usize, const R: usize>(
    x: Tensor<B, D>,
    f: impl FnOnce(Tensor<B, D>) -> Tensor<B, R>,
) -> Tensor<B, R> {
    let dtype = x.dtype();
    if is_half(dtype) { f(x.cast(DType::F32)).cast(dtype) } else { f(x) }
}

/// Computes `f(x, y)` in `f32` where both are of the same half precision, and rounds the result to it. Other
/// pairs have a common type of 32 bits or more already.
pub fn pair_in_f32<B: Backend, const D: usize, const R: usize>(
    x: Tensor<B, D>,
    y: Tensor<B, D>,
    f: impl FnOnce(Tensor<B, D>, Tensor<B, D>) -> Tensor<B, R>,
) -> Tensor<B, R> {
    let dtype = x.dtype();
    if y.dtype() == dtype { in_f32(x, |x| f(x, widened(y))) } else { f(x, y) }
}

#[cfg(test)]
mod tests {
    use crate::loss::*;
    use crate::pool::LpPool1dConfig;
    use crate::*;
    use alloc::vec::Vec;
    use burn_autodiff::Autodiff;
    use burn_core::module::Param;
    use burn_core::tensor::{Backend, DType, Int, Tensor, TensorData};
    use burn_ndarray::NdArray;

    type B = NdArray;

    fn half<B: Backend, const D: usize>(values: &[f64], shape: [usize; D]) -> Tensor<B, D> {
        let device = Default::default();
        let data = TensorData::new(values, [values.len()]);
        Tensor::<B, 1>::from_data(data, &device).cast(DType::F16).reshape(shape)
    }

    fn to_half<B: Backend, const D: usize>(param: &Param<Tensor<B, D>>) -> Param<Tensor<B, D>> {
        Param::from_tensor(param.val().cast(DType::F16))
    }

    /// Values of f16, which has 11 bits: within half a unit of the last place.
    #[track_caller]
    fn expect<B: Backend, const D: usize>(found: Tensor<B, D>, expected: &[f64]) {
        assert_eq!(found.dtype(), DType::F16);
        let found: Vec<f64> = found.into_data().to_f64();
        let near = |(x, y): (&f64, &f64)| (x - y).abs() <= y.abs() / 1024.0 + 1e-7;
        let fits = found.len() == expected.len() && found.iter().zip(expected).all(near);
        assert!(fits, "expected {expected:?}, got {found:?}");
    }

    /// Deviations of 300, whose squares are not in the range of f16: normalized they are 1 and -1.
    #[test]
    fn norms_of_large_half_precision_numbers_are_finite() {
        let device = Default::default();
        let layer: RmsNorm<B> = RmsNormConfig::new(2).init(&device);
        let layer = RmsNorm { gamma: to_half(&layer.gamma), ..layer };
        expect(layer.forward(half::<B, 2>(&[300.0, -300.0], [1, 2])), &[1.0, -1.0]);
        let layer: LayerNorm<B> = LayerNormConfig::new(2).with_bias(false).init(&device);
        let layer = LayerNorm { gamma: to_half(&layer.gamma), ..layer };
        expect(layer.forward(half::<B, 2>(&[300.0, -300.0], [1, 2])), &[1.0, -1.0]);
        let layer: GroupNorm<B> = GroupNormConfig::new(1, 2).with_affine(false).init(&device);
        expect(layer.forward(half::<B, 2>(&[300.0, -300.0], [1, 2])), &[1.0, -1.0]);
        let layer: InstanceNorm<B> = InstanceNormConfig::new(1).with_affine(false).init(&device);
        expect(layer.forward(half::<B, 3>(&[300.0, -300.0], [1, 1, 2])), &[1.0, -1.0]);
        // 300 / (1 + 1e-4 * 300^2)^0.75 = 300 / 10^0.75.
        let layer = LocalResponseNormConfig::new(1).init();
        expect(layer.forward(half::<B, 3>(&[300.0], [1, 1, 1])), &[300.0 / 10f64.powf(0.75)]);
    }

    #[test]
    fn batch_norm_of_large_half_precision_numbers_trains() {
        type A = Autodiff<NdArray>;
        let layer: BatchNorm<A> = BatchNormConfig::new(1).with_momentum(0.5).init(&Default::default());
        let layer = BatchNorm { gamma: to_half(&layer.gamma), beta: to_half(&layer.beta), ..layer };
        expect(layer.forward(half::<A, 2>(&[300.0, -300.0], [2, 1])).detach(), &[1.0, -1.0]);
        // The running variance is in f32: (1 + 180000) / 2.
        let variance = layer.running_var.value().into_data().to_f64();
        assert!((variance[0] - 90_000.5).abs() < 0.1, "{variance:?}");
    }

    #[test]
    fn lp_pool_and_weight_norms_of_half_precision_have_the_length_of_a_vector() {
        let x = half::<B, 3>(&[300.0, 400.0], [1, 1, 2]);
        expect(LpPool1dConfig::new(2.0, 2).init().forward(x), &[500.0]);
        let weight = || Param::from_tensor(half::<B, 2>(&[300.0, 400.0], [2, 1]));
        let layer: WeightNorm<B, _, 2> = WeightNormConfig::new().init(Linear::new(weight(), None));
        expect(layer.magnitude.val(), &[500.0]);
        expect(layer.weight(), &[300.0, 400.0]);
        let layer: SpectralNorm<B, _, 2> = SpectralNormConfig::new().init(Linear::new(weight(), None));
        expect(layer.weight(), &[0.6, 0.8]);
    }

    #[test]
    fn losses_of_large_half_precision_differences_are_rounded_once() {
        let zeros = || half::<B, 2>(&[0.0; 4], [2, 2]);
        let one = |value| half::<B, 2>(&[value, 0.0, 0.0, 0.0], [2, 2]);
        // 300^2 / 4.
        expect(MseLoss::new().forward(one(300.0), zeros(), Reduction::Mean), &[22_500.0]);
        // 300 (600 - 150) / 4.
        let huber = HuberLossConfig::new(300.0).init();
        expect(huber.forward(one(600.0), zeros(), Reduction::Mean), &[33_750.0]);
        let smooth = SmoothL1LossConfig::new().with_beta(300.0).init();
        expect(smooth.forward(one(600.0), zeros(), Reduction::Mean), &[112.5]);
        let gaussian = GaussianNllLossConfig::new().init();
        let variance = half::<B, 2>(&[300.0; 4], [2, 2]);
        // (log(300) + 300^2 / 300 * [1, 0, 0, 0]) / 2, averaged.
        let expected = 0.5 * (300f64.ln() + 75.0);
        expect(gaussian.forward(one(300.0), zeros(), variance, Reduction::Mean), &[expected]);
    }

    #[test]
    fn losses_of_half_precision_vectors_have_finite_lengths() {
        let device = Default::default();
        let long = || half::<B, 2>(&[300.0, 400.0], [1, 2]);
        let turned = half::<B, 2>(&[400.0, -300.0], [1, 2]);
        let like = Tensor::<B, 1, Int>::from_data([1], &device);
        let cosine = CosineEmbeddingLossConfig::new().init();
        expect(cosine.forward(long(), turned, like.clone(), Reduction::Mean), &[1.0]);
        let triplet = TripletMarginLossConfig::new().init();
        let loss = triplet.forward(long(), half::<B, 2>(&[0.0, 0.0], [1, 2]), long(), Reduction::Mean);
        expect(loss, &[501.0]);
        let margin: MultiMarginLoss<B> = MultiMarginLossConfig::new().with_p(2).init(&device);
        let input = half::<B, 2>(&[299.0, 0.0, 0.0, 0.0, 0.0, 0.0], [1, 6]);
        // (299 + 1)^2 and five times 1, without that of the target, over six classes.
        expect(margin.forward(input, like, Reduction::Mean), &[(90_000.0 + 4.0) / 6.0]);
    }
}
