//! Calls whose operands are large beside what every call takes, for measurements of memory: each operation,
//! in element types of every width.

use crate::Family;
use burn_backend::*;

type Op = Operation<TensorSpec>;

/// Sizes of a matrix whose bytes are almost a power of two, as the blocks of allocators are.
const ROWS: usize = 512;
const COLS: usize = 511;

/// Returns calls of `family` with operands of about a mebibyte; none of what is no operation. Operands may
/// have any values, but those of integers are to be 1.
pub fn calls(family: Family) -> Vec<Op> {
    let dtypes = [DType::F32, DType::BF16, DType::U8, DType::F64, DType::I64, DType::Bool];
    // Variants of elementwise operations share what walks over the elements.
    let count = if matches!(family, Family::Unary | Family::Binary | Family::BinaryScalar) { 3 } else { 6 };
    let calls = dtypes[..count].iter().flat_map(|&dtype| of(family, dtype));
    calls.filter(|call| output_specs(call).is_ok()).collect()
}

fn spec(shape: impl Into<Shape>, dtype: DType) -> TensorSpec {
    TensorSpec::new(shape, dtype)
}

fn of(family: Family, dtype: DType) -> Vec<Op> {
    let x = spec([ROWS, COLS], dtype);
    let other = x.clone();
    let column = spec([ROWS, 1], dtype);
    let mask = spec([ROWS, COLS], DType::Bool);
    let indices = spec([ROWS, COLS], DType::I64);
    let list = spec([ROWS], DType::I64);
    let (value, index, dim, descending) = (Scalar::Float(0.5), DType::I64, 0, true);
    let last = 1;
    let half: Slices = [Slice::from(0..ROWS / 2)].into_iter().collect();
    let planes = spec([4, 16, 64, 63], dtype);
    match family {
        Family::Unary => {
            UnaryOp::ALL.map(|op| Operation::Elementwise(Elementwise::Unary { op, x: x.clone() })).into()
        }
        Family::Binary => BinaryOp::ALL
            .into_iter()
            .flat_map(|op| {
                [&other, &column].map(|rhs| {
                    Operation::Elementwise(Elementwise::Binary { op, lhs: x.clone(), rhs: rhs.clone() })
                })
            })
            .collect(),
        Family::BinaryScalar => BinaryOp::ALL
            .map(|op| Operation::Elementwise(Elementwise::BinaryScalar { op, lhs: x.clone(), rhs: value }))
            .into(),
        Family::Compare => CompareOp::ALL
            .map(|op| Operation::Elementwise(Elementwise::Compare { op, lhs: x.clone(), rhs: other.clone() }))
            .into(),
        Family::CompareScalar => CompareOp::ALL
            .map(|op| Operation::Elementwise(Elementwise::CompareScalar { op, lhs: x.clone(), rhs: value }))
            .into(),
        Family::Clamp => vec![Operation::Elementwise(Elementwise::Clamp { x, min: Some(value), max: None })],
        Family::MaskWhere => vec![Operation::Elementwise(Elementwise::MaskWhere { mask, on: x, off: other })],
        Family::MaskFill => vec![Operation::Elementwise(Elementwise::MaskFill { x, mask, value })],
        Family::Cast => {
            DType::ALL.map(|dtype| Operation::Elementwise(Elementwise::Cast { x: x.clone(), dtype })).into()
        }
        Family::Reshape => vec![Operation::Layout(Layout::Reshape { x, shape: [COLS, ROWS].into() })],
        Family::Permute => vec![Operation::Layout(Layout::Permute { x, axes: [1, 0].into() })],
        Family::Expand => vec![Operation::Layout(Layout::Expand { x: column, shape: [ROWS, COLS].into() })],
        Family::Flip => vec![Operation::Layout(Layout::Flip { x, axes: [0].into() })],
        Family::Slice => vec![Operation::Layout(Layout::Slice { x, slices: half })],
        Family::SliceAssign => {
            vec![Operation::Layout(Layout::SliceAssign {
                x,
                slices: half,
                value: spec([ROWS / 2, COLS], dtype),
            })]
        }
        Family::Cat => vec![Operation::Layout(Layout::Cat { xs: vec![x, other], dim })],
        Family::RepeatDim => vec![Operation::Layout(Layout::RepeatDim { x, dim, times: 2 })],
        Family::Reduce => ReduceOp::ALL
            .into_iter()
            .flat_map(|op| {
                [&[0][..], &[1], &[0, 1]].map(|dims| {
                    Operation::Reduction(Reduction::Reduce { op, x: x.clone(), dims: dims.into() })
                })
            })
            .collect(),
        Family::ArgReduce => Extremum::ALL
            .into_iter()
            .flat_map(|op| {
                [dim, last]
                    .map(|dim| Operation::Reduction(Reduction::ArgReduce { op, x: x.clone(), dim, index }))
            })
            .collect(),
        Family::ReduceWithIndices => Extremum::ALL
            .map(|op| Operation::Reduction(Reduction::ReduceWithIndices { op, x: x.clone(), dim, index }))
            .into(),
        Family::Cumulative => CumulativeOp::ALL
            .into_iter()
            .flat_map(|op| {
                [dim, last].map(|dim| Operation::Reduction(Reduction::Cumulative { op, x: x.clone(), dim }))
            })
            .collect(),
        Family::Sort => {
            let row = spec([ROWS * COLS], dtype);
            [&x, &row].map(|x| Operation::Order(Order::Sort { x: x.clone(), dim, descending })).into()
        }
        Family::SortWithIndices => {
            vec![Operation::Order(Order::SortWithIndices { x, dim, descending, index })]
        }
        Family::TopK => {
            let row = spec([ROWS * COLS], dtype);
            let k = ROWS * COLS / 5;
            vec![
                Operation::Order(Order::TopK { x: row, k, dim, largest: true, index }),
                Operation::Order(Order::TopK { x, k: ROWS / 2, dim, largest: false, index }),
            ]
        }
        Family::Gather => vec![Operation::Index(Index::Gather { x, dim, indices })],
        Family::Scatter => {
            let update = IndexUpdate::Add;
            vec![Operation::Index(Index::Scatter { x, dim, indices, value: other, update })]
        }
        Family::Select => vec![Operation::Index(Index::Select { x, dim, indices: list })],
        Family::SelectAssign => {
            let update = IndexUpdate::Add;
            vec![Operation::Index(Index::SelectAssign { x, dim, indices: list, value: other, update })]
        }
        Family::Matmul => [([ROWS, COLS], [COLS, ROWS]), ([4, 4096], [4096, 64]), ([1 << 16, 4], [4, 4])]
            .map(|(lhs, rhs)| {
                Operation::Linalg(Linalg::Matmul { lhs: spec(lhs, dtype), rhs: spec(rhs, dtype) })
            })
            .into(),
        Family::Factorize => Factorization::ALL
            .into_iter()
            .map(|op| Operation::Linalg(Linalg::Factorize { op, x: spec([2, 128, 128], dtype) }))
            .collect(),
        Family::Lu => [[2, 300, 300], [1 << 15, 4, 2]]
            .map(|x| Operation::Linalg(Linalg::Lu { x: spec(x, dtype), index }))
            .into(),
        Family::Solve => [([2, 300, 300], [1, 300, 300]), ([1 << 15, 2, 2], [1 << 15, 2, 1])]
            .map(|(a, b)| Operation::Linalg(Linalg::Solve { a: spec(a, dtype), b: spec(b, dtype) }))
            .into(),
        Family::SolveTriangular => {
            let triangle = Triangle::ALL[0];
            let (a, b) = (spec([2, 300, 300], dtype), spec([1, 300, 300], dtype));
            vec![Operation::Linalg(Linalg::SolveTriangular { a, b, triangle })]
        }
        Family::Conv | Family::ConvTranspose | Family::ConvWeightGrad => convolutions(family, dtype),
        Family::Pool => PoolKind::ALL
            .map(|kind| {
                Operation::Pooling(Pooling::Pool(Box::new(PoolArgs {
                    kind,
                    x: planes.clone(),
                    options: pool(),
                })))
            })
            .into(),
        Family::PoolGrad => PoolKind::ALL
            .map(|kind| {
                let (grad, target) = (spec([4, 16, 32, 31], dtype), planes.shape.clone());
                let (x, options) = (Some(planes.clone()), pool());
                Operation::Pooling(Pooling::PoolGrad(Box::new(PoolGradArgs {
                    kind,
                    grad,
                    x,
                    target,
                    options,
                })))
            })
            .into(),
        Family::MaxPoolWithIndices => {
            vec![Operation::Pooling(Pooling::MaxPoolWithIndices {
                x: planes,
                options: Box::new(pool()),
                index,
            })]
        }
        Family::AdaptiveAvgPool => {
            vec![Operation::Pooling(Pooling::AdaptiveAvgPool { x: planes, size: [30, 30].into() })]
        }
        Family::AdaptiveAvgPoolGrad => {
            vec![Operation::Pooling(Pooling::AdaptiveAvgPoolGrad {
                grad: planes,
                target: [4, 16, 70, 70].into(),
            })]
        }
        Family::Fft => {
            let prime = 130_003;
            let half = FftOp::Half { n: prime };
            vec![
                Operation::Spectral(Spectral::Fft { op: FftOp::Forward, x: spec([1 << 17, 2], dtype), dim }),
                Operation::Spectral(Spectral::Fft { op: FftOp::Backward, x: spec([prime, 2], dtype), dim }),
                Operation::Spectral(Spectral::Fft { op: FftOp::Real, x: spec([prime], dtype), dim }),
                Operation::Spectral(Spectral::Fft { op: FftOp::Real, x: spec([ROWS, 512], dtype), dim }),
                Operation::Spectral(Spectral::Fft { op: half, x: spec([prime / 2 + 1, 2], dtype), dim }),
            ]
        }
        Family::Softmax => [dim, last]
            .map(|dim| Operation::Normalization(Normalization::Softmax { x: x.clone(), dim }))
            .into(),
        Family::LogSoftmax => [dim, last]
            .map(|dim| Operation::Normalization(Normalization::LogSoftmax { x: x.clone(), dim }))
            .into(),
        Family::LayerNorm => [x, spec([1, ROWS * COLS], dtype)]
            .map(|x| {
                Operation::Normalization(Normalization::LayerNorm(Box::new(LayerNormArgs {
                    x,
                    weight: None,
                    bias: None,
                    epsilon: 1e-5,
                })))
            })
            .into(),
        Family::LayerNormGrad => {
            let args = LayerNormGradArgs { grad: x, x: other, weight: None, epsilon: 1e-5 };
            vec![Operation::Normalization(Normalization::LayerNormGrad(Box::new(args)))]
        }
        Family::Attention | Family::AttentionGrad => attention(family, dtype),
        Family::Interpolate => interpolations(dtype, |options| {
            let (x, size) = (spec([1, 1, 2, 3], dtype), [2, 20_000].into());
            Operation::Resize(Resize::Interpolate { x, size, options })
        }),
        Family::InterpolateGrad => interpolations(dtype, |options| {
            let (grad, target) = (spec([1, 1, 2, 20_000], dtype), [1, 1, 2, 3].into());
            Operation::Resize(Resize::InterpolateGrad { grad, target, options })
        }),
        Family::Quantize | Family::Dequantize | Family::QuantizedMatmul | Family::IntegerMatmul => {
            quantized(family, dtype)
        }
        Family::DequantizeBlocks | Family::BlockMatmul => blocks(family, dtype),
        Family::Recurrent | Family::RecurrentGrad => {
            RecurrentKind::ALL.into_iter().map(|kind| recurrent(family, kind, dtype)).collect()
        }
        Family::DTypes
        | Family::Creation
        | Family::Random
        | Family::Argwhere
        | Family::Dropped
        | Family::Threads => Vec::new(),
    }
}

