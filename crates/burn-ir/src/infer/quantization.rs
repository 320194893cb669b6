use super::require::{Result, argument, float, require, same_dtype, sized};
use crate::OpErrorKind as Kind;
use crate::{
    BlockMatmulArgs, DType, HasSpec, IntegerMatmulArgs, Packed, PackedBlocks, QuantizationLevel,
    QuantizationMode, QuantizationScheme, QuantizationType, QuantizeArgs, QuantizedMatmulArgs, Shape,
    TensorSpec,
};
use alloc::format;

/// Whether tensors of `shape` can be quantized by `scheme`.
fn fits(scheme: QuantizationScheme, shape: &Shape) -> Result<()> {
    match scheme.level {
        QuantizationLevel::Tensor => {}
        QuantizationLevel::Channel(dim) => {
            require(dim < shape.rank(), || Kind::Dim { dim, shape: shape.clone() })?;
        }
        QuantizationLevel::Block(size) => {
            let divides = shape.last().is_some_and(|last| size > 0 && last % size == 0);
            argument(divides, || format!("blocks of {size} do not divide the last dimension of {shape:?}"))?;
        }
    }
    let has_zero = scheme.mode == QuantizationMode::Affine && scheme.value.float8().is_some();
    argument(!has_zero, || format!("{} has no zero points, found an affine scheme", scheme.value.name()))
}

/// A list of `count` elements.
fn list(what: &str, found: &Shape, count: usize, why: &Shape) -> Result<()> {
    argument(found[..] == [count], || format!("needs {what} of shape [{count}] for {why:?}, found {found:?}"))
}

fn parameters<T: HasSpec>(
    scale: &T,
    zero: Option<&T>,
    scheme: QuantizationScheme,
    shape: &Shape,
) -> Result<()> {
    fits(scheme, shape)?;
    let count = scheme.scales(shape);
    list("scales", &float(scale.spec())?.shape, count, shape)?;
    argument(zero.is_some() == scheme.is_affine(), || match zero {
        Some(_) => "a symmetric scheme has no zero points".into(),
        None => "an affine scheme needs zero points".into(),
    })?;
    match zero {
        Some(zero) => {
            words("zero points", zero.spec())?;
            list("zero points", &zero.spec().shape, count, shape)
        }
        None => Ok(()),
    }
}

fn words(what: &str, spec: &TensorSpec) -> Result<()> {
    argument(spec.dtype == DType::I32, || format!("needs {what} of dtype i32, found {}", spec.dtype.name()))
}

pub fn quantize<T: HasSpec>(args: &QuantizeArgs<T>) -> Result<TensorSpec> {
    let QuantizeArgs { x, scale, zero, scheme } = args;
    let x = float(x.spec())?;
    parameters(scale, zero.as_ref(), *scheme, &x.shape)?;
    same_dtype(x, scale.spec())?;
    Ok(TensorSpec::new([scheme.words(&x.shape)], DType::I32))
}

pub fn dequantize<T: HasSpec>(x: &Packed<T>) -> Result<TensorSpec> {
    let Packed { values, scale, zero, scheme, shape } = x;
    let spec = TensorSpec { shape: shape.clone(), dtype: scale.spec().dtype };
    sized(&spec)?;
    parameters(scale, zero.as_ref(), *scheme, shape)?;
    words("words", values.spec())?;
    list("words", &values.spec().shape, scheme.words(shape), shape)?;
    Ok(spec)
}

/// The product of matrices of these shapes.
fn product(lhs: &Shape, rhs: &Shape, dtype: DType) -> Result<TensorSpec> {
    let ([batch @ .., rows, inner], [depth, cols]) = (&lhs[..], &rhs[..]) else {
        return argument(false, || format!("needs matrices, found {lhs:?} and {rhs:?}"))
            .map(|()| unreachable!("it is an error"));
    };
    require(inner == depth, || Kind::Inner { lhs: lhs.clone(), rhs: rhs.clone() })?;
    let shape = batch.iter().copied().chain([*rows, *cols]).collect();
    Ok(TensorSpec { shape, dtype })
}

