//! Attention to quantized keys and values.

use super::attention::AttentionChecks;
use super::quantization::{numbers, packed};
use super::*;

/// Checks of [`Family::QuantizedAttention`].
pub struct QuantizedAttentionChecks;

impl QuantizedAttentionChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(args: &QuantizedAttentionArgs<Array>) -> Outputs<Expected> {
        let QuantizedAttentionArgs { query, key, value, mask, causal, scale } = args.clone();
        let [key, value] = [key, value].map(|rows| {
            let (shape, scheme) = (rows.shape(), rows.scheme());
            numbers(&Packed { values: rows.words, scale: rows.scale, zero: None, scheme, shape })
        });
        AttentionChecks::evaluate(&AttentionArgs { query, key, value, mask, causal, scale })
    }
}

impl OperationChecks for QuantizedAttentionChecks {
    fn cases(&self, emit: Emit<'_>) {
        let mut of = |name: String, args: Args| {
            let dtype = args.query.data.dtype;
            emit(Case::new(name, dtype, operation(args)));
        };
        for dtype in floats() {
            for sizes in SIZES {
                for scales in [dtype, DType::F16] {
                    let name = format!("{sizes:?}, scales of {}", scales.name());
                    of(name, plain(sizes, dtype, scales));
                }
                let [batch, heads, _, queries, keys, ..] = sizes;
                let causal = Args { causal: true, ..plain(sizes, dtype, DType::F16) };
                of(format!("{sizes:?}, causal"), causal.clone());
                let hidden = spread([batch, 1, queries, keys], DType::Bool, 0.0, 1.0);
                of(format!("{sizes:?}, hidden"), Args { mask: Some(hidden), ..causal });
                let added = Some(spread([1, heads, queries, 1], dtype, 1.5, -1.0));
                of(format!("{sizes:?}, added"), Args { mask: added, ..plain(sizes, dtype, DType::F16) });
            }
            for layout in MemoryLayout::ALL {
                let args = plain(SIZES[0], dtype, DType::F16).map(|x| x.laid_out(layout));
                of(format!("{layout:?}"), args);
            }
        }
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        let rows = || QuantizedRows {
            words: spec([1, 2, 4000, 16], DType::I32),
            scale: spec([1, 2, 4000, 2], DType::F32),
        };
        let query = spec([1, 2, 20, 64], dtype);
        let (key, value) = (rows(), rows());
        vec![operation(QuantizedAttentionArgs { query, key, value, mask: None, causal: false, scale: 0.125 })]
    }

    fn gradients(&self) -> Vec<GradientCall> {
        let added = Some(spread([1, 2, 3, 4], F, -0.9, 1.1));
        let calls = [("plain", None, false), ("added", added, true)].map(|(name, mask, causal)| {
            let (key, value) = (rows([1, 1, 4, 4], 2, F), rows([1, 1, 4, 8], 4, F));
            let query = signed([1, 2, 3, 4]);
            // Numbers are as large as 127: finite differences are near the derivatives of small scores only.
            call(name, operation(QuantizedAttentionArgs { query, key, value, mask, causal, scale: 0.004 }))
        });
        calls.into()
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let mut query = calls.float_of_rank(4);
        // Sizes that are no multiple of four have no words.
        if let Some(size) = query.shape.get_mut(3) {
            *size *= 4;
        }
        let dim = |dim: usize| query.shape.get(dim).copied().unwrap_or(1);
        let [batch, heads, queries, size] = [0, 1, 2, 3].map(dim);
        let keys = calls.random.number(5);
        let mut rows = |words: usize| {
            let blocks = calls.random.pick(&[words, 2 * words, 1]);
            let rows = [batch, heads, keys];
            let last = |count: usize| Shape::from(&[&rows[..], &[count]].concat()[..]);
            let words = calls.exactly(last(words), DType::I32);
            QuantizedRows { words, scale: calls.exactly(last(blocks), DType::F32) }
        };
        let (key, value) = (rows(size / 4), rows(2));
        let hidden = Shape::from([batch, heads, queries, keys]);
        let mask = calls.flag().then(|| calls.exactly(hidden, DType::Bool));
        let (causal, scale) = (calls.flag(), calls.random.pick(&[0.5, 0.0, -1.0]));
        operation(QuantizedAttentionArgs { query, key, value, mask, causal, scale })
    }
}

type Args = QuantizedAttentionArgs<Input>;

fn operation<T>(args: QuantizedAttentionArgs<T>) -> Operation<T> {
    Operation::Attention(Attention::QuantizedAttention(Box::new(args)))
}

/// `[batch, heads, key_heads, queries, keys, size, size_out, block]`: heads that share keys, pieces of keys
/// that are whole, and those that are not, few queries and many, blocks of other sizes than 32, and no
/// elements.
const SIZES: [[usize; 8]; 11] = [
    [2, 4, 2, 1, 130, 32, 64, 32],
    [1, 2, 1, 3, 300, 64, 32, 32],
    [1, 3, 3, 1, 5, 96, 32, 32],
    [1, 1, 1, 8, 128, 32, 32, 32],
    [1, 2, 1, 9, 40, 32, 64, 32],
    [1, 2, 2, 2, 3, 8, 4, 4],
    [1, 2, 1, 1, 17, 12, 24, 6],
    [1, 2, 2, 3, 0, 32, 32, 32],
    [1, 2, 2, 0, 3, 32, 32, 32],
    [0, 2, 2, 2, 3, 32, 32, 32],
    [1, 2, 2, 3, 4, 0, 32, 32],
];

fn plain(
    [batch, heads, key_heads, queries, keys, size, size_out, block]: [usize; 8],
    dtype: DType,
    scales: DType,
) -> Args {
    let query = spread([batch, heads, queries, size], dtype, -1.5, 2.0);
    let key = rows([batch, key_heads, keys, size], block, scales);
    let value = rows([batch, key_heads, keys, size_out], block, scales);
    Args { query, key, value, mask: None, causal: false, scale: 0.125 }
}

/// Rows of numbers of every pattern.
fn rows([batch, heads, keys, size]: [usize; 4], block: usize, dtype: DType) -> QuantizedRows<Input> {
    let scheme = QuantizationScheme::PerTensorSymmetric(QuantizationType::QInt8).per_block(block);
    let Packed { values, scale, .. } = packed(scheme, [batch, heads, keys, size], dtype);
    let shaped = |mut list: Input, last: usize| {
        list.data.shape = [batch, heads, keys, last].into();
        list
    };
    QuantizedRows { words: shaped(values, size / 4), scale: shaped(scale, size / block) }
}
