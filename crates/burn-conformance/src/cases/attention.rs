use super::{Emit, floats};
use crate::Case;
use crate::definition::evaluate;
use crate::input::{Input, MemoryLayout, list, ordinary, spread};
use crate::number::Number;
use burn_backend::{Attention, AttentionArgs, AttentionGradArgs, DType, Operation, Shape};

/// `[batch, heads, key_heads, queries, keys, size, size_out]`: ordinary ones, those of one element or none, tiles of
/// queries and keys that are whole, and those that are not.
const SIZES: [[usize; 7]; 13] = [
    [2, 3, 3, 4, 5, 3, 2],
    [1, 4, 2, 3, 7, 4, 5],
    [1, 1, 1, 1, 1, 1, 1],
    [1, 2, 1, 1, 70, 8, 8],
    [1, 2, 1, 2, 195, 35, 8],
    [1, 1, 1, 50, 67, 5, 17],
    [1, 1, 1, 3, 200, 4, 18],
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
    let column = |values: [f64; 3]| {
        let mut array = list(&values.map(Number::Float), DType::F32).array();
        array.spec.shape = [1, 1, 3, 1].into();
        Input::new(array.to_data())
    };
    let of = |query, key| {
        let (query, key) = (column(query), column(key));
        let value = column([0.5, 2.0, -1.0]);
        AttentionArgs { query, key, value, mask: None, causal: false, scale: 1.0 }
    };
    f("NaN".into(), DType::F32, of([0.5, f64::NAN, 1.0], [1.0, 2.0, 3.0]));
    f("far scores".into(), DType::F32, of([100.0, -100.0, 1e-3], [5.0, -40.0, 30.0]));
    let large = AttentionArgs { causal: true, ..plain([1, 2, 1, 100, 230, 9, 17], DType::F32) };
    f("large".into(), DType::F32, large);
    f("large".into(), DType::F64, plain([1, 1, 1, 60, 200, 6, 9], DType::F64));
}

pub fn attention(emit: Emit<'_>) {
    sweep(|name, dtype, args| {
        emit(Case::new(name, dtype, Operation::Attention(Attention::Attention(Box::new(args)))))
    });
}

pub fn attention_grad(emit: Emit<'_>) {
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

/// The gradients of an attention whose result has the gradient `grad`.
pub fn gradients_of(args: Args, grad: Input) -> AttentionGradArgs<Input> {
    let results =
        evaluate(&Operation::Attention(Attention::Attention(Box::new(args.by_ref().map(Input::array)))))
            .two();
    let [output, log_sums] = [results.0, results.1].map(|result| Input::new(result.array.to_data()));
    let AttentionArgs { query, key, value, mask, causal, scale } = args;
    AttentionGradArgs { grad, query, key, value, output, log_sums, mask, causal, scale }
}