pub fn quantized_matmul<T: HasSpec>(args: &QuantizedMatmulArgs<T>) -> Result<TensorSpec> {
    let (lhs, rhs) = (float(args.lhs.spec())?, dequantize(&args.rhs)?);
    product(&lhs.shape, &rhs.shape, lhs.dtype)
}

/// One scale, or one for each index of `dim`.
fn integer<T: HasSpec>(x: &Packed<T>, dim: usize) -> Result<TensorSpec> {
    let spec = dequantize(x)?;
    let QuantizationScheme { value, level, .. } = x.scheme;
    let is_integer = value == QuantizationType::QInt8;
    argument(is_integer, || format!("needs numbers of type QInt8, found {}", value.name()))?;
    let is_outside = match level {
        QuantizationLevel::Tensor => true,
        QuantizationLevel::Channel(other) => other == dim,
        QuantizationLevel::Block(_) => false,
    };
    argument(is_outside, || {
        format!("needs one scale or one for each index of dimension {dim}, found {level:?}")
    })?;
    Ok(spec)
}

pub fn integer_matmul<T: HasSpec>(args: &IntegerMatmulArgs<T>) -> Result<TensorSpec> {
    let (lhs, rhs) = (integer(&args.lhs, 0)?, integer(&args.rhs, 1)?);
    same_dtype(&lhs, &rhs)?;
    require(lhs.shape.rank() == 2, || Kind::Rank { expected: 2, shape: lhs.shape.clone() })?;
    let depth = lhs.shape[1];
    let most = IntegerMatmulArgs::<T>::MOST;
    argument(depth <= most, || format!("sums of {depth} products may not fit an i32: at most {most}"))?;
    product(&lhs.shape, &rhs.shape, lhs.dtype)
}

pub fn dequantize_blocks<T: HasSpec>(x: &PackedBlocks<T>) -> Result<TensorSpec> {
    let PackedBlocks { blocks, format, dtype, .. } = x;
    let TensorSpec { shape, dtype: stored } = blocks.spec();
    argument(*stored == DType::U8, || format!("needs blocks of dtype u8, found {}", stored.name()))?;
    require(shape.rank() == 2, || Kind::Rank { expected: 2, shape: shape.clone() })?;
    let (row, bytes, name) = (shape[1], format.bytes(), format.name());
    argument(row % bytes == 0, || format!("rows of {row} bytes are not whole blocks of {bytes} ({name})"))?;
    argument(dtype.is_float(), || format!("needs a float dtype, found {}", dtype.name()))?;
    let spec = TensorSpec { shape: x.shape(), dtype: *dtype };
    sized(&spec)?;
    Ok(spec)
}

pub fn block_matmul<T: HasSpec>(args: &BlockMatmulArgs<T>) -> Result<TensorSpec> {
    let (lhs, rhs) = (float(args.lhs.spec())?, dequantize_blocks(&args.rhs)?);
    product(&lhs.shape, &rhs.shape, lhs.dtype)
}

#[cfg(test)]
mod tests {
    use crate::*;
    use alloc::boxed::Box;
    use alloc::string::{String, ToString};

    const BASE: QuantizationScheme = QuantizationScheme::PerTensorSymmetric(QuantizationType::QInt8);

    fn ints(count: usize) -> TensorSpec {
        TensorSpec::new([count], DType::I32)
    }

    fn packed(scheme: QuantizationScheme, shape: impl Into<Shape>) -> Packed<TensorSpec> {
        let shape = shape.into();
        let count = scheme.scales(&shape);
        let (values, scale) = (ints(scheme.words(&shape)), TensorSpec::new([count], DType::F32));
        Packed { values, scale, zero: scheme.is_affine().then(|| ints(count)), scheme, shape }
    }

    fn error(op: Operation<TensorSpec>) -> String {
        output_specs(&op).map(|specs| specs.one()).unwrap_err().to_string()
    }

    fn dequantize(x: Packed<TensorSpec>) -> Operation<TensorSpec> {
        Operation::Quantized(Quantized::Dequantize(Box::new(x)))
    }

