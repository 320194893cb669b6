//! Convolutions and the elementwise operations after them: the bits of single calls when they are fused.

use burn_backend::{Backend, ConvOptions, DType, Dims, TensorData};
use burn_conformance::fuzz::Random;
use burn_conformance::same_bits;
use burn_fusion::Fusion;
use burn_ndarray::NdArray;
use burn_tensor::Tensor;
use burn_tensor::activation::{relu, sigmoid};

/// Elements of the input and of the weights.
#[derive(Clone, Copy, Debug)]
enum Values {
    /// Between -1 and 1.
    Ordinary,
    /// Every result is -0.0 where there is a bias.
    NegativeZeros,
    /// NaN and both infinities among ordinary ones.
    NotFinite,
}

impl Values {
    fn data(self, shape: &[usize], dtype: DType, shift: usize) -> TensorData {
        let at = |i: usize| ((i + shift) as f64 * 0.618_033_988_749_895).fract() * 2.0 - 1.0;
        let number = |i: usize| match (self, shift) {
            (Values::NegativeZeros, X) => 0.0,
            (Values::NegativeZeros, WEIGHT) => -1.0,
            (Values::NegativeZeros, BIAS) => -0.0,
            (Values::NotFinite, X) => match i % 97 {
                5 => f64::NAN,
                40 => f64::INFINITY,
                70 => f64::NEG_INFINITY,
                _ => at(i),
            },
            (Values::Ordinary | Values::NegativeZeros | Values::NotFinite, _) => at(i),
        };
        let numbers: Vec<f64> = (0..shape.iter().product()).map(number).collect();
        TensorData::new(&numbers, shape.to_vec()).convert_dtype(dtype)
    }
}

// Which tensor it is, and where its values begin.
const X: usize = 3;
const WEIGHT: usize = 11;
const BIAS: usize = 17;
const RESIDUAL: usize = 29;

/// A convolution of `D - 2` dimensions.
#[derive(Debug)]
struct Convolution<const D: usize> {
    x: [usize; D],
    weight: [usize; D],
    stride: usize,
    padding: usize,
    groups: usize,
}

/// Number of functions in [`behind`].
const FUNCTIONS: usize = 24;

/// Results of one of several functions of the convolution `y`.
fn behind<B: Backend, const D: usize>(
    function: usize,
    y: Tensor<B, D>,
    residual: Tensor<B, D>,
) -> Vec<Tensor<B, D>> {
    match function {
        0 => vec![relu(y)],
        1 => vec![y.clamp(0.0, 6.0)],
        2 => vec![y.clamp(-0.5, 0.75)],
        3 => vec![y.clamp_min(0.25)],
        4 => vec![y.clamp_max(-0.0)],
        5 => vec![y.clamp_min(-0.0)],
        6 => vec![relu(y + residual)],
        7 => vec![relu(y) + residual],
        // The convolution is read twice.
        8 => vec![y.clone() * (y + 3.0).clamp(0.0, 6.0) / 6.0],
        9 => vec![relu(y.clone()) - y],
        // The convolution, or its bounded values, are kept.
        10 => vec![y.clone(), relu(y) * 2.0],
        11 => {
            let z = y.clamp(0.0, 0.5);
            vec![z.clone(), z.clone() * sigmoid(z)]
        }
        12 => vec![y.clamp(0.0, 0.0) + 1.0],
        // Sums with a residual, of which 18 is broadcast and 19 lies in another order.
        13 => vec![y + residual],
        14 => vec![relu(residual + y)],
        15 => vec![(residual + y).clamp(-0.5, 0.75)],
        16 => vec![(y + residual) * 2.0],
        17 => vec![(y + residual).clamp(-0.0, 0.0)],
        18 | 19 => vec![relu(y + residual)],
        // The residual is read again, or computed with the sum.
        20 => vec![relu(y + residual.clone()) - residual],
        21 => vec![relu(y + residual.exp())],
        // The convolution, or its sum with the residual, is kept.
        22 => vec![y.clone(), relu(y + residual)],
        23 => {
            let sum = y + residual;
            vec![relu(sum.clone()), sum]
        }
        _ => unreachable!("there are {FUNCTIONS} functions"),
    }
}

