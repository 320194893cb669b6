use alloc::vec::Vec;
use burn::tensor::{Backend, Tensor, TensorData};

/// Height and width of an image.
const SIZE: usize = 8;

/// Images with their labels, as `python/export.py` wrote them.
static DIGITS: &[u8] = include_bytes!("../data/digits.bin");

/// Handwritten digit that the network was not trained on.
#[derive(Clone, Copy, Debug)]
pub struct Digit {
    /// Pixels from 0 to 16, row by row.
    pub pixels: &'static [u8],
    /// The digit that was written.
    pub label: u8,
}

/// Returns the digits that are part of the program.
pub fn digits() -> impl ExactSizeIterator<Item = Digit> {
    DIGITS.chunks_exact(SIZE * SIZE + 1).map(|bytes| {
        let (pixels, label) = bytes.split_at(SIZE * SIZE);
        Digit { pixels, label: label[0] }
    })
}

/// Returns the images of digits as a batch, `[digits, 1, 8, 8]`.
pub fn images<B: Backend>(digits: impl ExactSizeIterator<Item = Digit>, device: &B::Device) -> Tensor<B, 4> {
    let shape = [digits.len(), 1, SIZE, SIZE];
    let pixels: Vec<f32> = digits.flat_map(|digit| digit.pixels).map(|&pixel| f32::from(pixel)).collect();
    Tensor::from_data(TensorData::new(pixels, shape), device)
}
