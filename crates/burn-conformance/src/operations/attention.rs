//! Scaled dot-product attention and its gradients.

use super::*;

/// Checks of [`Family::Attention`].
pub struct AttentionChecks;

impl AttentionChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(args: &AttentionArgs<Array>) -> Outputs<Expected> {
        attention(args).into()
    }
}

impl OperationChecks for AttentionChecks {
    fn cases(&self, emit: Emit<'_>) {
        sweep(|name, dtype, args| {
            emit(Case::new(name, dtype, Operation::Attention(Attention::Attention(Box::new(args)))))
        });
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        vec![Operation::Attention(Attention::Attention(Box::new(large(dtype))))]
    }

    fn gradients(&self) -> Vec<GradientCall> {
        gradients(|args| Attention::Attention(Box::new(args)))
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        Operation::Attention(Attention::Attention(Box::new(random(calls).0)))
    }
}

/// Checks of [`Family::AttentionGrad`].
pub struct AttentionGradChecks;

impl AttentionGradChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(args: &AttentionGradArgs<Array>) -> Outputs<Expected> {
        attention_grad(args).into()
    }
}

impl OperationChecks for AttentionGradChecks {
    fn cases(&self, emit: Emit<'_>) {
        sweep(|name, dtype, args| {
            let shape: Shape = args.query.spec().shape.with(3, args.value.spec().shape[3]);
            let grad = spread(shape, dtype, 1.25, -0.75).laid_out(args.query.layout);
            emit(Case::new(
                name,
                dtype,
                Operation::Attention(Attention::AttentionGrad(Box::new(gradients_of(args, grad)))),
            ));
        });
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        let AttentionArgs { query, key, value, mask, causal, scale } = large(dtype);
        let [grad, output] = [value.clone(), value.clone()];
        let log_sums = spec([1, 2, 500], attention_dtype(dtype));
        let args = AttentionGradArgs { grad, query, key, value, output, log_sums, mask, causal, scale };
        vec![Operation::Attention(Attention::AttentionGrad(Box::new(args)))]
    }

    fn gradients(&self) -> Vec<GradientCall> {
        gradients(|args| {
            let grad = spread([1, 2, 3, 3], F, 1.3, -1.1);
            Attention::AttentionGrad(Box::new(gradients_of(args, grad)))
        })
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let (args, shape) = random(calls);
        let AttentionArgs { query, key, value, mask, causal, scale } = args;
        let grad = calls.exactly(shape.into(), query.dtype);
        let log_sums = calls.exactly(Shape::from(&shape[..3]), attention_dtype(query.dtype));
        let output = grad.clone();
        let args = AttentionGradArgs { grad, query, key, value, output, log_sums, mask, causal, scale };
        Operation::Attention(Attention::AttentionGrad(Box::new(args)))
    }
}

/// `[batch, heads, key_heads, queries, keys, size, size_out]`: ordinary ones, those of one element or none,
/// tiles of queries and keys that are whole, and those that are not, and few queries of heads that share
/// keys.
const SIZES: [[usize; 7]; 15] = [
    [2, 3, 3, 4, 5, 3, 2],
    [1, 4, 2, 3, 7, 4, 5],
    [1, 1, 1, 1, 1, 1, 1],
    [1, 2, 1, 1, 70, 8, 8],
    [1, 2, 1, 2, 195, 35, 8],
    [1, 1, 1, 50, 67, 5, 17],
    [1, 1, 1, 3, 200, 4, 18],
    [2, 4, 2, 1, 130, 8, 8],
    [1, 6, 3, 2, 64, 12, 12],
    [1, 2, 2, 3, 0, 4, 5],
    [1, 2, 2, 0, 3, 4, 5],
    [0, 2, 2, 2, 3, 4, 5],
    [1, 0, 2, 2, 3, 4, 5],
    [1, 2, 2, 3, 4, 0, 5],
    [1, 2, 2, 3, 4, 5, 0],
];

type Args = AttentionArgs<Input>;

