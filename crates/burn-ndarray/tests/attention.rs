//! Attention without a matrix of scores: what it takes, and what it gives in closed form.

use burn_backend::*;
use burn_ndarray::{NdArray, NdTensor};

type Leaf = NdArray<f32>;

fn tensor(shape: [usize; 4], at: impl Fn(usize) -> f64) -> NdTensor {
    let values: Vec<f32> = (0..shape.iter().product()).map(|k| at(k) as f32).collect();
    Leaf::from_data(TensorData::new(values, shape), &Default::default())
}

fn values(x: NdTensor) -> Vec<f64> {
    block_on(Leaf::into_data(x)).expect("ready").expect("readable").to_f64()
}

/// Queries of zeros look at all keys alike.
fn alike(causal: bool, [queries, keys]: [usize; 2]) -> (Vec<f64>, Vec<f64>) {
    let zeros = |rows| tensor([1, 1, rows, 3], |_| 0.0);
    let value = tensor([1, 1, keys, 1], |key| key as f64);
    let (query, key) = (zeros(queries), zeros(keys));
    let args = AttentionArgs { query, key, value, mask: None, causal, scale: 1.0 };
    let (result, log_sums) = Leaf::attention(args);
    (values(result), values(log_sums))
}

#[track_caller]
fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-5 * expected.abs().max(1.0), "found {found}, expected {expected}");
}

#[test]
fn attention_to_equal_keys_is_their_mean() {
    for keys in [1, 2, 47, 192, 193, 1000] {
        let (result, log_sums) = alike(false, [5, keys]);
        for (result, log_sum) in result.into_iter().zip(log_sums) {
            near(result, (keys - 1) as f64 / 2.0);
            near(log_sum, (keys as f64).ln());
        }
    }
}

#[test]
fn attention_that_is_causal_is_a_running_mean() {
    for sizes in [[500, 500], [300, 700], [700, 300]] {
        let (result, log_sums) = alike(true, sizes);
        for (query, (result, log_sum)) in result.into_iter().zip(log_sums).enumerate() {
            let seen = (query + 1).min(sizes[1]);
            near(result, (seen - 1) as f64 / 2.0);
            near(log_sum, (seen as f64).ln());
        }
    }
}

#[test]
fn attention_to_one_large_key_is_its_value() {
    let keys = 400;
    let query = tensor([1, 1, 1, 2], |_| 30.0);
    for place in [0, 191, 192, 399] {
        let key = tensor([1, 1, keys, 2], |at| f64::from(u8::from(at / 2 == place)) * 2.0);
        let value = tensor([1, 1, keys, 1], |key| key as f64);
        let args = AttentionArgs { query: query.clone(), key, value, mask: None, causal: false, scale: 1.0 };
        near(values(Leaf::attention(args).0)[0], place as f64);
    }
}

/// The most memory that this process has had, in bytes.
#[cfg(target_os = "linux")]
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux has it");
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("the line is there");
    let digits: String = line.chars().filter(char::is_ascii_digit).collect();
    digits.parse::<usize>().expect("a number of KiB") << 10
}

#[test]
#[cfg(target_os = "linux")]
fn attention_takes_no_memory_for_scores() {
    const LONG: usize = 4096;
    let rows = |step: f64| tensor([1, 1, LONG, 4], move |k| (k as f64 * step).sin());
    let (query, key, value) = (rows(0.3), rows(0.7), rows(1.1));
    let args = AttentionArgs { query, key, value, mask: None, causal: false, scale: 0.5 };
    let before = peak();
    let (output, log_sums) = Leaf::attention(args.clone());
    let AttentionArgs { query, key, value, mask, causal, scale } = args;
    let grad = rows(0.9);
    let args = AttentionGradArgs { grad, query, key, value, output, log_sums, mask, causal, scale };
    let _gradients = Leaf::attention_grad(args);
    let taken = peak() - before;
    let scores = LONG * LONG * size_of::<f32>();
    assert!(taken < scores / 4, "{taken} bytes; the scores would be {scores}");
}
