//! Random programs of what fusion puts into blocks give the same bits fused and one call at a time.

use burn_backend::{Backend, ConvOptions, DType, TensorData};
use burn_conformance::fuzz::Random;
use burn_fusion::Fusion;
use burn_ndarray::NdArray;
use burn_tensor::activation::{gelu, relu};
use burn_tensor::{Tensor, s};
use std::panic::resume_unwind;
use std::thread::{available_parallelism, scope};

/// How many, unless `BURN_BLOCKS` says it.
const PROGRAMS: u64 = 400;

/// A tensor whose sizes are those of `full` or 1; one in two is a view.
fn input<B: Backend>(random: &mut Random, full: [usize; 3]) -> Tensor<B, 3> {
    let [a, b, c] = full.map(|size| if random.chance(75) { size } else { 1 });
    let shift = random.below(100);
    match random.below(10) {
        0 => values([c, a, b], shift).permute([1, 2, 0]),
        1 => values([a, c, b], shift).swap_dims(1, 2),
        2 => values([a, b, c], shift).flip([0, 2]),
        3 => values([a, b, 2 * c], shift).slice(s![.., .., ..;2]),
        4 => values([2 * a, b, c], shift).slice(s![a.., .., ..]),
        _ => values([a, b, c], shift),
    }
}

/// Values in `[-3, 3)` that look random and are the same everywhere.
fn values<B: Backend>(shape: [usize; 3], shift: usize) -> Tensor<B, 3> {
    let at = |i: usize| (((i + shift) as f64 * 0.618_033_988_749_895).fract() * 6.0 - 3.0) as f32;
    let values: Vec<f32> = (0..shape.iter().product()).map(at).collect();
    Tensor::from_data(TensorData::new(&values, shape), &Default::default())
}

/// A product of that shape, or of one matrix for all; one factor in five lies in another order.
fn product<B: Backend>(random: &mut Random, [batch, rows, cols]: [usize; 3]) -> Tensor<B, 3> {
    let depth = random.pick(&[1, 2, 5, 16, 40, 128, 150]);
    let mut factor = |rows: usize, cols: usize| {
        let batch = if random.chance(60) { batch } else { 1 };
        let (len, shift) = (batch * rows * cols, random.below(100));
        let at = |i: usize| (((i + shift) as f64 * 0.618_033_988_749_895).fract() * 2.0 - 1.0) as f32;
        let values: Vec<f32> = (0..len).map(at).collect();
        let device = Default::default();
        match random.chance(20) {
            true => Tensor::from_data(TensorData::new(&values, [batch, cols, rows]), &device).swap_dims(1, 2),
            false => Tensor::from_data(TensorData::new(&values, [batch, rows, cols]), &device),
        }
    };
    let (lhs, rhs) = (factor(rows, depth), factor(depth, cols));
    lhs.matmul(rhs)
}

/// A convolution of that shape: along the last dimension, perhaps with a bias.
fn convolution<B: Backend>(random: &mut Random, [batch, channels, len]: [usize; 3]) -> Tensor<B, 3> {
    let (channels_in, kernel) = (random.pick(&[1, 3, 20]), random.pick(&[1, 3, 5]));
    let x = values([batch, channels_in, len + kernel - 1], random.below(100));
    let weight = values([channels, channels_in, kernel], random.below(100));
    let bias = random.chance(50).then(|| values([1, 1, channels], 7).reshape([channels]));
    x.conv(weight, bias, ConvOptions::new(1))
}

/// Result of an operation that a block may begin with: a matrix product or a convolution.
fn head<B: Backend>(random: &mut Random, shape: [usize; 3]) -> Tensor<B, 3> {
    if random.chance(50) { product(random, shape) } else { convolution(random, shape) }
}

