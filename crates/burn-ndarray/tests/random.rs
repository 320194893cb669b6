//! Random numbers: their laws, and that they depend on the seed and the calls alone.

use burn_backend::*;
use burn_ndarray::{NdArray, NdTensor};
use std::sync::{Mutex, PoisonError};

type Leaf = NdArray<f32>;

/// The stream of random numbers is one for the whole program.
static STREAM: Mutex<()> = Mutex::new(());

fn draw(seed: u64, count: usize, dtype: DType, distribution: Distribution) -> NdTensor {
    Leaf::seed(seed);
    Leaf::random(TensorSpec::new([count], dtype), distribution, &Default::default())
}

fn values(x: NdTensor) -> Vec<f64> {
    block_on(Leaf::into_data(x)).expect("ready").expect("readable").to_f64()
}

/// Mean and variance.
fn moments(values: &[f64]) -> (f64, f64) {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    (mean, values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / values.len() as f64)
}

#[test]
fn moments_are_those_of_the_law() {
    let _guard = STREAM.lock().unwrap_or_else(PoisonError::into_inner);
    let count = 200_000;
    for dtype in [DType::F64, DType::F32] {
        for (law, mean, variance) in [
            (Distribution::Default, 0.5, 1.0 / 12.0),
            (Distribution::Uniform(-2.0, 4.0), 1.0, 3.0),
            (Distribution::Normal(1.0, 2.0), 1.0, 4.0),
            (Distribution::Bernoulli(0.3), 0.3, 0.21),
        ] {
            let (found_mean, found_variance) = moments(&values(draw(7, count, dtype, law)));
            // Five standard errors of the mean; the variance of a variance is that of a fourth moment.
            let error = 5.0 * (variance / count as f64).sqrt();
            assert!((found_mean - mean).abs() < error, "{law:?} {dtype}: mean {found_mean}");
            assert!(
                (found_variance / variance - 1.0).abs() < 0.02,
                "{law:?} {dtype}: variance {found_variance}"
            );
        }
    }
}

#[test]
fn ranges_are_kept() {
    let _guard = STREAM.lock().unwrap_or_else(PoisonError::into_inner);
    for dtype in [DType::F64, DType::F32, DType::I64, DType::I32, DType::U8] {
        let found = values(draw(3, 50_000, dtype, Distribution::Uniform(1.0, 5.0)));
        assert!(found.iter().all(|x| (1.0..5.0).contains(x)), "{dtype}");
        if dtype.is_int() {
            for wanted in [1.0, 2.0, 3.0, 4.0] {
                let share = found.iter().filter(|&&x| x == wanted).count() as f64 / 50_000.0;
                assert!((share - 0.25).abs() < 0.02, "{dtype}: {wanted} has a share of {share}");
            }
        }
    }
    for (probability, expected) in [(0.0, 0.0), (1.0, 1.0)] {
        let found = values(draw(3, 1000, DType::F32, Distribution::Bernoulli(probability)));
        assert!(found.iter().all(|&x| x == expected));
    }
}

// There are no threads in WebAssembly.
#[cfg(not(target_family = "wasm"))]
#[test]
fn the_same_seed_gives_the_same_numbers_whatever_the_threads() {
    let _guard = STREAM.lock().unwrap_or_else(PoisonError::into_inner);
    for law in [Distribution::Default, Distribution::Normal(0.0, 1.0), Distribution::Bernoulli(0.5)] {
        let many = values(draw(11, 100_003, DType::F32, law));
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool");
        assert_eq!(many, one.install(|| values(draw(11, 100_003, DType::F32, law))));
        // A shorter tensor has the beginning of the same numbers.
        assert_eq!(many[..640], values(draw(11, 640, DType::F32, law))[..]);
        assert_ne!(many, values(draw(12, 100_003, DType::F32, law)));
    }
}

#[test]
fn calls_do_not_repeat_numbers() {
    let _guard = STREAM.lock().unwrap_or_else(PoisonError::into_inner);
    let first = values(draw(5, 64, DType::F32, Distribution::Default));
    let spec = TensorSpec::new([64], DType::F32);
    let second = values(Leaf::random(spec, Distribution::Default, &Default::default()));
    assert!(first.iter().all(|x| !second.contains(x)));
}