/// The residual of one of the functions of [`behind`].
fn residual<B: Backend, const D: usize>(function: usize, whole: Tensor<B, D>) -> Tensor<B, D> {
    match function {
        18 => whole.narrow(D - 1, 0, 1),
        19 => whole.flip([1, D - 1]),
        _ => whole,
    }
}

impl<const D: usize> Convolution<D> {
    fn output(&self) -> [usize; D] {
        let size = |d: usize| (self.x[d] + 2 * self.padding - self.weight[d]) / self.stride + 1;
        std::array::from_fn(|d| match d {
            0 => self.x[0],
            1 => self.weight[0],
            d => size(d),
        })
    }

    fn results<B: Backend>(
        &self,
        values: Values,
        dtype: DType,
        has_bias: bool,
        function: usize,
    ) -> Vec<TensorData> {
        let device = B::Device::default();
        let tensor = |shape: &[usize; D], shift| {
            Tensor::<B, D>::from_data(values.data(shape, dtype, shift), (&device, dtype))
        };
        let bias = has_bias.then(|| {
            Tensor::<B, 1>::from_data(values.data(&self.weight[..1], dtype, BIAS), (&device, dtype))
        });
        let all = |size| Dims::repeat(size, D - 2);
        let options = ConvOptions {
            stride: all(self.stride),
            padding: all(self.padding),
            groups: self.groups,
            ..ConvOptions::new(D - 2)
        };
        // Made before the convolution, whose block begins with it.
        let (x, weight) = (tensor(&self.x, X), tensor(&self.weight, WEIGHT));
        let residual = residual(function, tensor(&self.output(), RESIDUAL));
        let y = x.conv(weight, bias, options);
        behind(function, y, residual).into_iter().map(Tensor::into_data).collect()
    }

    fn check(&self, values: Values, dtype: DType, has_bias: bool, function: usize) {
        let alone = self.results::<NdArray>(values, dtype, has_bias, function);
        let fused = self.results::<Fusion<NdArray>>(values, dtype, has_bias, function);
        assert_eq!(alone.len(), fused.len());
        for (alone, fused) in alone.iter().zip(&fused) {
            assert!(
                same_bits(alone, fused),
                "{self:?}, {values:?} {dtype}, bias {has_bias}, function {function}"
            );
        }
    }

    /// Compares with the same function in `f64`, whose convolutions are products over unfolded input.
    fn check_precise(&self, has_bias: bool, function: usize) {
        let precise = self.results::<NdArray>(Values::Ordinary, DType::F64, has_bias, function);
        let fused = self.results::<Fusion<NdArray>>(Values::Ordinary, DType::F32, has_bias, function);
        assert_eq!(precise.len(), fused.len());
        let list = |data: &TensorData| data.iter::<f64>().collect::<Vec<_>>();
        for (precise, fused) in precise.iter().zip(&fused) {
            assert_eq!(precise.shape, fused.shape);
            let pairs = list(precise).into_iter().zip(list(fused));
            let most = pairs.map(|(x, y)| (x - y).abs() / (1.0 + x.abs())).fold(0.0, f64::max);
            assert!(most < 1e-4, "{self:?}, bias {has_bias}, function {function}: {most}");
        }
    }

    /// A function that a random number picks.
    fn check_any(&self, random: &mut Random) {
        let (function, has_bias) = (random.below(FUNCTIONS), random.chance(70));
        let values =
            random.pick(&[Values::Ordinary, Values::Ordinary, Values::NegativeZeros, Values::NotFinite]);
        self.check(values, DType::F32, has_bias || matches!(values, Values::NegativeZeros), function);
        self.check_precise(has_bias, function);
    }

    fn check_all(&self) {
        for function in 0..FUNCTIONS {
            self.check(Values::Ordinary, DType::F32, function % 2 == 0, function);
            self.check(Values::NegativeZeros, DType::F32, true, function);
            self.check(Values::NotFinite, DType::F32, function % 2 == 1, function);
        }
        for (function, dtype) in [DType::F64, DType::F16, DType::BF16].into_iter().enumerate() {
            for values in [Values::Ordinary, Values::NegativeZeros, Values::NotFinite] {
                self.check(values, dtype, true, function);
                self.check(values, dtype, false, function + 4);
            }
        }
    }
}

