use super::operation::Calls;
use crate::Family;
use burn_backend::*;

impl Calls<'_> {
    fn scheme(&mut self, shape: &Shape) -> QuantizationScheme {
        let level = match self.random.below(3) {
            0 => QuantizationLevel::Tensor,
            1 => QuantizationLevel::Channel(self.random.number(shape.rank())),
            _ => QuantizationLevel::Block(self.random.number(shape.last().copied().unwrap_or(1))),
        };
        let mode = self.random.pick(&[QuantizationMode::Symmetric, QuantizationMode::Affine]);
        QuantizationScheme { value: self.random.pick(&QuantizationType::ALL), level, mode }
    }

    /// Scales and zero points, almost as many as the scheme asks for.
    fn groups(
        &mut self,
        scheme: QuantizationScheme,
        shape: &Shape,
        dtype: DType,
    ) -> (TensorSpec, Option<TensorSpec>) {
        let fits = match scheme.level {
            QuantizationLevel::Tensor => true,
            QuantizationLevel::Channel(dim) => dim < shape.rank(),
            QuantizationLevel::Block(size) => size > 0,
        };
        let count = if fits { scheme.scales(shape) } else { 1 };
        let has_zero = scheme.is_affine() != self.random.chance(5);
        let scale = self.exactly([count].into(), dtype);
        (scale, has_zero.then(|| self.exactly([count].into(), DType::I32)))
    }

    fn packed(&mut self, shape: Shape, dtype: DType) -> Packed<TensorSpec> {
        let scheme = self.scheme(&shape);
        let (scale, zero) = self.groups(scheme, &shape, dtype);
        let values = self.exactly([scheme.words(&shape)].into(), DType::I32);
        Packed { values, scale, zero, scheme, shape }
    }

    /// Rows of one block, almost.
    fn blocks(&mut self, rows: usize, dtype: DType) -> PackedBlocks<TensorSpec> {
        let format = self.random.pick(&BlockFormat::ALL);
        let blocks = self.exactly([rows, format.bytes()].into(), DType::U8);
        PackedBlocks { blocks, format, transposed: self.random.chance(50), dtype }
    }

    pub(super) fn quantized(&mut self, family: Family) -> Operation<TensorSpec> {
        let x = self.float_of_rank(2);
        let [rows, cols] = [0, 1].map(|dim| x.shape.get(dim).copied().unwrap_or(1));
        let other = Shape::new([cols, self.random.below(5)]);
        match family {
            Family::Quantize => {
                let scheme = self.scheme(&x.shape);
                let (scale, zero) = self.groups(scheme, &x.shape, x.dtype);
                Operation::Quantized(Quantized::Quantize(Box::new(QuantizeArgs { x, scale, zero, scheme })))
            }
            Family::Dequantize => {
                Operation::Quantized(Quantized::Dequantize(Box::new(self.packed(x.shape, x.dtype))))
            }
            Family::QuantizedMatmul => {
                let rhs = self.packed(other, x.dtype);
                Operation::Quantized(Quantized::QuantizedMatmul(Box::new(QuantizedMatmulArgs {
                    lhs: x,
                    rhs,
                })))
            }
            Family::DequantizeBlocks => {
                let x = self.blocks(rows, x.dtype);
                Operation::Quantized(Quantized::DequantizeBlocks(Box::new(x)))
            }
            Family::BlockMatmul => {
                // Rows of the matrix, or the elements of one of its blocks.
                let rhs = self.blocks(cols, x.dtype);
                let inner = if rhs.transposed { rhs.format.elements() } else { cols };
                let lhs = self.exactly([rows, inner].into(), x.dtype);
                Operation::Quantized(Quantized::BlockMatmul(Box::new(BlockMatmulArgs { lhs, rhs })))
            }
            _ => {
                let lhs = self.packed([rows, cols].into(), x.dtype);
                let rhs = self.packed(other, x.dtype);
                Operation::Quantized(Quantized::IntegerMatmul(Box::new(IntegerMatmulArgs { lhs, rhs })))
            }
        }
    }
}
