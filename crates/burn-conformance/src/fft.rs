//! Fourier transforms of lengths at which kernels of devices change, against what is known of them without a
//! transform.

use crate::noise::noise;
use burn_backend::*;
use std::f64::consts::TAU;

/// Sums; passes of one kind and of several; primes, small and large; the longest that fit into a cube, and
/// longer ones.
const LENGTHS: [usize; 10] = [1, 2, 97, 139, 1001, 4096, 4099, 8198, 98_415, 1 << 17];

fn read<B: Backend>(x: B::Tensor) -> Vec<f64> {
    block_on(B::into_data(x)).expect("it was computed").expect("the device answers").to_f64()
}

/// Largest distance of two lists.
fn distance(found: &[f64], expected: &[f64]) -> f64 {
    assert_eq!(found.len(), expected.len());
    // A NaN is far from everything.
    let far = |(x, y): (&f64, &f64)| if x.is_finite() { (x - y).abs() } else { f64::INFINITY };
    found.iter().zip(expected).map(far).fold(0.0, f64::max)
}

fn root_mean_square(values: &[f64]) -> f64 {
    (values.iter().map(|x| x * x).sum::<f64>() / values.len() as f64).sqrt()
}

/// Tolerance of a transform that rounds in each of its passes, in units of the result's root mean square.
fn tolerance_of(dtype: DType, n: usize) -> f64 {
    let epsilon = if dtype == DType::F64 { f64::EPSILON } else { f64::from(f32::EPSILON) };
    epsilon * (4.0 + 2.0 * (n as f64).log2())
}

fn tolerance(n: usize) -> f64 {
    tolerance_of(DType::F32, n)
}

/// A sum of halves, which rounds less than one from first to last.
fn sum(terms: &[f64]) -> f64 {
    if terms.len() < 64 {
        return terms.iter().sum();
    }
    let (first, second) = terms.split_at(terms.len() / 2);
    sum(first) + sum(second)
}

/// A wave whose frequency is a whole number is one element of the spectrum.
pub fn pure_tones_are_one_element<B: Backend>(device: &B::Device) {
    let tensor =
        |values: Vec<f32>, shape: &[usize]| B::from_data(TensorData::new(values, Shape::from(shape)), device);
    let values = read::<B>;
    for n in LENGTHS {
        for tone in [0, 1 % n, n / 3, n - 1] {
            let angle = |j: usize| TAU * (j * tone % n) as f64 / n as f64;
            let wave: Vec<f32> =
                (0..n).flat_map(|j| [angle(j).cos() as f32, angle(j).sin() as f32]).collect();
            for (op, place) in [(FftOp::Forward, tone), (FftOp::Backward, (n - tone) % n)] {
                let found = values(B::fft(op, tensor(wave.clone(), &[1, n, 2]), 1));
                let mut expected = vec![0.0; 2 * n];
                expected[2 * place] = n as f64;
                let off = distance(&found, &expected) / n as f64;
                assert!(off < tolerance(n), "{} of tone {tone} of {n} is off by {off:e}", op.name());
            }
        }
    }
}

/// The transform of a single element is a wave, in which every factor shows.
pub fn single_elements_are_waves<B: Backend>(device: &B::Device, dtype: DType) {
    let tensor = |values: Vec<f32>, shape: &[usize]| {
        B::from_data(TensorData::new(values, Shape::from(shape)).convert_dtype(dtype), device)
    };
    let tolerance = |n| tolerance_of(dtype, n);
    let values = read::<B>;
    for n in LENGTHS {
        let place = 2 * n / 3;
        let mut x = vec![0.0; n];
        x[place] = 1.0;
        let angle = |k: usize| TAU * (k * place % n) as f64 / n as f64;
        let expected: Vec<f64> = (0..=n / 2).flat_map(|k| [angle(k).cos(), -angle(k).sin()]).collect();
        let off = distance(&values(B::fft(FftOp::Real, tensor(x, &[n]), 0)), &expected);
        // A convolution spreads it out, and its roundings with it.
        assert!(off < 4.0 * tolerance(n), "rfft of {n} is off by {off:e}");
        let mut half = vec![0.0; 2 * (n / 2 + 1)];
        half[2 * (n / 3)] = 1.0;
        let both = if n / 3 == 0 || 2 * (n / 3) == n { 1.0 } else { 2.0 };
        let expected: Vec<f64> =
            (0..n).map(|j| both * (TAU * (j * (n / 3) % n) as f64 / n as f64).cos()).collect();
        let off = distance(&values(B::fft(FftOp::Half { n }, tensor(half, &[n / 2 + 1, 2]), 0)), &expected);
        assert!(off < 8.0 * tolerance(n), "irfft of {n} is off by {off:e}");
    }
}