fn plane(x: [usize; 4], weight: [usize; 4], stride: usize, padding: usize) -> Convolution<4> {
    Convolution { x, weight, stride, padding, groups: x[1] / weight[1] }
}

#[test]
fn convolutions_of_one_tap_are_fused_and_unfused_the_same() {
    plane([2, 24, 7, 7], [43, 24, 1, 1], 1, 0).check_all();
    plane([1, 40, 14, 14], [16, 40, 1, 1], 1, 0).check_all();
    // More weights than the cache holds beside the input; a stride.
    plane([1, 300, 5, 5], [450, 300, 1, 1], 1, 0).check_all();
    plane([1, 24, 15, 15], [20, 24, 1, 1], 2, 0).check_all();
}

#[test]
fn depthwise_convolutions_are_fused_and_unfused_the_same() {
    plane([2, 6, 14, 19], [6, 1, 3, 3], 1, 1).check_all();
    plane([1, 6, 21, 37], [6, 1, 3, 3], 2, 1).check_all();
    plane([1, 6, 20, 21], [6, 1, 5, 5], 1, 2).check_all();
    plane([1, 6, 4, 4], [12, 1, 3, 3], 2, 0).check_all();
}

#[test]
fn convolutions_through_transforms_are_fused_and_unfused_the_same() {
    plane([1, 16, 56, 56], [19, 16, 3, 3], 1, 1).check_all();
    plane([5, 33, 14, 13], [47, 33, 3, 3], 1, 1).check_all();
    // A few more tiles than vectors hold.
    plane([2, 64, 28, 28], [35, 64, 3, 3], 1, 1).check_all();
    plane([1, 64, 30, 29], [70, 64, 4, 4], 2, 1).check_all();
}

#[test]
fn convolutions_by_shifted_rows_are_fused_and_unfused_the_same() {
    plane([1, 3, 37, 40], [20, 3, 7, 7], 2, 3).check_all();
    plane([2, 9, 20, 21], [13, 9, 3, 3], 1, 1).check_all();
    // Elements after the last whole vector, one by one; groups; planes too small for shifted rows.
    plane([1, 32, 7, 7], [40, 32, 3, 3], 1, 1).check_all();
    plane([1, 12, 17, 17], [9, 4, 3, 3], 2, 1).check_all();
    plane([2, 8, 4, 4], [6, 8, 3, 3], 1, 0).check_all();
}

#[test]
fn convolutions_of_one_and_three_dimensions_are_fused_and_unfused_the_same() {
    Convolution { x: [2, 3, 100], weight: [5, 3, 5], stride: 3, padding: 2, groups: 1 }.check_all();
    Convolution { x: [1, 4, 6, 7, 8], weight: [5, 4, 3, 3, 3], stride: 1, padding: 1, groups: 1 }.check_all();
}

#[test]
fn random_convolutions_are_those_of_single_calls_and_of_f64() {
    let mut random = Random::new(38_011);
    for _ in 0..40 {
        let (batch, size) = (1 + random.below(2), [1 + random.below(40), 1 + random.below(70)]);
        let channels = [1 + random.below(90), 1 + random.below(90)];
        let stride = random.pick(&[1, 1, 2, 3]);
        let image = |channels| [batch, channels, size[0], size[1]];
        // One tap; each channel by itself; enough channels for transforms; any kernel and groups.
        plane(image(channels[0]), [channels[1], channels[0], 1, 1], stride, 0).check_any(&mut random);
        let (many, kernel) = (random.pick(&[1, 1, 2]), random.pick(&[3, 3, 5]));
        let (depthwise, padding) = ([channels[0] * many, 1, kernel, kernel], kernel / 2);
        plane(image(channels[0]), depthwise, stride.min(2), padding).check_any(&mut random);
        let large = [batch, 16 + channels[0], 12 + size[0], 12 + size[1] / 2];
        plane(large, [16 + channels[1], large[1], 3, 3], 1, random.below(3)).check_any(&mut random);
        let (groups, kernel) = (1 + random.below(3), [1 + random.below(7), 1 + random.below(7)]);
        let padding = random.below(4);
        let general =
            [batch, groups * (1 + random.below(20)), size[0].max(kernel[0]), size[1].max(kernel[1])];
        let results = groups * (1 + random.below(30));
        plane(general, [results, general[1] / groups, kernel[0], kernel[1]], stride, padding)
            .check_any(&mut random);
        let line = [batch, groups * (1 + random.below(9)), 7 + random.below(150)];
        let weight = [groups * (1 + random.below(20)), line[1] / groups, kernel[0]];
        Convolution { x: line, weight, stride, padding, groups }.check_any(&mut random);
        let cube =
            [batch, 1 + random.below(20), 3 + random.below(6), 3 + random.below(9), 3 + random.below(20)];
        let weight = [1 + random.below(20), cube[1], 1 + random.below(3), 3, 3];
        Convolution { x: cube, weight, stride: stride.min(2), padding: random.below(2), groups: 1 }
            .check_any(&mut random);
    }
}

