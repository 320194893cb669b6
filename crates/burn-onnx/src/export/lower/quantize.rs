//! Quantized weights: `DequantizeLinear` of 8-bit integers, and floats for what ONNX cannot say.

use super::lowering::Lowering;
use crate::error::{Outcome, fail};
use crate::export::graph_writer::int;
use burn_capture::Value;
use burn_ir::{
    BlockMatmulArgs, Packed, PackedBlocks, QuantizationLevel, QuantizationType, QuantizedMatmulArgs,
    TensorData,
};

pub(super) fn matmul(to: &mut Lowering<'_>, args: &QuantizedMatmulArgs<Value>) -> Outcome<String> {
    let (lhs, rhs) = (to.name(args.lhs), dequantize(to, &args.rhs)?);
    Ok(to.op("MatMul", [&lhs, &rhs]))
}

/// The floats that a constant quantized tensor stands for.
pub(super) fn dequantize(to: &mut Lowering<'_>, packed: &Packed<Value>) -> Outcome<String> {
    let Packed { values, scale, zero, scheme, shape } = packed;
    let data = |value: &Value| to.constant(*value);
    let zeros = zero.as_ref().map(data);
    let (Some(words), Some(scales)) = (data(values), data(scale)) else {
        fail!("the quantized tensor is computed while the model runs; export the floats");
    };
    if zeros.as_ref().is_some_and(Option::is_none) {
        fail!("the zero points are computed while the model runs; export the floats");
    }
    let zeros = zeros.flatten();
    let (bits, count) = (scheme.value.bits(), shape.num_elements());
    let word = |at: usize| words[at / scheme.value.per_word()] as i32 as u32;
    let code = |at: usize| word(at) >> (at % scheme.value.per_word() * bits) & (u32::MAX >> (32 - bits));
    // The sign is the highest bit of the number.
    let integer = |at: usize| i64::from((code(at) << (32 - bits)) as i32 >> (32 - bits));
    let name = to.trace.program.name(*values).unwrap_or("quantized").to_string();
    let name = name.strip_suffix(".values").unwrap_or(&name).to_string();
    let dtype = to.dtype(*scale);
    let axis = match scheme.level {
        QuantizationLevel::Tensor => Some(None),
        QuantizationLevel::Channel(dim) => Some(Some(dim)),
        QuantizationLevel::Block(_) => None,
    };
    if let (QuantizationType::QInt8, Some(axis)) = (scheme.value, axis) {
        let codes: Vec<i8> = (0..count).map(|at| integer(at) as i8).collect();
        let codes = to.writer.initializer(&name, TensorData::new(codes, shape.clone()));
        let dims: &[usize] = if axis.is_some() { &[scales.len()] } else { &[] };
        let scale = TensorData::new(scales, dims).convert_dtype(dtype);
        let scale = to.writer.initializer(&format!("{name}.scale"), scale);
        let attributes = axis.map(|axis| int("axis", axis as i64)).into_iter().collect();
        return Ok(match zeros {
            Some(zeros) => {
                let zeros: Vec<i8> = zeros.iter().map(|&zero| zero as i8).collect();
                let zeros = to.writer.initializer(&format!("{name}.zero"), TensorData::new(zeros, dims));
                to.op_with("DequantizeLinear", &[&codes, &scale, &zeros], attributes)
            }
            None => to.op_with("DequantizeLinear", &[&codes, &scale], attributes),
        });
    }
    let (step, cycle) = scheme.grid(shape);
    let float = |at: usize| {
        let own = at / step % cycle.max(1);
        let zero = zeros.as_ref().map_or(0.0, |zeros| zeros[own]);
        let number = match scheme.value.float8() {
            Some(format) => f64::from(format.decode(code(at) as u8)),
            None => integer(at) as f64,
        };
        (number - zero) * scales[own]
    };
    let floats: Vec<f64> = (0..count).map(float).collect();
    let floats = TensorData::new(floats, shape.clone()).convert_dtype(dtype);
    Ok(to.writer.initializer(&name, floats))
}

pub(super) fn block_matmul(to: &mut Lowering<'_>, args: &BlockMatmulArgs<Value>) -> Outcome<String> {
    let (lhs, rhs) = (to.name(args.lhs), dequantize_blocks(to, &args.rhs)?);
    Ok(to.op("MatMul", [&lhs, &rhs]))
}

/// The floats that a constant matrix of blocks stands for.
pub(super) fn dequantize_blocks(to: &mut Lowering<'_>, packed: &PackedBlocks<Value>) -> Outcome<String> {
    let Some(bytes) = to.constant(packed.blocks) else {
        fail!("the quantized tensor is computed while the model runs; export the floats");
    };
    let bytes: Vec<u8> = bytes.into_iter().map(|byte| byte as u8).collect();
    let mut floats = vec![0.0_f32; bytes.len() / packed.format.bytes() * packed.format.elements()];
    packed.format.decode(&bytes, &mut floats);
    let stored = to.shape(packed.blocks);
    let shape = [stored[0], floats.len().checked_div(stored[0]).unwrap_or(0)];
    let floats = TensorData::new(floats, shape).convert_dtype(packed.dtype);
    let name = to.trace.program.name(packed.blocks).unwrap_or("quantized").to_string();
    let name = to.writer.initializer(name.strip_suffix(".blocks").unwrap_or(&name), floats);
    Ok(if packed.transposed { to.op("Transpose", [&name]) } else { name })
}
