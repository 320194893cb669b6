use burn_core::tensor::DType;
use burn_core::tensor::quantization::BlockFormat;
use serde::{Deserialize, Serialize};

/// Element type of keys and values in a [`KvCache`](super::KvCache).
///
/// ```
/// use burn::lm::CacheDtype;
/// use burn::tensor::DType;
/// use burn::tensor::quantization::BlockFormat;
///
/// assert_eq!(CacheDtype::from(DType::F16), CacheDtype::Float(DType::F16));
/// assert_eq!(CacheDtype::from(BlockFormat::Q8_0), CacheDtype::Blocks(BlockFormat::Q8_0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum CacheDtype {
    /// Floats of this dtype.
    Float(DType),
    /// Quantized blocks along the dimension of a head, `d_head`. [`BlockFormat::Q8_0`] alone: integers of 8
    /// bits, with a scale of half precision for each 32, 34 bytes in place of the 128 of `f32`. Largest and
    /// smallest element of a block are kept, others are rounded to a 127th of the largest magnitude.
    Blocks(BlockFormat),
}

impl From<DType> for CacheDtype {
    fn from(dtype: DType) -> Self {
        CacheDtype::Float(dtype)
    }
}

impl From<BlockFormat> for CacheDtype {
    fn from(format: BlockFormat) -> Self {
        CacheDtype::Blocks(format)
    }
}
