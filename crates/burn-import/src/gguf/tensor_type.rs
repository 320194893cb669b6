use crate::file_bytes::FileBytes;
use crate::stored_type::StoredType;
use burn_core::tensor::quantization::BlockFormat;
use burn_core::tensor::{DType, Shape, TensorData};
use std::ops::Range;

/// Types of elements by their numbers in the format: name, elements of a block, bytes of a block, and how
/// they are read.
const TYPES: &[(u32, &str, u64, u64, Encoding)] = &[
    (0, "F32", 1, 4, Encoding::Plain(DType::F32)),
    (1, "F16", 1, 2, Encoding::Plain(DType::F16)),
    (2, "Q4_0", 32, 18, Encoding::Blocks(BlockFormat::Q4_0)),
    (3, "Q4_1", 32, 20, Encoding::Blocks(BlockFormat::Q4_1)),
    (6, "Q5_0", 32, 22, Encoding::Blocks(BlockFormat::Q5_0)),
    (7, "Q5_1", 32, 24, Encoding::Blocks(BlockFormat::Q5_1)),
    (8, "Q8_0", 32, 34, Encoding::Blocks(BlockFormat::Q8_0)),
    (9, "Q8_1", 32, 40, Encoding::Unknown),
    (10, "Q2_K", 256, 84, Encoding::Blocks(BlockFormat::Q2K)),
    (11, "Q3_K", 256, 110, Encoding::Blocks(BlockFormat::Q3K)),
    (12, "Q4_K", 256, 144, Encoding::Blocks(BlockFormat::Q4K)),
    (13, "Q5_K", 256, 176, Encoding::Blocks(BlockFormat::Q5K)),
    (14, "Q6_K", 256, 210, Encoding::Blocks(BlockFormat::Q6K)),
    (15, "Q8_K", 256, 292, Encoding::Unknown),
    (16, "IQ2_XXS", 256, 66, Encoding::Unknown),
    (17, "IQ2_XS", 256, 74, Encoding::Unknown),
    (18, "IQ3_XXS", 256, 98, Encoding::Unknown),
    (19, "IQ1_S", 256, 50, Encoding::Unknown),
    (20, "IQ4_NL", 32, 18, Encoding::Unknown),
    (21, "IQ3_S", 256, 110, Encoding::Unknown),
    (22, "IQ2_S", 256, 82, Encoding::Unknown),
    (23, "IQ4_XS", 256, 136, Encoding::Unknown),
    (24, "I8", 1, 1, Encoding::Plain(DType::I8)),
    (25, "I16", 1, 2, Encoding::Plain(DType::I16)),
    (26, "I32", 1, 4, Encoding::Plain(DType::I32)),
    (27, "I64", 1, 8, Encoding::Plain(DType::I64)),
    (28, "F64", 1, 8, Encoding::Plain(DType::F64)),
    (29, "IQ1_M", 256, 56, Encoding::Unknown),
    (30, "BF16", 1, 2, Encoding::Plain(DType::BF16)),
    (34, "TQ1_0", 256, 54, Encoding::Unknown),
    (35, "TQ2_0", 256, 66, Encoding::Unknown),
    (39, "MXFP4", 32, 17, Encoding::Unknown),
];

#[derive(Clone, Copy)]
enum Encoding {
    Plain(DType),
    Blocks(BlockFormat),
    /// The size is known, so that the file can be listed.
    Unknown,
}

/// The type of the elements of a tensor.
#[derive(Clone, Copy)]
pub struct TensorType {
    pub name: &'static str,
    block: u64,
    bytes: u64,
    encoding: Encoding,
}

impl TensorType {
    pub fn of(number: u32) -> Result<Self, String> {
        let found = TYPES.iter().find(|(known, ..)| *known == number);
        let (_, name, block, bytes, encoding) =
            found.ok_or_else(|| format!("elements of the unknown type {number}"))?;
        Ok(TensorType { name, block: *block, bytes: *bytes, encoding: *encoding })
    }

    /// Returns the dtype of the data after reading.
    pub fn dtype(&self) -> DType {
        match self.encoding {
            Encoding::Plain(dtype) => dtype,
            Encoding::Blocks(_) | Encoding::Unknown => DType::F32,
        }
    }

    /// Returns the bytes of a tensor whose rows have `row` elements; a block does not extend over the end of
    /// a row.
    pub fn size(&self, elements: u64, row: u64) -> Result<u64, String> {
        if !row.is_multiple_of(self.block) {
            return Err(format!(
                "rows of {row} elements are not whole blocks of {} ({})",
                self.block, self.name
            ));
        }
        (elements / self.block).checked_mul(self.bytes).ok_or_else(|| "a tensor beyond memory".to_string())
    }

    pub fn read(&self, file: &FileBytes, range: Range<u64>, shape: Shape) -> Result<TensorData, String> {
        let bytes = file.part(range.clone()).ok_or("truncated")?;
        match self.encoding {
            Encoding::Plain(dtype) => StoredType::Plain(dtype).decode_part(file, range, shape),
            Encoding::Unknown => Err(format!("tensors of type {} are not read", self.name)),
            Encoding::Blocks(format) => decode(format, bytes, shape),
        }
    }

    /// Returns the block format, if the type is one that is read.
    pub fn format(&self) -> Option<BlockFormat> {
        match self.encoding {
            Encoding::Blocks(format) => Some(format),
            Encoding::Plain(_) | Encoding::Unknown => None,
        }
    }
}

/// Dequantizes blocks, on all processors where there are many.
fn decode(format: BlockFormat, bytes: &[u8], shape: Shape) -> Result<TensorData, String> {
    /// Elements that are worth a thread.
    const SHARE: usize = 1 << 20;
    let mut data = TensorData::zeroed(shape, DType::F32).map_err(|error| error.to_string())?;
    let values = data.as_mut_slice::<f32>().map_err(|error| error.to_string())?;
    let blocks = bytes.len() / format.bytes();
    if blocks * format.bytes() != bytes.len() || blocks * format.elements() != values.len() {
        return Err(format!("{} bytes are not {} elements of {}", bytes.len(), values.len(), format.name()));
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = cores.min(values.len() / SHARE).max(1);
    let share = blocks.div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        let bytes = bytes.chunks(share * format.bytes());
        let mut parts = bytes.zip(values.chunks_mut(share * format.elements()));
        let own = parts.next();
        for (bytes, values) in parts {
            scope.spawn(move || format.decode(bytes, values));
        }
        if let Some((bytes, values)) = own {
            format.decode(bytes, values);
        }
    });
    Ok(data)
}

impl std::fmt::Debug for TensorType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}