/// Parseval: the squares of a spectrum add up to `n` times those of the signal.
pub fn spectra_keep_the_energy<B: Backend>(device: &B::Device) {
    let tensor =
        |values: Vec<f32>, shape: &[usize]| B::from_data(TensorData::new(values, Shape::from(shape)), device);
    let values = read::<B>;
    for n in LENGTHS {
        let x = noise(4 * n);
        let energy = |values: &[f64]| values.iter().map(|x| x * x).sum::<f64>();
        let before: Vec<f64> = x.iter().map(|&x| x.into()).collect();
        let after = values(B::fft(FftOp::Forward, tensor(x, &[2, n, 2]), 1));
        for (before, after) in before.chunks(2 * n).zip(after.chunks(2 * n)) {
            let ratio = energy(after) / energy(before) / n as f64;
            assert!((ratio - 1.0).abs() < 2.0 * tolerance(n), "{n}: {ratio}");
        }
    }
}

/// One transform undoes the other, along any dimension, of neighbours in memory or not.
pub fn inverses_undo_transforms<B: Backend>(device: &B::Device, dtype: DType) {
    let tensor = |values: Vec<f32>, shape: &[usize]| {
        B::from_data(TensorData::new(values, Shape::from(shape)).convert_dtype(dtype), device)
    };
    let tolerance = |n| tolerance_of(dtype, n);
    let values = read::<B>;
    for n in LENGTHS {
        let others: &[(usize, usize)] = if n > 10_000 { &[(1, 1), (1, 3)] } else { &[(3, 1), (2, 5)] };
        for &(outer, inner) in others {
            let x = noise(2 * outer * n * inner);
            let expected: Vec<f64> = x.iter().map(|&x| f64::from(x) * n as f64).collect();
            let off = |found: B::Tensor, expected: &[f64]| distance(&values(found), expected) / n as f64;
            let spectrum = B::fft(FftOp::Forward, tensor(x.clone(), &[outer, n, inner, 2]), 1);
            let found = off(B::fft(FftOp::Backward, spectrum, 1), &expected);
            assert!(found < 4.0 * tolerance(n), "{outer} x {n} x {inner}: off by {found:e}");
            let count = outer * n * inner;
            let half = B::fft(FftOp::Real, tensor(x[..count].to_vec(), &[outer, n, inner]), 1);
            let found = off(B::fft(FftOp::Half { n }, half, 1), &expected[..count]);
            assert!(found < 4.0 * tolerance(n), "real {outer} x {n} x {inner}: off by {found:e}");
        }
    }
}

/// The sum itself, in `f64`, at some positions: of all kinds of calls, along dimensions that are last and
/// that are not.
pub fn results_are_the_sum<B: Backend>(device: &B::Device, dtype: DType) {
    let tensor = |values: Vec<f32>, shape: &[usize]| {
        B::from_data(TensorData::new(values, Shape::from(shape)).convert_dtype(dtype), device)
    };
    let tolerance = |n| tolerance_of(dtype, n);
    let values = read::<B>;
    for n in LENGTHS {
        for inner in [1, 5] {
            let x = noise(2 * n * inner);
            let found = values(B::fft(FftOp::Forward, tensor(x.clone(), &[n, inner, 2]), 0));
            let real = values(B::fft(FftOp::Real, tensor(x[..n * inner].to_vec(), &[n, inner]), 0));
            let size = root_mean_square(&found);
            for k in [0, 1, n / 2, n / 3, n - 1] {
                let k = k.min(n - 1);
                let i = k % inner;
                let term = |j: usize| (TAU * (j as u64 * k as u64 % n as u64) as f64 / n as f64).sin_cos();
                let signal = |j: usize, part: usize| f64::from(x[2 * (j * inner + i) + part]);
                let total = |value: &dyn Fn(usize) -> f64| sum(&(0..n).map(value).collect::<Vec<_>>());
                let parts = [
                    total(&|j| signal(j, 0) * term(j).1 + signal(j, 1) * term(j).0),
                    total(&|j| signal(j, 1) * term(j).1 - signal(j, 0) * term(j).0),
                ];
                let value = |j: usize| f64::from(x[j * inner + i]);
                let parts_of_real = [total(&|j| value(j) * term(j).1), total(&|j| -value(j) * term(j).0)];
                let at = 2 * (k * inner + i);
                let off = distance(&found[at..at + 2], &parts) / size;
                assert!(off < 4.0 * tolerance(n), "element {k} of {n} x {inner} is off by {off:e}");
                if k <= n / 2 {
                    let off = distance(&real[at..at + 2], &parts_of_real) / size;
                    assert!(off < 4.0 * tolerance(n), "element {k} of real {n} x {inner} is off by {off:e}");
                }
            }
        }
    }
}

