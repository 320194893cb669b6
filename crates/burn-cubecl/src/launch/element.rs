use burn_backend::{DType, Element, Scalar, TensorData};
use cubecl::ir::{ElemType, FloatKind, IntKind, StorageType, UIntKind};
use std::borrow::Cow;

/// Returns the storage type of a dtype in buffers. A bool is a word: not every device stores bytes.
pub fn storage(dtype: DType) -> StorageType {
    StorageType::Scalar(match dtype {
        DType::F64 => ElemType::Float(FloatKind::F64),
        DType::F32 => ElemType::Float(FloatKind::F32),
        DType::F16 => ElemType::Float(FloatKind::F16),
        DType::BF16 => ElemType::Float(FloatKind::BF16),
        DType::I64 => ElemType::Int(IntKind::I64),
        DType::I32 => ElemType::Int(IntKind::I32),
        DType::I16 => ElemType::Int(IntKind::I16),
        DType::I8 => ElemType::Int(IntKind::I8),
        DType::U64 => ElemType::UInt(UIntKind::U64),
        DType::U32 | DType::Bool => ElemType::UInt(UIntKind::U32),
        DType::U16 => ElemType::UInt(UIntKind::U16),
        DType::U8 => ElemType::UInt(UIntKind::U8),
    })
}

/// Returns the type in which kernels compute a dtype. Narrow types are widened to four bytes between load and
/// store: floats are rounded and integers wrapped after each step.
pub fn computed(dtype: DType) -> StorageType {
    if dtype == DType::Bool {
        return StorageType::Scalar(ElemType::Bool);
    }
    storage(widened(dtype))
}

/// The dtype of four bytes that holds the elements of a narrow one; the others are their own.
pub fn widened(dtype: DType) -> DType {
    match dtype {
        DType::F16 | DType::BF16 => DType::F32,
        DType::I16 | DType::I8 => DType::I32,
        DType::U16 | DType::U8 => DType::U32,
        DType::F64 | DType::F32 | DType::I64 | DType::I32 => dtype,
        DType::U64 | DType::U32 | DType::Bool => dtype,
    }
}

/// Whether elements take fewer bytes than kernels compute with.
pub fn is_narrow(dtype: DType) -> bool {
    widened(dtype) != dtype
}

/// Whether elements are floats of two bytes.
pub fn is_half(dtype: DType) -> bool {
    matches!(dtype, DType::F16 | DType::BF16)
}

/// Bytes of one element in a buffer.
pub fn stored_size(dtype: DType) -> usize {
    if dtype == DType::Bool { 4 } else { dtype.size() }
}

/// The bytes of data as buffers have them: bools are words.
pub fn stored_bytes(data: &TensorData) -> Cow<'_, [u8]> {
    if data.dtype == DType::Bool {
        return data.as_bytes().iter().flat_map(|&byte| u32::from(byte).to_ne_bytes()).collect();
    }
    Cow::Borrowed(data.as_bytes())
}

/// The bits of a number as an element of `dtype`, low word first: how kernels are given it.
pub fn words(value: Scalar, dtype: DType) -> [u32; 2] {
    let split = |bits: u64| [bits as u32, (bits >> 32) as u32];
    match dtype {
        DType::F64 => split(value.elem::<f64>().to_bits()),
        DType::F32 => [value.elem::<f32>().to_bits(), 0],
        DType::F16 => [value.elem::<burn_backend::f16>().to_f32().to_bits(), 0],
        DType::BF16 => [value.elem::<burn_backend::bf16>().to_f32().to_bits(), 0],
        DType::I64 => split(value.elem::<i64>() as u64),
        DType::U64 => split(value.elem::<u64>()),
        DType::I32 => [value.elem::<i32>() as u32, 0],
        DType::I16 => [i32::from(i16::from_scalar(value)) as u32, 0],
        DType::I8 => [i32::from(i8::from_scalar(value)) as u32, 0],
        DType::U32 => [value.elem::<u32>(), 0],
        DType::U16 => [u32::from(u16::from_scalar(value)), 0],
        DType::U8 => [u32::from(u8::from_scalar(value)), 0],
        DType::Bool => [u32::from(bool::from_scalar(value)), 0],
    }
}
