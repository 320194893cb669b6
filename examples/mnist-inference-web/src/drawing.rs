//! From a drawing to the network's input, as the data set of handwritten digits was made: a bitmap of 32 x 32
//! that the digit fills from top to bottom, and of each 4 x 4 block of it the number of black pixels.

/// Height and width of the network's images.
pub const SIDE: usize = 8;

/// Pixels of a block in each direction.
const BLOCK: usize = 4;
const BITMAP: usize = SIDE * BLOCK;

/// Ink from which on a pixel is black.
const BLACK: u8 = 128;

/// Returns the network's input for a drawing, `[8, 8]` with values from 0 to 16. `ink` has a byte for each
/// pixel, row by row of `width` pixels. It is all zeros where nothing is drawn.
pub fn scale(ink: &[u8], width: usize) -> Vec<f32> {
    let mut image = vec![0.0; SIDE * SIDE];
    let Some(bounds) = Bounds::of(ink, width) else { return image };
    // Pixels of the drawing for one of the bitmap.
    let step = bounds.height.max(bounds.width) as f64 / BITMAP as f64;
    let left = (BITMAP as f64 - bounds.width as f64 / step) / 2.0;
    let top = (BITMAP as f64 - bounds.height as f64 / step) / 2.0;
    for row in 0..BITMAP {
        for column in 0..BITMAP {
            // The pixel at the middle of this one.
            let y = (row as f64 + 0.5 - top) * step;
            let x = (column as f64 + 0.5 - left) * step;
            let is_inside = y >= 0.0 && x >= 0.0 && y < bounds.height as f64 && x < bounds.width as f64;
            if is_inside && ink[(bounds.top + y as usize) * width + bounds.left + x as usize] >= BLACK {
                image[row / BLOCK * SIDE + column / BLOCK] += 1.0;
            }
        }
    }
    image
}

/// Smallest rectangle that has all of the ink.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Bounds {
    top: usize,
    left: usize,
    height: usize,
    width: usize,
}

impl Bounds {
    fn of(ink: &[u8], width: usize) -> Option<Self> {
        let black = || ink.iter().enumerate().filter(|(_, ink)| **ink >= BLACK).map(|(at, _)| at);
        let (top, bottom) = (black().next()? / width, black().next_back()? / width);
        let (left, right) = (black().map(|at| at % width).min()?, black().map(|at| at % width).max()?);
        Some(Bounds { top, left, height: bottom - top + 1, width: right - left + 1 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_square_fills_the_image_wherever_it_is_drawn() {
        for (top, left, side) in [(0, 0, 64), (10, 30, 20), (99, 99, 1)] {
            let width = 100;
            let mut ink = vec![0; width * width];
            for row in top..top + side {
                ink[row * width + left..][..side].fill(255);
            }
            assert_eq!(scale(&ink, width), vec![16.0; SIDE * SIDE], "{top} {left} {side}");
        }
    }

    #[test]
    fn a_vertical_bar_stays_in_the_middle() {
        let (width, height) = (80, 64);
        let mut ink = vec![0; width * height];
        // A fourth as wide as it is high: two of eight columns.
        for row in 0..height {
            ink[row * width + 5..][..16].fill(255);
        }
        let image = scale(&ink, width);
        for row in image.chunks(SIDE) {
            assert_eq!(row, [0.0, 0.0, 0.0, 16.0, 16.0, 0.0, 0.0, 0.0]);
        }
    }

    #[test]
    fn nothing_is_an_empty_image() {
        assert_eq!(scale(&[0; 100], 10), vec![0.0; 64]);
        assert_eq!(scale(&[BLACK - 1; 100], 10), vec![0.0; 64]);
        assert_eq!(scale(&[], 10), vec![0.0; 64]);
    }
}