fn plain([batch, heads, key_heads, queries, keys, size, size_out]: [usize; 7], dtype: DType) -> Args {
    let query = spread([batch, heads, queries, size], dtype, -1.5, 2.0);
    let key = spread([batch, key_heads, keys, size], dtype, 1.75, -1.25);
    let value = ordinary([batch, key_heads, keys, size_out], dtype);
    AttentionArgs { query, key, value, mask: None, causal: false, scale: 0.375 }
}

/// Masks for scores of this shape, each with dimensions that it repeats along.
fn masks(scores: [usize; 4], dtype: DType) -> [(&'static str, Input); 4] {
    let [batch, heads, queries, keys] = scores;
    let mut holes = spread([batch, 1, queries, keys], dtype, -2.0, 1.0).array();
    let hidden = Number::Float(f64::NEG_INFINITY);
    holes.values.iter_mut().step_by(3).for_each(|x| *x = hidden);
    // The first query sees nothing.
    holes.values.iter_mut().take(keys).for_each(|x| *x = hidden);
    [
        ("hidden", spread(scores, DType::Bool, 0.0, 1.0)),
        ("hidden keys", spread([batch, 1, 1, keys], DType::Bool, 0.0, 1.0)),
        ("added", spread([1, heads, queries, 1], dtype, 1.5, -1.0)),
        ("added with holes", Input::new(holes.to_data())),
    ]
}

fn sweep(mut f: impl FnMut(String, DType, Args)) {
    for dtype in floats() {
        for sizes in SIZES {
            let [batch, heads, _, queries, keys, ..] = sizes;
            f(format!("{sizes:?}"), dtype, plain(sizes, dtype));
            f(format!("{sizes:?}, causal"), dtype, AttentionArgs { causal: true, ..plain(sizes, dtype) });
            for (name, mask) in masks([batch, heads, queries, keys], dtype) {
                let causal = name == "hidden keys";
                let args = AttentionArgs { mask: Some(mask), causal, ..plain(sizes, dtype) };
                f(format!("{sizes:?}, {name}"), dtype, args);
            }
        }
        for layout in MemoryLayout::ALL {
            let mask = spread([2, 3, 4, 5], DType::Bool, 0.0, 1.0);
            let args = AttentionArgs { mask: Some(mask), ..plain(SIZES[0], dtype) };
            f(format!("{layout:?}"), dtype, args.map(|x| x.laid_out(layout)));
        }
    }
    let columns = |values: [f64; 3], size: usize| {
        let repeated: Vec<Number> =
            values.iter().flat_map(|value| vec![Number::Float(*value); size]).collect();
        let mut array = list(&repeated, DType::F32).array();
        array.spec.shape = [1, 1, 3, size].into();
        Input::new(array.to_data())
    };
    let of = |query, key, size| {
        let (query, key) = (columns(query, size), columns(key, size));
        let value = columns([0.5, 2.0, -1.0], size);
        AttentionArgs { query, key, value, mask: None, causal: false, scale: 1.0 }
    };
    for size in [1, 4] {
        f(format!("NaN {size}"), DType::F32, of([0.5, f64::NAN, 1.0], [1.0, 2.0, 3.0], size));
        f(format!("far scores {size}"), DType::F32, of([100.0, -100.0, 1e-3], [5.0, -40.0, 30.0], size));
    }
    let large = AttentionArgs { causal: true, ..plain([1, 2, 1, 100, 230, 9, 17], DType::F32) };
    f("large".into(), DType::F32, large);
    f("large".into(), DType::F64, plain([1, 1, 1, 60, 200, 6, 9], DType::F64));
}

/// The gradients of an attention whose result has the gradient `grad`.
pub fn gradients_of(args: Args, grad: Input) -> AttentionGradArgs<Input> {
    let results = AttentionChecks::evaluate(&args.map_ref(Input::array)).two();
    let [output, log_sums] = [results.0, results.1].map(|result| Input::new(result.array.to_data()));
    let AttentionArgs { query, key, value, mask, causal, scale } = args;
    AttentionGradArgs { grad, query, key, value, output, log_sums, mask, causal, scale }
}

/// Operands of attention, and the bound of its scores.
struct Scene<'a> {
    args: AttentionArgs<&'a Array>,
    /// Largest sum of magnitudes of the terms of a score.
    size: f64,
}

