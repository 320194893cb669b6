//! Calls with quantized tensors: gradients flow to floats beside them and to their scales.

use super::Call;
use super::calls::{F, call, constant};
use crate::Family;
use crate::cases::{blocks, packed};
use crate::input::{list, spread};
use crate::number::Number;
use burn_backend::*;

pub fn calls(family: Family) -> Vec<Call> {
    use QuantizationLevel::*;
    let value = QuantizationType::QInt4;
    let schemes = [
        (Tensor, QuantizationMode::Symmetric),
        (Channel(0), QuantizationMode::Affine),
        (Channel(1), QuantizationMode::Symmetric),
        (Block(2), QuantizationMode::Affine),
    ];
    let schemes = schemes.map(|(level, mode)| QuantizationScheme { value, level, mode });
    let name = |scheme: QuantizationScheme| format!("{:?}", scheme.level);
    match family {
        Family::Quantize => {
            let (x, scale) = (spread([3, 4], F, -1.9, 2.0), list(&[Number::Float(0.25)], F));
            let args = QuantizeArgs { x, scale, zero: None, scheme: schemes[0] };
            vec![constant("", Operation::Quantized(Quantized::Quantize(Box::new(args))))]
        }
        Family::Dequantize => schemes
            .map(|scheme| {
                call(
                    name(scheme),
                    Operation::Quantized(Quantized::Dequantize(Box::new(packed(scheme, [3, 4], F)))),
                )
            })
            .into(),
        Family::QuantizedMatmul => schemes
            .map(|scheme| {
                let (lhs, rhs) = (spread([2, 2, 3], F, -1.9, 2.0), packed(scheme, [3, 4], F));
                call(
                    name(scheme),
                    Operation::Quantized(Quantized::QuantizedMatmul(Box::new(QuantizedMatmulArgs {
                        lhs,
                        rhs,
                    }))),
                )
            })
            .into(),
        Family::DequantizeBlocks => {
            let x = blocks(BlockFormat::Q4K, 2, 1, F);
            vec![constant("", Operation::Quantized(Quantized::DequantizeBlocks(Box::new(x))))]
        }
        Family::BlockMatmul => {
            let stored = |format| blocks(format, 3, 1, F);
            let of = |name: &str, depth: usize, rhs| {
                let args = BlockMatmulArgs { lhs: spread([2, depth], F, -1.9, 2.0), rhs };
                call(name, Operation::Quantized(Quantized::BlockMatmul(Box::new(args))))
            };
            vec![
                of("rows", 3, stored(BlockFormat::Q5_1)),
                of("transposed", 32, stored(BlockFormat::Q8_0).transpose()),
            ]
        }
        _ => {
            let scheme = QuantizationScheme::PerTensorSymmetric(QuantizationType::QInt8);
            let (lhs, rhs) = (packed(scheme, [2, 3], F), packed(scheme, [3, 4], F));
            vec![constant(
                "",
                Operation::Quantized(Quantized::IntegerMatmul(Box::new(IntegerMatmulArgs { lhs, rhs }))),
            )]
        }
    }
}