fn program<B: Backend>(seed: u64) -> Vec<TensorData> {
    let mut random = Random::new(seed);
    let sizes = [1, 2, 3, 7, 16, 33, 130];
    let full = [(); 3].map(|()| random.pick(&sizes));
    let (folds, folded) = (random.chance(60), 1 + random.below(2));
    let mut values: Vec<Tensor<B, 3>> = (0..3).map(|_| input(&mut random, full)).collect();
    if random.chance(50) {
        values.push(head(&mut random, full));
    }
    for _ in 0..3 + random.below(14) {
        let [x, y] = [0; 2].map(|_| values[values.len() - 1 - random.below(values.len().min(4))].clone());
        let mask = |x: &Tensor<B, 3>, y: &Tensor<B, 3>| x.clone().lower(y.clone());
        let result = match random.below(if folds { 22 } else { 19 }) {
            0 => x + y,
            1 => x * y,
            2 => x - y,
            3 => x / 3.7,
            4 => x.sin(),
            5 => x.tanh() + 1,
            6 => (x * 0.1).exp(),
            7 => x.clamp(-0.5, 0.75),
            8 => x.max_pair(y),
            9 => x.clone().mask_fill(mask(&x, &x.clone().cos()), 0.25),
            10 => {
                let z = y.clone().sin();
                x.clone().mask_where(mask(&y, &z), y)
            }
            11 => (x.int() * 3).float() * 0.5,
            12 => x.cast(DType::F64).sqrt().cast(DType::F32),
            13 => x.greater_elem(0.3).float(),
            14 if folds => x.expand(full) + 0.0,
            14 => x.expand(full),
            15 => x.powf_scalar(2.0).recip(),
            16 => head(&mut random, full) + y,
            17 => gelu(-x) + (y.abs() + 0.5).sqrt(),
            18 => x.clone() - relu(x * 0.7 + y).erf(),
            _ => {
                let op = random.below(3);
                let fold = |x: Tensor<B, 3>, dim: usize| match op {
                    0 => x.sum_dim(dim),
                    1 => x.max_dim(dim),
                    _ => x.mean_dim(dim),
                };
                let mut x = x;
                for dim in 3 - folded..3 {
                    x = fold(x, dim);
                }
                x
            }
        };
        if random.chance(50) && values.len() > 3 {
            values.remove(0);
        }
        values.push(result);
    }
    values.into_iter().map(Tensor::into_data).collect()
}

/// The bits of elements, where one NaN is like another.
fn bits(data: &TensorData) -> Vec<u64> {
    data.iter::<f64>().map(|x| if x.is_nan() { f64::NAN.to_bits() } else { x.to_bits() }).collect()
}

