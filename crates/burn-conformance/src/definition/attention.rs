use super::Expected;
use crate::array::Array;
use crate::number::Number;
use crate::tolerance;
use burn_backend::{AttentionArgs, AttentionGradArgs, DType, HasSpec, TensorSpec, attention_dtype};

/// Operands of attention, and the bound of its scores.
struct Scene<'a> {
    args: AttentionArgs<&'a Array>,
    /// Largest sum of magnitudes of the terms of a score.
    size: f64,
}

/// A query of a head.
#[derive(Clone, Copy)]
struct Place {
    batch: usize,
    head: usize,
    query: usize,
}

/// Softmax of one query over the keys.
struct Look {
    weights: Vec<f64>,
    log_sum: f64,
}

impl<'a> Scene<'a> {
    fn new(args: AttentionArgs<&'a Array>) -> Self {
        let terms = args.query.shape()[3] as f64 * largest(args.query) * largest(args.key);
        let added = args.mask.filter(|mask| mask.dtype() != DType::Bool).map_or(0.0, largest);
        Scene { size: 1.0 + terms * args.scale.abs() + added, args }
    }

    fn places(&self) -> impl Iterator<Item = Place> + use<> {
        let [batches, heads, queries] = [0, 1, 2].map(|dim| self.args.query.shape()[dim]);
        (0..batches * heads * queries).map(move |at| Place {
            batch: at / (heads * queries),
            head: at / queries % heads,
            query: at % queries,
        })
    }

    fn keys(&self) -> usize {
        self.args.key.shape()[2]
    }

    fn key_head(&self, at: Place) -> usize {
        at.head / (self.args.query.shape()[1] / self.args.key.shape()[1])
    }

    /// The elements of one row of `x`, which has rows for queries.
    fn row(&self, x: &Array, at: Place) -> Vec<f64> {
        (0..x.shape()[3]).map(|k| x.at(&[at.batch, at.head, at.query, k]).to_f64()).collect()
    }

    /// The elements of one row of `x`, which has rows for keys.
    fn key_row(&self, x: &Array, at: Place, key: usize) -> Vec<f64> {
        (0..x.shape()[3]).map(|k| x.at(&[at.batch, self.key_head(at), key, k]).to_f64()).collect()
    }

    fn score(&self, at: Place, key: usize) -> f64 {
        let args = &self.args;
        let score = args.scale * dot(&self.row(args.query, at), &self.key_row(args.key, at, key));
        if args.causal && key > at.query {
            return f64::NEG_INFINITY;
        }
        match args.mask.map(|mask| mask.at(&[at.batch, at.head, at.query, key])) {
            Some(Number::Bool(true)) => f64::NEG_INFINITY,
            Some(Number::Bool(false)) | None => score,
            Some(added) => score + added.to_f64(),
        }
    }

    fn look(&self, at: Place) -> Look {
        let scores: Vec<f64> = (0..self.keys()).map(|key| self.score(at, key)).collect();
        if scores.iter().all(|&score| score == f64::NEG_INFINITY) {
            return Look { weights: vec![0.0; self.keys()], log_sum: 0.0 };
        }
        let max = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = scores.iter().map(|score| (score - max).exp()).collect();
        let sum: f64 = weights.iter().sum();
        Look { weights: weights.iter().map(|weight| weight / sum).collect(), log_sum: max + sum.ln() }
    }
}

fn dot(xs: &[f64], ys: &[f64]) -> f64 {
    xs.iter().zip(ys).map(|(x, y)| x * y).sum()
}

fn largest(x: &Array) -> f64 {
    x.values.iter().map(|x| x.to_f64().abs()).filter(|x| x.is_finite()).fold(0.0, f64::max)
}

fn expected(spec: TensorSpec, values: Vec<f64>, terms: usize, size: f64) -> Expected {
    let values = values.into_iter().map(Number::Float).collect();
    Expected { array: Array { spec, values }, tolerance: tolerance::attention(terms, size) }
}

pub fn attention(args: &AttentionArgs<Array>) -> (Expected, Expected) {
    let scene = Scene::new(args.by_ref());
    let size_out = args.value.shape()[3];
    let (mut values, mut logs) = (Vec::new(), Vec::new());
    for at in scene.places() {
        let look = scene.look(at);
        let mut row = vec![0.0; size_out];
        for (key, weight) in look.weights.iter().enumerate() {
            add(&mut row, *weight, &scene.key_row(&args.value, at, key));
        }
        values.extend(row);
        logs.push(look.log_sum);
    }
    let dtype = args.query.dtype();
    let shape = args.query.shape().with(3, size_out);
    let terms = scene.keys() + args.query.shape()[3];
    let result =
        expected(TensorSpec::new(shape.clone(), dtype), values, terms, scene.size * largest(&args.value));
    let spec = TensorSpec::new(&shape[..3], attention_dtype(dtype));
    (result, expected(spec, logs, terms, scene.size))
}

fn add(sum: &mut [f64], factor: f64, row: &[f64]) {
    sum.iter_mut().zip(row).for_each(|(sum, x)| *sum += factor * x);
}

/// The three gradients. `output` and `log_sums` follow from the other operands, and are not read.
pub fn attention_grad(args: &AttentionGradArgs<Array>) -> (Expected, Expected, Expected) {
    let AttentionGradArgs { grad, query, key, value, mask, causal, scale, .. } = args;
    let (mask, causal, scale) = (mask.as_ref(), *causal, *scale);
    let scene = Scene::new(AttentionArgs { query, key, value, mask, causal, scale });
    let zeros = |x: &Array| vec![0.0; x.values.len()];
    let (mut query_grad, mut key_grad, mut value_grad) = (Vec::new(), zeros(key), zeros(value));
    // The most that one key is looked at.
    let mut looks = vec![0.0; key.shape()[..3].iter().product()];
    for at in scene.places() {
        let (look, given) = (scene.look(at), scene.row(grad, at));
        let sloped: Vec<f64> =
            (0..scene.keys()).map(|key| dot(&given, &scene.key_row(value, at, key))).collect();
        let level = dot(&look.weights, &sloped);
        let mut row = vec![0.0; query.shape()[3]];
        for (place, (&weight, slope)) in look.weights.iter().zip(sloped).enumerate() {
            let slope = scale * weight * (slope - level);
            add(&mut row, slope, &scene.key_row(key, at, place));
            let line = (at.batch * key.shape()[1] + scene.key_head(at)) * scene.keys() + place;
            let (size, size_out) = (key.shape()[3], value.shape()[3]);
            add(&mut key_grad[line * size..][..size], slope, &scene.row(query, at));
            add(&mut value_grad[line * size_out..][..size_out], weight, &given);
            looks[line] += weight;
        }
        query_grad.extend(row);
    }
    let looks = looks.into_iter().fold(1.0, f64::max);
    let (slope, terms) = (value.shape()[3] as f64 * largest(grad) * largest(value), scene.keys());
    let size = scene.size * scale.abs() * slope;
    let rows = query.shape()[1] * query.shape()[2];
    (
        expected(query.spec().clone(), query_grad, terms, size * largest(key)),
        expected(key.spec().clone(), key_grad, terms + rows, size * looks * largest(query)),
        expected(value.spec().clone(), value_grad, terms + rows, scene.size * looks * largest(grad)),
    )
}