fn pool() -> PoolOptions {
    PoolOptions::new([2, 2].into())
}

fn interpolations(dtype: DType, call: impl Fn(Box<Interpolation>) -> Op) -> Vec<Op> {
    // Tables have one width, whatever that of the elements is.
    let modes = if dtype == DType::F32 { &InterpolateMode::ALL[..] } else { &[] };
    let options = |&mode| Box::new(Interpolation { mode, align_corners: false, factors: Vec::new() });
    modes.iter().map(|mode| call(options(mode))).collect()
}

/// Returns convolutions of the kernel sizes, groups and numbers of channels that kernels distinguish.
fn convolutions(family: Family, dtype: DType) -> Vec<Op> {
    let shapes: [(&[usize], &[usize], usize); 6] = [
        (&[2, 16, 64, 63], &[16, 16, 3, 3], 1),
        (&[1, 32, 64, 63], &[32, 32, 3, 3], 1),
        (&[2, 32, 64, 63], &[32, 1, 3, 3], 32),
        (&[2, 32, 64, 63], &[32, 32, 1, 1], 1),
        (&[1, 4, 1 << 14], &[8, 4, 5], 1),
        (&[1, 4, 16, 32, 33], &[8, 4, 2, 2, 2], 1),
    ];
    let mut calls = Vec::new();
    for (x, weight, groups) in shapes {
        let (x, weight) = (spec(x, dtype), spec(weight, dtype));
        let options = ConvOptions { groups, ..ConvOptions::new(x.shape.rank() - 2) };
        let args = ConvArgs { x: x.clone(), weight: weight.clone(), bias: None, options: options.clone() };
        let conv = Operation::Convolution(Convolution::Conv(Box::new(args)));
        let Ok(grad) = output_specs(&conv).map(|specs| specs.first().clone()) else { continue };
        calls.push(match family {
            Family::ConvTranspose => {
                let target = x.shape;
                Operation::Convolution(Convolution::ConvTranspose(Box::new(ConvGradArgs {
                    grad,
                    other: weight,
                    target,
                    options,
                })))
            }
            Family::ConvWeightGrad => {
                let target = weight.shape;
                Operation::Convolution(Convolution::ConvWeightGrad(Box::new(ConvGradArgs {
                    grad,
                    other: x,
                    target,
                    options,
                })))
            }
            _ => conv,
        });
    }
    calls
}