#[test]
fn fused_equals_unfused() {
    let programs = std::env::var("BURN_BLOCKS").map_or(PROGRAMS, |text| text.parse().expect("a number"));
    let threads = available_parallelism().map_or(1, usize::from);
    scope(|scope| {
        let run = |first| move || (first..programs).step_by(threads).for_each(compare);
        let running: Vec<_> = (0..threads as u64).map(|first| scope.spawn(run(first))).collect();
        for thread in running {
            thread.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
    });
}

/// Checks that one program has the same bits fused and not.
fn compare(seed: u64) {
    let (alone, fused) = (program::<NdArray>(seed), program::<Fusion<NdArray>>(seed));
    assert_eq!(alone.len(), fused.len());
    for (k, (alone, fused)) in alone.iter().zip(&fused).enumerate() {
        assert_eq!((&alone.shape, alone.dtype), (&fused.shape, fused.dtype), "program {seed}, value {k}");
        let differs = bits(alone).into_iter().zip(bits(fused)).find(|(x, y)| x != y);
        let differs = differs.map(|(x, y)| (f64::from_bits(x), f64::from_bits(y)));
        assert_eq!(differs, None, "program {seed}, value {k} of {:?}", alone.shape);
    }
}

/// `y * y.sum_dim(1)` and its like, for views: what is fused reads a copy, and what is not the view.
#[test]
fn sums_of_views_are_fused_and_unfused_the_same() {
    fn run<B: Backend>() -> Vec<TensorData> {
        let values: Vec<f32> =
            (0..6 * 4).map(|i| ((i as f64 * 0.618_033_988_749_895).fract() * 6.0 - 3.0) as f32).collect();
        let x = || Tensor::<B, 2>::from_data(TensorData::new(&values, [6, 4]), &Default::default());
        let views = [x().transpose(), x().sort(1), x().flip([1]), x().slice(s![..;2, 1..])];
        let sums =
            views.iter().flat_map(|y| [y.clone() * y.clone().sum_dim(1), y.clone() / y.clone().mean_dim(1)]);
        sums.map(Tensor::into_data).collect()
    }
    for (alone, fused) in run::<NdArray>().iter().zip(&run::<Fusion<NdArray>>()) {
        assert_eq!(bits(alone), bits(fused));
    }
}

/// Softmax, layer norm and GELU, written with elementary operations, on rows of whole and of partial vectors.
#[test]
fn written_by_a_user() {
    fn run<B: Backend>(width: usize) -> [Tensor<B, 3>; 3] {
        let (x, gamma) = (values::<B>([3, 40, width], 5), values::<B>([1, 1, width], 6));
        let e = (x.clone() - x.clone().max_dim(2)).exp();
        let softmax = e.clone() / e.sum_dim(2);
        let centred = x.clone() - x.clone().mean_dim(2);
        let variance = centred.clone().powi_scalar(2).mean_dim(2);
        let norm = centred / (variance + 1e-5).sqrt() * gamma;
        let gelu = x.clone() * ((x / 2_f64.sqrt()).erf() + 1) / 2;
        [softmax, norm, gelu]
    }
    for width in [1, 7, 8, 16, 63, 64, 70, 768, 1500] {
        let (alone, fused) = (run::<NdArray>(width), run::<Fusion<NdArray>>(width));
        for (alone, fused) in alone.into_iter().zip(fused) {
            assert_eq!(bits(&alone.into_data()), bits(&fused.into_data()), "rows of {width}");
        }
    }
}

/// Values that are read by the next step and again later, and reductions of what was just computed, where
/// some numbers are NaN or infinite.
#[test]
fn values_that_are_read_twice_and_reduced() {
    fn run<B: Backend>(width: usize) -> Vec<TensorData> {
        let x = values::<B>([2, 9, width], 3);
        let x = x.clone().mask_fill(x.clone().greater_elem(2.9), f64::NAN);
        let x = x.clone().mask_fill(x.clone().lower_elem(-2.95), f64::NEG_INFINITY);
        let scaled = x * 0.5;
        let largest = scaled.clone().max_dim(2);
        let shifted = scaled.clone() + 0.25;
        let smallest = shifted.clone().min_dim(2);
        let root = (smallest.clone() * -1.5 + 2.0).sqrt();
        let ratio = shifted.clone().abs() / root.clone();
        let product = ratio.clone().prod_dim(2);
        let square = ratio.clone() * ratio.clone();
        let total = square.clone().sum_dim(2);
        let values = [scaled, largest, shifted, smallest, root, ratio, product, square, total];
        values.into_iter().map(Tensor::into_data).collect()
    }
    for width in [5, 8, 33, 64, 200, 1027] {
        let (alone, fused) = (run::<NdArray>(width), run::<Fusion<NdArray>>(width));
        for (k, (alone, fused)) in alone.iter().zip(&fused).enumerate() {
            assert_eq!(bits(alone), bits(fused), "value {k} in rows of {width}");
        }
    }
}

/// `relu(x w + bias) * 0.5 + residual` and its largest elements, where all numbers are small and whole, by
/// definition and in f64.
#[test]
fn a_product_and_what_follows_it() {
    let whole = |len: usize, step: usize| (0..len).map(move |i| ((i * step) % 9) as f32 - 4.0);
    // By rows, in full because it is deep, because it is wide, because it has few rows; of one matrix, and of
    // several.
    for [batch, rows, depth, cols] in
        [[1, 200, 32, 48], [3, 70, 9, 17], [1, 80, 200, 20], [1, 90, 8, 400], [1, 5, 16, 64], [40, 4, 3, 16]]
    {
        let of = |shape: [usize; 3], step: usize| -> Tensor<Fusion<NdArray>, 3> {
            let values: Vec<f32> = whole(shape.iter().product(), step).collect();
            Tensor::from_data(TensorData::new(&values, shape), &Default::default())
        };
        let (x, w) = (of([batch, rows, depth], 7), of([batch, depth, cols], 5));
        let (bias, residual) = (of([1, 1, cols], 2), of([batch, rows, cols], 4));
        let product = x.matmul(w);
        let y = (product.clone() + bias).clamp_min(0.0) * 0.5 + residual;
        let found =
            [product, y.clone().max_dim(2), y].map(|x| x.into_data().to_vec::<f32>().expect("floats"));

        let number = |step: usize, at: usize| f64::from((at * step % 9) as f32 - 4.0);
        let (mut products, mut largest, mut results) = (Vec::new(), Vec::new(), Vec::new());
        for row in 0..batch * rows {
            let start = results.len();
            for col in 0..cols {
                let term =
                    |k: usize| number(7, row * depth + k) * number(5, (row / rows * depth + k) * cols + col);
                let sum: f64 = (0..depth).map(term).sum();
                products.push(sum as f32);
                results.push(((sum + number(2, col)).max(0.0) * 0.5 + number(4, row * cols + col)) as f32);
            }
            largest.push(results[start..].iter().copied().fold(f32::NEG_INFINITY, f32::max));
        }
        assert!(found == [products, largest, results], "{batch} of {rows} x {depth} x {cols}");
    }
}