/// A query of a head.
#[derive(Clone, Copy)]
struct QueryIndex {
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

    fn places(&self) -> impl Iterator<Item = QueryIndex> + use<> {
        let [batches, heads, queries] = [0, 1, 2].map(|dim| self.args.query.shape()[dim]);
        (0..batches * heads * queries).map(move |at| QueryIndex {
            batch: at / (heads * queries),
            head: at / queries % heads,
            query: at % queries,
        })
    }

    fn keys(&self) -> usize {
        self.args.key.shape()[2]
    }

    fn key_head(&self, at: QueryIndex) -> usize {
        at.head / (self.args.query.shape()[1] / self.args.key.shape()[1])
    }

    /// The elements of one row of `x`, which has rows for queries.
    fn row(&self, x: &Array, at: QueryIndex) -> Vec<f64> {
        (0..x.shape()[3]).map(|k| x.at(&[at.batch, at.head, at.query, k]).to_f64()).collect()
    }

    /// The elements of one row of `x`, which has rows for keys.
    fn key_row(&self, x: &Array, at: QueryIndex, key: usize) -> Vec<f64> {
        (0..x.shape()[3]).map(|k| x.at(&[at.batch, self.key_head(at), key, k]).to_f64()).collect()
    }

    fn score(&self, at: QueryIndex, key: usize) -> f64 {
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

    fn look(&self, at: QueryIndex) -> Look {
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

fn attention(args: &AttentionArgs<Array>) -> (Expected, Expected) {
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
fn attention_grad(args: &AttentionGradArgs<Array>) -> (Expected, Expected, Expected) {
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

fn large(dtype: DType) -> AttentionArgs<TensorSpec> {
    let heads = |size| spec([1, 2, 500, size], dtype);
    let (query, key, value) = (heads(64), heads(64), heads(48));
    AttentionArgs { query, key, value, mask: None, causal: true, scale: 0.125 }
}

/// Returns a call with each kind of mask.
fn gradients(op: impl Fn(AttentionArgs<Input>) -> Attention<Input>) -> Vec<GradientCall> {
    let hidden = [0, 1, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0].map(i128::from);
    // The third query sees nothing.
    let masks = [
        ("plain", None, false),
        ("causal", None, true),
        ("hidden", Some(bool_values(&hidden, [1, 1, 3, 4])), false),
        ("added", Some(spread([1, 2, 3, 4], F, -0.9, 1.1)), true),
    ];
    let calls = masks.map(|(name, mask, causal)| {
        let (query, key) = (signed([1, 2, 3, 2]), spread([1, 1, 4, 2], F, -1.2, 1.5));
        let value = spread([1, 1, 4, 3], F, 1.7, -0.9);
        let args = AttentionArgs { query, key, value, mask, causal, scale: 0.6 };
        call(name, Operation::Attention(op(args)))
    });
    calls.into()
}

/// Draws operands, and the shape of the result.
fn random(calls: &mut Calls<'_>) -> (AttentionArgs<TensorSpec>, [usize; 4]) {
    let query = calls.float_of_rank(4);
    let dim = |dim: usize| query.shape.get(dim).copied().unwrap_or(1);
    let [batch, heads, queries, size] = [0, 1, 2, 3].map(dim);
    let [key_heads, keys, size_out] = [if calls.flag() { heads } else { 1 }, 5, 3]
        .map(|most| if calls.random.chance(70) { most } else { calls.random.number(most) });
    let key = calls.exactly([batch, key_heads, keys, size].into(), query.dtype);
    let value = calls.exactly([batch, key_heads, keys, size_out].into(), query.dtype);
    let mask = calls.flag().then(|| {
        let shape = calls.shape_like(&Shape::from([batch, heads, queries, keys]));
        let dtype = if calls.random.chance(50) { DType::Bool } else { query.dtype };
        calls.exactly(shape, dtype)
    });
    let causal = calls.flag();
    let scale = calls.random.pick(&[0.5, 0.0, -1.0, f64::NAN]);
    (AttentionArgs { query, key, value, mask, causal, scale }, [batch, heads, queries, size_out])
}
