//! Attention of few queries by its definition in `f64`.

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

/// Numbers without a pattern (Knuth's generator).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn one_of<T: Copy>(&mut self, list: &[T]) -> T {
        list[(self.next() * list.len() as f64) as usize]
    }

    /// A part of a larger tensor, as caches give it: rows are neighbours, heads are apart.
    fn part(&mut self, shape: [usize; 4], dtype: DType) -> NdTensor {
        let [batch, heads, rows, size] = shape;
        let shape = [batch, heads, rows + 3, size];
        let numbers: Vec<f64> = (0..shape.iter().product()).map(|_| self.next() * 4.0 - 2.0).collect();
        let all = tensor(shape, |at| numbers[at]);
        let slices = [0..batch, 0..heads, 2..rows + 2, 0..size].map(Slice::from);
        Leaf::slice(Leaf::cast(all, dtype), slices.into_iter().collect())
    }
}

/// Attention in `f64` by its definition: results, and the logarithms of the sums.
fn defined(
    [query, key, value]: [&NdTensor; 3],
    hides: impl Fn(usize, usize) -> bool,
    scale: f64,
) -> (Vec<f64>, Vec<f64>) {
    let [[batch, heads, queries, size], [_, key_heads, keys, _], [.., size_out]] =
        [query, key, value].map(|x| <[usize; 4]>::try_from(&x.shape()[..]).expect("four dimensions"));
    let [q, k, v] = [query, key, value].map(|x| values(x.clone()));
    let (mut results, mut logs) = (Vec::new(), Vec::new());
    for row in 0..batch * heads * queries {
        let (head, at) = (row / queries, row % queries);
        let key_head = head / heads * key_heads + head % heads / (heads / key_heads);
        let seen: Vec<usize> = (0..keys).filter(|&key| !hides(at, key)).collect();
        let score = |&key: &usize| {
            let dot = (0..size).map(|i| q[row * size + i] * k[(key_head * keys + key) * size + i]);
            scale * dot.sum::<f64>()
        };
        let weights: Vec<f64> = seen.iter().map(|key| score(key).exp()).collect();
        let sum: f64 = weights.iter().sum();
        logs.push(if seen.is_empty() { 0.0 } else { sum.ln() });
        results.extend((0..size_out).map(|i| {
            let parts = seen.iter().zip(&weights);
            let total: f64 = parts.map(|(key, w)| w * v[(key_head * keys + key) * size_out + i]).sum();
            if seen.is_empty() { 0.0 } else { total / sum }
        }));
    }
    (results, logs)
}

#[test]
fn attention_of_few_queries_equals_its_definition_in_f64() {
    let mut random = Random(1);
    for dtype in [DType::F32, DType::F16, DType::BF16, DType::F64].repeat(40) {
        let (batch, key_heads) = (random.one_of(&[1, 2]), random.one_of(&[1, 2, 3]));
        let heads = key_heads * random.one_of(&[1, 2, 5]);
        let (queries, keys) = (random.one_of(&[1, 2, 3, 8]), random.one_of(&[1, 5, 127, 128, 129, 300, 520]));
        let (size, size_out) = (random.one_of(&[1, 7, 16, 40, 64]), random.one_of(&[1, 5, 16, 48, 72]));
        let query = random.part([batch, heads, queries, size], dtype);
        let key = random.part([batch, key_heads, keys, size], dtype);
        let value = random.part([batch, key_heads, keys, size_out], dtype);
        // A window of the last keys, and sometimes a query that sees none.
        let (window, blind) = (random.one_of(&[2, 100, 1000]), random.one_of(&[0, 9]));
        let hides =
            |query: usize, key: usize| query == blind || key + queries > keys + query || key + window < keys;
        let hidden = (0..queries * keys).map(|at| hides(at / keys, at % keys)).collect::<Vec<bool>>();
        let hidden = Leaf::from_data(TensorData::new(hidden, [1, 1, queries, keys]), &Default::default());
        let is_masked = random.one_of(&[true, false]);
        let (expected, expected_logs) =
            defined([&query, &key, &value], |query, key| is_masked && hides(query, key), 0.3);
        let mask = is_masked.then_some(hidden);
        let args = AttentionArgs { query, key, value, mask, causal: false, scale: 0.3 };
        let (found, found_logs) = Leaf::attention(args);
        // Half a unit in the last place of the results, which are at most 2.
        let rounding = match dtype {
            DType::F16 => 1e-3,
            DType::BF16 => 8e-3,
            _ => 2e-5,
        };
        for (found, expected) in values(found).into_iter().zip(expected) {
            assert!((found - expected).abs() < rounding, "{dtype}: found {found}, expected {expected}");
        }
        for (found, expected) in values(found_logs).into_iter().zip(expected_logs) {
            assert!((found - expected).abs() < 1e-4, "{dtype}: found {found}, expected {expected}");
        }
    }
}