    #[test]
    fn results_have_the_shapes_of_the_layout() {
        let float = |shape: &[usize]| TensorSpec::new(shape, DType::F32);
        let of = |op| output_specs(&op).unwrap().one();
        for value in QuantizationType::ALL {
            for level in
                [QuantizationLevel::Tensor, QuantizationLevel::Channel(1), QuantizationLevel::Block(3)]
            {
                let scheme = QuantizationScheme { value, level, mode: QuantizationMode::Symmetric };
                let x = packed(scheme, [5, 6]);
                let args = QuantizeArgs { x: float(&[5, 6]), scale: x.scale.clone(), zero: None, scheme };
                assert_eq!(of(Operation::Quantized(Quantized::Quantize(Box::new(args)))), x.values);
                assert_eq!(of(dequantize(x.clone())), float(&[5, 6]));
                let lhs = TensorSpec::new([2, 3, 5], DType::F16);
                let product =
                    of(Operation::Quantized(Quantized::QuantizedMatmul(Box::new(QuantizedMatmulArgs {
                        lhs,
                        rhs: x,
                    }))));
                assert_eq!(product, TensorSpec::new([2, 3, 6], DType::F16));
            }
        }
        let (lhs, rhs) = (packed(BASE.per_channel(0), [4, 5]), packed(BASE.per_channel(1), [5, 6]));
        assert!(lhs.multiplies(&rhs) && !rhs.multiplies(&lhs));
        assert_eq!(
            of(Operation::Quantized(Quantized::IntegerMatmul(Box::new(IntegerMatmulArgs { lhs, rhs })))),
            float(&[4, 6])
        );
    }

    #[test]
    fn schemes_that_do_not_fit_are_errors_that_name_operation_and_sizes() {
        let whole = packed(BASE, [4, 6]);
        let with = |scheme| dequantize(Packed { scheme, ..whole.clone() });
        for (op, wanted) in [
            (with(BASE.per_block(4)), "dequantize: blocks of 4 do not divide the last dimension of [4, 6]"),
            (with(BASE.per_block(0)), "dequantize: blocks of 0 do not divide the last dimension of [4, 6]"),
            (with(BASE.per_channel(2)), "dequantize: dimension 2 does not exist in [4, 6] (rank 2)"),
            (with(BASE.per_channel(0)), "dequantize: needs scales of shape [4] for [4, 6], found [1]"),
            (
                with(QuantizationScheme::PerTensorAffine(QuantizationType::QFloat8E4M3)),
                "dequantize: QFloat8E4M3 has no zero points, found an affine scheme",
            ),
            (
                with(QuantizationScheme::PerTensorAffine(QuantizationType::QInt8)),
                "dequantize: an affine scheme needs zero points",
            ),
            (
                dequantize(Packed { zero: Some(ints(1)), ..whole.clone() }),
                "dequantize: a symmetric scheme has no zero points",
            ),
            (
                dequantize(Packed { values: ints(7), ..whole.clone() }),
                "dequantize: needs words of shape [6] for [4, 6], found [7]",
            ),
            (
                dequantize(Packed { values: TensorSpec::new([6], DType::I64), ..whole.clone() }),
                "dequantize: needs words of dtype i32, found i64",
            ),
            (
                dequantize(Packed { scale: ints(1), ..whole.clone() }),
                "dequantize: needs a float tensor, found i32",
            ),
            (
                dequantize(Packed { shape: Shape::new([usize::MAX, 6]), ..whole.clone() }),
                "dequantize: the result of shape [18446744073709551615, 6] is larger than any memory",
            ),
        ] {
            assert_eq!(error(op), wanted);
        }
        // A list of no dimensions has no last one.
        let none = Packed { shape: Shape::new([]), scheme: BASE.per_block(1), ..packed(BASE, []) };
        assert_eq!(error(dequantize(none)), "dequantize: blocks of 1 do not divide the last dimension of []");
        let x = TensorSpec::new([4, 6], DType::F16);
        let args = QuantizeArgs { x, scale: whole.scale.clone(), zero: None, scheme: BASE };
        assert_eq!(
            error(Operation::Quantized(Quantized::Quantize(Box::new(args)))),
            "quantize: dtypes differ: f16 and f32; use cast"
        );
    }

