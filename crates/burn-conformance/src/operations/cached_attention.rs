//! Attention with a cache.

use super::attention::AttentionChecks;
use super::*;

/// Checks of [`Family::CachedAttention`].
pub struct CachedAttentionChecks;

impl CachedAttentionChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(args: &CachedAttentionArgs<Array>) -> Outputs<Expected> {
        let &CachedAttentionArgs { start, step, keys, .. } = args;
        let AttentionArgs { query, key, value, .. } = &args.attention;
        let query = rotated(query, args);
        let key_cache = written(key, &rotated(&args.key, args), &args.places);
        let value_cache = written(value, &args.value, &args.places);
        let runs = |cache: &Array| {
            let shape = Shape::from([query.shape()[0], cache.shape()[0], keys, query.shape()[3]]);
            let row = |i: &[usize]| [i[1], start + i[0] * step + i[2], i[3]];
            Array::build(shape, cache.dtype(), |i| cache.at(&row(i)))
        };
        let (key, value) = (runs(&key_cache), runs(&value_cache));
        let args = AttentionArgs { query: query.clone(), key, value, ..args.attention.clone() };
        let context = AttentionChecks::evaluate(&args).two().0;
        let cache = |array: Array| {
            let largest = array.values.iter().map(|x| x.to_f64().abs()).fold(1.0, f64::max);
            Expected { array, tolerance: tolerance::attention(2, largest) }
        };
        Outputs::Three(context, cache(key_cache), cache(value_cache))
    }
}

/// The cache with a row of each sequence at its place.
fn written(cache: &Array, rows: &Array, places: &Array) -> Array {
    let mut out = cache.clone();
    for i in indices(rows.shape()) {
        *out.at_mut(&[i[1], places.values[i[0]].index(), i[2]]) = rows.at(&i);
    }
    out
}

/// Heads whose first elements are rotated.
fn rotated(x: &Array, args: &CachedAttentionArgs<Array>) -> Array {
    let (rotation, count, last) = (&args.rotation, args.rotation.shape()[2], x.shape().rank() - 1);
    Array::build(x.shape().clone(), x.dtype(), |i| {
        let column = i[last];
        if column >= count {
            return x.at(i);
        }
        let other = if args.interleaved { column ^ 1 } else { (column + count / 2) % count };
        let [cos, sin] = [0, 1].map(|row| rotation.at(&[i[0], row, column]).to_f64());
        let partner = x.at(&replace(i, last, other)).to_f64();
        Number::Float(x.at(i).to_f64() * cos + partner * sin)
    })
}

impl OperationChecks for CachedAttentionChecks {
    fn cases(&self, emit: Emit<'_>) {
        for dtype in floats() {
            for sizes in SIZES {
                let [sequences, .., keys, _, _] = sizes;
                let mask = spread([sequences, 1, 1, keys], DType::Bool, 0.0, 1.0);
                let mut hidden = plain(sizes, dtype, true, DType::I64);
                hidden.attention.mask = Some(mask);
                emit(Case::new(format!("{sizes:?}, hidden"), dtype, operation(hidden)));
                let args = plain(sizes, dtype, false, DType::I32);
                emit(Case::new(format!("{sizes:?}"), dtype, operation(args)));
            }
            for layout in MemoryLayout::ALL {
                let args = plain(SIZES[0], dtype, false, DType::I64).map(|x| x.laid_out(layout));
                emit(Case::new(format!("{layout:?}"), dtype, operation(args)));
            }
        }
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        let cache = || spec([2, 4000, 64], dtype);
        let query = spec([1, 4, 1, 64], dtype);
        let args = CachedAttentionArgs {
            key: spec([1, 2, 64], dtype),
            places: spec([1], DType::I64),
            value: spec([1, 2, 64], dtype),
            rotation: spec([1, 2, 64], dtype),
            interleaved: false,
            start: 0,
            step: 4000,
            keys: 4000,
            attention: AttentionArgs {
                query,
                key: cache(),
                value: cache(),
                mask: None,
                causal: false,
                scale: 0.125,
            },
        };
        vec![operation(args)]
    }

