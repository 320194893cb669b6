//! Known gaps of each backend: read by its tests and by the support table of the book.

use crate::{Family, Gap};
use burn_backend::DType;

/// Gaps of `NdArray`, and so of every decorator around it.
pub const NDARRAY: &[Gap] = &[];

/// The gaps of `Candle` on the CPU.
pub const CANDLE: &[Gap] = &[];

/// The gaps of `Candle` on an NVIDIA GPU.
pub const CANDLE_CUDA: &[Gap] = &[];

/// The gaps of `LibTorch` on the CPU.
pub const LIBTORCH: &[Gap] = &[
    Gap::new(
        "LibTorch's kernel on the processor approximates the error function to 5e-7, and makes NaN of infinity",
    )
    .families(&[Family::Unary])
    .operations(&["gelu"])
    .dtypes(&[DType::F32, DType::BF16]),
    Gap::new("LibTorch's kernel on the processor gives zeros for a query that is NaN")
        .families(&[Family::Attention])
        .dtypes(&[DType::F32])
        .situation("NaN"),
];

/// The gaps of `LibTorch` on an NVIDIA GPU.
pub const LIBTORCH_CUDA: &[Gap] = &[
    Gap::new("LibTorch's kernels add from many threads at once, so the last bits of sums differ from run to run")
        .families(&[Family::PoolGrad, Family::InterpolateGrad, Family::AttentionGrad])
        .may_agree(),
    Gap::new("LibTorch's kernels update a place from many threads at once, so the last bits of it differ from run to run")
        .families(&[Family::Scatter, Family::SelectAssign])
        .dtypes(&[DType::F64, DType::F32, DType::F16, DType::BF16])
        .may_agree(),
    Gap::new("cuDNN rounds a convolution of halves before the bias is added")
        .families(&[Family::Conv])
        .dtypes(&[DType::F16, DType::BF16])
        .situation("bias true"),
];

/// Gaps of the GPU kernels. The element types of a device are queried from the device.
pub const GPU: &[Gap] = &[];

/// Gaps of the minimal backend of the examples.
pub const MINIMAL: &[Gap] = &[
    Gap::new("elements are kept as f64, which does not hold what wraps around in a u64")
        .dtypes(&[DType::U64]),
    Gap::new(INEXACT)
        .families(&[
            Family::Unary,
            Family::Binary,
            Family::BinaryScalar,
            Family::Compare,
            Family::CompareScalar,
            Family::Clamp,
            Family::Cast,
            Family::Reduce,
            Family::ArgReduce,
            Family::ReduceWithIndices,
            Family::Cumulative,
            Family::Sort,
            Family::SortWithIndices,
            Family::TopK,
            Family::Matmul,
            Family::DTypes,
        ])
        .dtypes(&[DType::I64])
        .situation("extremes"),
    Gap::new(INEXACT)
        .families(&[Family::BinaryScalar])
        .dtypes(&[DType::I64])
        .situation("Int(9223372036854775807)"),
    Gap::new(INEXACT).families(&[Family::Binary]).operations(&["pow"]).dtypes(&[DType::I64]),
    Gap::new(INEXACT)
        .families(&[Family::Scatter, Family::SelectAssign])
        .dtypes(&[DType::I64])
        .situation("Multiply"),
    Gap::new(INEXACT)
        .families(&[Family::Reduce, Family::Cumulative])
        .operations(&["prod", "cumprod"])
        .dtypes(&[DType::I64, DType::I32, DType::I16, DType::I8, DType::U32, DType::U16, DType::U8]),
    Gap::new(INEXACT).families(&[Family::Matmul]).dtypes(&[DType::I32, DType::U32]).situation("extremes"),
];

const INEXACT: &str = "elements are kept as f64: integers beyond 2^53 are rounded";
