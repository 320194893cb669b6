/// Height and width of an image.
pub const SIZE: usize = 8;

/// Images with their labels, as `export.py` of the example `onnx-inference` wrote them.
static DIGITS: &[u8] = include_bytes!("../../onnx-inference/data/digits.bin");

/// Handwritten digit that the network was not trained on.
#[derive(Clone, Copy, Debug)]
pub struct Digit {
    /// Pixels from 0 to 16, row by row.
    pub pixels: &'static [u8],
    /// The digit that was written.
    pub label: u8,
}

/// Returns the 100 digits that are part of the program.
pub fn digits() -> impl ExactSizeIterator<Item = Digit> + Clone {
    DIGITS.chunks_exact(SIZE * SIZE + 1).map(|bytes| {
        let (pixels, label) = bytes.split_at(SIZE * SIZE);
        Digit { pixels, label: label[0] }
    })
}