/// Imaginary parts that would make the result complex are not read.
pub fn imaginary_parts_of_their_own_images_do_not_count<B: Backend>(device: &B::Device) {
    let tensor =
        |values: Vec<f32>, shape: &[usize]| B::from_data(TensorData::new(values, Shape::from(shape)), device);
    let values = read::<B>;
    for n in [2, 5, 8, 122, 2048, 16_384] {
        let mut half = noise(2 * (n / 2 + 1));
        let call =
            |half: &[f32]| values(B::fft(FftOp::Half { n }, tensor(half.to_vec(), &[n / 2 + 1, 2]), 0));
        half[1] = 0.0;
        if n % 2 == 0 {
            half[n + 1] = 0.0;
        }
        let expected = call(&half);
        half[1] = f32::NAN;
        if n % 2 == 0 {
            half[n + 1] = f32::INFINITY;
        }
        assert_eq!(call(&half), expected, "{n}");
    }
}

/// Cubes that have several lines, of which the last one has fewer.
pub fn many_lines_are_like_one<B: Backend>(device: &B::Device) {
    let tensor =
        |values: Vec<f32>, shape: &[usize]| B::from_data(TensorData::new(values, Shape::from(shape)), device);
    let values = read::<B>;
    for n in [139, 200] {
        let lines = 64 * (2048 / n) + 3;
        for [outer, inner] in [[lines, 1], [1, lines], [2, lines]] {
            let line = noise(2 * n);
            let spread = |values: &[f64], of: usize| -> Vec<f64> {
                let elements = values.chunks(of).flat_map(|element| element.repeat(inner));
                elements.collect::<Vec<f64>>().repeat(outer)
            };
            let wide: Vec<f64> = line.iter().map(|&x| x.into()).collect();
            let all = |values: &[f64], of| spread(values, of).into_iter().map(|x| x as f32).collect();
            let one = values(B::fft(FftOp::Forward, tensor(line.clone(), &[1, n, 1, 2]), 1));
            let found = values(B::fft(FftOp::Forward, tensor(all(&wide, 2), &[outer, n, inner, 2]), 1));
            let off = distance(&found, &spread(&one, 2)) / root_mean_square(&one);
            assert!(off < tolerance(n), "{outer} x {n} x {inner} is off by {off:e}");
            let one = values(B::fft(FftOp::Real, tensor(line[..n].to_vec(), &[1, n, 1]), 1));
            let found = B::fft(FftOp::Real, tensor(all(&wide[..n], 1), &[outer, n, inner]), 1);
            let off = distance(&values(found.clone()), &spread(&one, 2)) / root_mean_square(&one);
            assert!(off < tolerance(n), "real {outer} x {n} x {inner} is off by {off:e}");
            let found = values(B::fft(FftOp::Half { n }, found, 1));
            let expected: Vec<f64> = spread(&wide[..n], 1).iter().map(|x| x * n as f64).collect();
            let off = distance(&found, &expected) / n as f64;
            assert!(off < 4.0 * tolerance(n), "back {outer} x {n} x {inner} is off by {off:e}");
        }
    }
}