fn attention(family: Family, dtype: DType) -> Vec<Op> {
    let heads = |size| spec([1, 2, 500, size], dtype);
    let (query, key, value) = (heads(64), heads(64), heads(48));
    let (mask, causal, scale) = (None, true, 0.125);
    if family == Family::Attention {
        let args = AttentionArgs { query, key, value, mask, causal, scale };
        return vec![Operation::Attention(Attention::Attention(Box::new(args)))];
    }
    let (grad, output) = (heads(48), heads(48));
    let log_sums = spec([1, 2, 500], attention_dtype(dtype));
    let args = AttentionGradArgs { grad, query, key, value, output, log_sums, mask, causal, scale };
    vec![Operation::Attention(Attention::AttentionGrad(Box::new(args)))]
}

fn recurrent(family: Family, kind: RecurrentKind, dtype: DType) -> Op {
    let (time, batch, size) = (20, 24, 100);
    let steps = |count: usize| spec([time, batch, count * size], dtype);
    let (weight, state) = (spec([size, kind.gates() * size], dtype), spec([batch, size], dtype));
    let (lengths, reverse) = (None, false);
    let cell = (kind == RecurrentKind::Lstm).then(|| state.clone());
    if family == Family::Recurrent {
        let (gates, hidden) = (steps(kind.gates()), state);
        let (bias, keep_activations) = (None, true);
        let args =
            RecurrentArgs { kind, gates, weight, hidden, cell, bias, lengths, reverse, keep_activations };
        return Operation::Recurrent(Recurrent::Recurrent(Box::new(args)));
    }
    let grad = spec([time + kind.states(), batch, size], dtype);
    let (states, activations) = (grad.clone(), steps(kind.activations()));
    let initial = (kind.activations() > 0).then_some(state);
    let args = RecurrentGradArgs { kind, grad, states, activations, weight, initial, lengths, reverse };
    Operation::Recurrent(Recurrent::RecurrentGrad(Box::new(args)))
}

