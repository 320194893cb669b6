use super::format::{Format, element_of, quad_of};
use super::words::words_of;
use crate::launch::kernel::{B, Body, Kernel, launch};
use crate::launch::strides;
use crate::launch::tensor::CubeTensor;
use crate::launch::words::{LaunchWords, launch_words, word};
use crate::ops::layout::permute;
use burn_backend::{DType, Dims, HasSpec, PackedBlocks, TensorSpec};
use cubecl::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct DequantizeBlocks {
    format: Format,
}

launch_words! {
    struct CountWords {
        /// Words of numbers in all blocks.
        words: u32,
    }
}

#[cube]
fn decode<E: Numeric>(
    blocks: &Array<u32>,
    out: &mut Array<E>,
    counts: &CountWords,
    #[comptime] format: Format,
) {
    let at = strides::position();
    if at < counts.words {
        let (block, word) = (at / comptime!(format.words()), at % comptime!(format.words()));
        #[unroll]
        for quad in 0..comptime!(format.quads()) {
            let found = quad_of(blocks, block * comptime!(format.bytes()), word, quad, format);
            let first = block * comptime!(format.elements()) + found.element;
            #[unroll]
            for k in 0..4u32 {
                out[(first + k) as usize] = E::cast_from(element_of(&found, k, format));
            }
        }
    }
}

impl Kernel for DequantizeBlocks {
    const NAME: &'static str = "dequantize_blocks";

    fn expand(&self, body: &mut Body) {
        let (blocks, out) = (body.array(0), body.array(1));
        let counts = body.read::<CountWords>();
        decode::expand::<B>(&mut body.scope, blocks, out, counts, self.format);
    }
}

/// Dequantizes a matrix of blocks, if the kernel knows it.
pub fn dequantize_blocks(x: &PackedBlocks<CubeTensor>) -> Option<CubeTensor> {
    let words = if x.dtype == DType::F64 { None } else { words_of(&x.blocks) }?;
    let format = Format(x.format);
    let stored = x.blocks.spec().shape.num_elements() / x.format.bytes();
    let shape = if x.transposed { x.clone().transpose().shape() } else { x.shape() };
    let out = CubeTensor::empty(TensorSpec { shape, dtype: x.dtype }, words.engine());
    let count = stored * format.words() as usize;
    let counts = CountWords { words: word(count) };
    launch(DequantizeBlocks { format }, &[&words], &[&out], &counts.words(), count);
    Some(if x.transposed { permute(out, &Dims::from([1, 0])) } else { out })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::kernel::define;
    use burn_backend::BlockFormat;

    #[test]
    fn kernels_of_all_formats_expand() {
        for format in BlockFormat::ALL.map(Format) {
            define(DequantizeBlocks { format }, [&[DType::U32], &[DType::BF16]], &[1, 1], 1);
        }
    }
}