/// `clamp(conv(x, w) + bias, 0, 6)` and `relu(conv(x, w) + bias + residual)`, where all numbers are small and
/// whole, by definition.
#[test]
fn bounded_convolutions_are_those_of_the_definition() {
    // Pointwise, depthwise, by Winograd transforms, by shifted rows, and planes too small for any of them.
    for (channels, results, groups, size, kernel, stride) in [
        (24, 40, 1, 7, 1, 1),
        (6, 6, 6, 18, 3, 1),
        (6, 6, 6, 19, 3, 2),
        (32, 32, 1, 28, 3, 1),
        (3, 20, 1, 30, 7, 2),
        (8, 6, 1, 4, 3, 1),
    ] {
        let number = |step: usize, at: usize| ((at * step % 5) as f64) - 2.0;
        let of = |shape: Vec<usize>, step: usize| {
            let numbers: Vec<f64> = (0..shape.iter().product()).map(|at| number(step, at)).collect();
            TensorData::new(&numbers, shape).convert_dtype(DType::F32)
        };
        let device = Default::default();
        let depth = channels / groups;
        let padding = kernel / 2;
        let options = ConvOptions {
            stride: [stride, stride].into(),
            padding: [padding, padding].into(),
            groups,
            ..ConvOptions::new(2)
        };
        let x = Tensor::<Fusion<NdArray>, 4>::from_data(of(vec![1, channels, size, size], 3), &device);
        let weight = Tensor::from_data(of(vec![results, depth, kernel, kernel], 7), &device);
        let bias = Tensor::from_data(of(vec![results], 2), &device);
        let out = (size + 2 * padding - kernel) / stride + 1;
        let residual = Tensor::from_data(of(vec![1, results, out, out], 4), &device);
        let conv = |x: &Tensor<_, 4>| x.clone().conv(weight.clone(), Some(bias.clone()), options.clone());
        let found = [conv(&x).clamp(0.0, 6.0), relu(conv(&x) + residual)];
        let found = found.map(|x| x.into_data().to_vec::<f32>().expect("floats"));

        let mut expected = [Vec::new(), Vec::new()];
        for at in 0..results * out * out {
            let (result, row, column) = (at / out / out, at / out % out, at % out);
            let mut sum = number(2, result);
            for tap in 0..depth * kernel * kernel {
                let (channel, down, right) = (tap / kernel / kernel, tap / kernel % kernel, tap % kernel);
                let (y, x) = (row * stride + down, column * stride + right);
                if (padding..size + padding).contains(&y) && (padding..size + padding).contains(&x) {
                    let channel = result / (results / groups) * depth + channel;
                    let place = (channel * size + y - padding) * size + x - padding;
                    sum += number(3, place) * number(7, result * depth * kernel * kernel + tap);
                }
            }
            expected[0].push(sum.clamp(0.0, 6.0) as f32);
            expected[1].push((sum + number(4, at)).max(0.0) as f32);
        }
        // Transforms divide by powers of two and by 3, so they round.
        let tolerance = if channels == 32 { 1e-3 } else { 0.0 };
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(found.len(), expected.len());
            let differs = found.iter().zip(expected).position(|(x, y)| (x - y).abs() > tolerance);
            assert_eq!(differs, None, "{channels} to {results} channels of {size}, kernel {kernel}");
        }
    }
}