    fn gradients(&self) -> Vec<GradientCall> {
        let calls = [("halves", false), ("neighbours", true)].map(|(name, interleaved)| {
            call(name, operation(plain([1, 2, 1, 4, 4, 2], F, interleaved, DType::I64)))
        });
        calls.into()
    }

    /// One sequence: the place of another one may be among its keys.
    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let mut query = calls.float_of_rank(4);
        for dim in [0, 2] {
            if let Some(size) = query.shape.get_mut(dim) {
                *size = 1;
            }
        }
        let dim = |dim: usize| query.shape.get(dim).copied().unwrap_or(1);
        let ([heads, size], dtype) = ([1, 3].map(dim), query.dtype);
        let key_heads = if calls.flag() { heads } else { 1 };
        let [key, value] = [(); 2].map(|()| calls.exactly([1, key_heads, size].into(), dtype));
        let [start, keys, rest] = [3, 5, 2].map(|most| calls.random.below(most));
        let shape = Shape::from([key_heads, start + keys + rest + 1, size]);
        let [key_cache, value_cache] = [(); 2].map(|()| calls.exactly(shape.clone(), dtype));
        let index = calls.index();
        let places = calls.exactly([1].into(), index);
        let rotated = if calls.flag() { size / 2 * 2 } else { 0 };
        let rotation = calls.exactly([1, 2, rotated].into(), dtype);
        let mask = calls.flag().then(|| calls.exactly([1, 1, 1, keys].into(), DType::Bool));
        let scale = calls.random.pick(&[0.5, 0.0, -1.0]);
        let attention =
            AttentionArgs { query, key: key_cache, value: value_cache, mask, causal: false, scale };
        let (interleaved, step) = (calls.flag(), keys);
        operation(CachedAttentionArgs {
            key,
            places,
            value,
            rotation,
            interleaved,
            start,
            step,
            keys,
            attention,
        })
    }
}

type Args = CachedAttentionArgs<Input>;

fn operation<T>(args: CachedAttentionArgs<T>) -> Operation<T> {
    Operation::Attention(Attention::CachedAttention(Box::new(args)))
}

/// `[sequences, heads, key_heads, keys, size, rotated]`: heads that share keys, one piece of keys and
/// several, whole vectors of elements and others, rotations of all elements, some and none, and no elements.
const SIZES: [[usize; 6]; 9] = [
    [2, 4, 2, 70, 32, 32],
    [1, 8, 2, 130, 64, 64],
    [3, 3, 3, 64, 16, 8],
    [2, 2, 1, 5, 8, 0],
    [1, 2, 1, 3, 6, 4],
    [1, 1, 1, 1, 1, 0],
    [0, 2, 2, 3, 8, 8],
    [1, 0, 1, 3, 8, 8],
    [1, 2, 1, 3, 0, 0],
];

/// Rows at the last keys of each sequence but one more each, in a cache with others around.
fn plain(
    [sequences, heads, key_heads, keys, size, rotated]: [usize; 6],
    dtype: DType,
    interleaved: bool,
    index: DType,
) -> Args {
    let (start, step) = (2, keys + 1);
    let places: Vec<i128> =
        (0..sequences).map(|k| (start + k * step + (keys - 1).saturating_sub(k)) as i128).collect();
    let cache = [key_heads, start + sequences * step + 1, size];
    let attention = AttentionArgs {
        query: spread([sequences, heads, 1, size], dtype, -1.5, 2.0),
        key: spread(cache, dtype, -1.0, 1.5),
        value: spread(cache, dtype, 2.0, -2.5),
        mask: None,
        causal: false,
        scale: 0.125,
    };
    CachedAttentionArgs {
        key: spread([sequences, key_heads, size], dtype, 1.75, -1.25),
        places: given(&places, [sequences], index),
        value: ordinary([sequences, key_heads, size], dtype),
        rotation: spread([sequences, 2, rotated], dtype, -0.9, 1.0),
        interleaved,
        start,
        step,
        keys,
        attention,
    }
}