fn quantized(family: Family, dtype: DType) -> Vec<Op> {
    let packed = |shape: [usize; 2]| {
        let (shape, scheme) =
            (Shape::from(shape), QuantizationScheme::PerTensorSymmetric(QuantizationType::QInt8));
        let values = spec([scheme.words(&shape)], DType::I32);
        Packed { values, scale: spec([1], dtype), zero: None, scheme, shape }
    };
    vec![match family {
        Family::Quantize => {
            let (x, scheme) = (spec([ROWS, COLS + 1], dtype), packed([ROWS, COLS + 1]).scheme);
            Operation::Quantized(Quantized::Quantize(Box::new(QuantizeArgs {
                x,
                scale: spec([1], dtype),
                zero: None,
                scheme,
            })))
        }
        Family::Dequantize => Operation::Quantized(Quantized::Dequantize(Box::new(packed([ROWS, COLS + 1])))),
        Family::QuantizedMatmul => {
            let args =
                QuantizedMatmulArgs { lhs: spec([ROWS, COLS + 1], dtype), rhs: packed([COLS + 1, ROWS]) };
            Operation::Quantized(Quantized::QuantizedMatmul(Box::new(args)))
        }
        _ => {
            let args = IntegerMatmulArgs { lhs: packed([ROWS, COLS + 1]), rhs: packed([COLS + 1, ROWS]) };
            Operation::Quantized(Quantized::IntegerMatmul(Box::new(args)))
        }
    }]
}

fn blocks(family: Family, dtype: DType) -> Vec<Op> {
    let format = BlockFormat::Q4K;
    let stored =
        PackedBlocks { blocks: spec([ROWS, 2 * format.bytes()], DType::U8), format, transposed: true, dtype };
    if family == Family::DequantizeBlocks {
        return vec![Operation::Quantized(Quantized::DequantizeBlocks(Box::new(stored)))];
    }
    let product = |rows: usize| {
        let lhs = spec([rows, 2 * format.elements()], dtype);
        let args = BlockMatmulArgs { lhs, rhs: stored.clone() };
        Operation::Quantized(Quantized::BlockMatmul(Box::new(args)))
    };
    vec![product(4), product(ROWS)]
}

#[cfg(test)]
mod tests {
    use super::calls;
    use crate::Family;

    #[test]
    fn every_operation_has_a_large_call() {
        for family in &Family::ALL[..Family::OPERATIONS] {
            assert!(!calls(*family).is_empty(), "{family:?}");
        }
    }
}