    #[test]
    fn products_that_do_not_fit_are_errors() {
        let integer = |lhs, rhs| {
            Operation::Quantized(Quantized::IntegerMatmul(Box::new(IntegerMatmulArgs { lhs, rhs })))
        };
        let matrix = |shape: [usize; 2]| packed(BASE, shape);
        let four = QuantizationScheme { value: QuantizationType::QInt4, ..BASE };
        let lhs = TensorSpec::new([3, 5], DType::F32);
        for (op, wanted) in [
            (
                Operation::Quantized(Quantized::QuantizedMatmul(Box::new(QuantizedMatmulArgs {
                    lhs,
                    rhs: matrix([4, 6]),
                }))),
                "quantized_matmul: inner sizes differ: the left side [3, 5] has 5 columns, the right side [4, 6] has 4 rows",
            ),
            (
                Operation::Quantized(Quantized::QuantizedMatmul(Box::new(QuantizedMatmulArgs {
                    lhs: TensorSpec::new([3], DType::F32),
                    rhs: matrix([3, 6]),
                }))),
                "quantized_matmul: needs matrices, found [3] and [3, 6]",
            ),
            (
                integer(matrix([3, 4]), matrix([5, 6])),
                "integer_matmul: inner sizes differ: the left side [3, 4] has 4 columns, the right side [5, 6] has 5 rows",
            ),
            (
                integer(packed(four, [3, 4]), matrix([4, 6])),
                "integer_matmul: needs numbers of type QInt8, found QInt4",
            ),
            (
                integer(packed(BASE.per_channel(1), [3, 4]), matrix([4, 6])),
                "integer_matmul: needs one scale or one for each index of dimension 0, found Channel(1)",
            ),
            (
                integer(matrix([3, 4]), packed(BASE.per_block(2), [4, 6])),
                "integer_matmul: needs one scale or one for each index of dimension 1, found Block(2)",
            ),
            (
                integer(matrix([1, 33026]), matrix([33026, 1])),
                "integer_matmul: sums of 33026 products may not fit an i32: at most 33025",
            ),
        ] {
            assert_eq!(error(op), wanted);
        }
    }

    #[test]
    fn blocks_that_do_not_fit_are_errors() {
        let of = |shape: &[usize], stored, dtype| {
            let blocks = TensorSpec::new(shape, stored);
            let x = PackedBlocks { blocks, format: BlockFormat::Q4K, transposed: true, dtype };
            Operation::Quantized(Quantized::DequantizeBlocks(Box::new(x)))
        };
        assert_eq!(
            output_specs(&of(&[3, 288], DType::U8, DType::F16)).unwrap().one(),
            TensorSpec::new([512, 3], DType::F16)
        );
        for (op, wanted) in [
            (of(&[3, 288], DType::I8, DType::F32), "dequantize_blocks: needs blocks of dtype u8, found i8"),
            (
                of(&[3, 143], DType::U8, DType::F32),
                "dequantize_blocks: rows of 143 bytes are not whole blocks of 144 (Q4_K)",
            ),
            (of(&[288], DType::U8, DType::F32), "dequantize_blocks: needs rank 2, found [288] (rank 1)"),
            (of(&[3, 288], DType::U8, DType::I32), "dequantize_blocks: needs a float dtype, found i32"),
        ] {
            assert_eq!(error(op), wanted);
        }
        let blocks = TensorSpec::new([3, 34], DType::U8);
        let rhs = PackedBlocks { blocks, format: BlockFormat::Q8_0, transposed: false, dtype: DType::F32 };
        let product = |rhs| {
            let lhs = TensorSpec::new([2, 5, 32], DType::BF16);
            Operation::Quantized(Quantized::BlockMatmul(Box::new(BlockMatmulArgs { lhs, rhs })))
        };
        assert_eq!(
            output_specs(&product(rhs.clone().transpose())).unwrap().one(),
            TensorSpec::new([2, 5, 3], DType::BF16)
        );
        assert_eq!(
            error(product(rhs)),
            "block_matmul: inner sizes differ: the left side [2, 5, 32] has 32 columns, the right side [3, 32] has 3 rows"
        );
    }
}
