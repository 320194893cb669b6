use core::ops::Range;

/// Spatial dimensions that kernels handle; tensors with fewer get leading ones of size 1.
pub const SPATIAL: usize = 3;

/// One entry for each spatial dimension.
pub type Spatial = [usize; SPATIAL];

/// Entries for three spatial dimensions from those of fewer.
///
/// # Panics
/// When there are more than three.
#[track_caller]
pub fn spatial(list: &[usize], missing: usize) -> Spatial {
    assert!(list.len() <= SPATIAL, "the CPU backend handles at most {SPATIAL} spatial dimensions");
    let mut result = [missing; SPATIAL];
    result[SPATIAL - list.len()..].copy_from_slice(list);
    result
}

/// Geometry of a window: tap `k` of window `i` reads element `i * stride + k * dilation - padding`.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    pub kernel: Spatial,
    pub stride: Spatial,
    pub padding: Spatial,
    pub dilation: Spatial,
}

impl Window {
    pub fn new(kernel: &[usize], stride: &[usize], padding: &[usize], dilation: &[usize]) -> Self {
        Window {
            kernel: spatial(kernel, 1),
            stride: spatial(stride, 1),
            padding: spatial(padding, 0),
            dilation: spatial(dilation, 1),
        }
    }

    /// The taps of window `i` along `d` that lie inside of `size` elements.
    #[inline(always)]
    pub fn taps(&self, d: usize, i: usize, size: usize) -> Range<usize> {
        let (start, dilation) = (i * self.stride[d], self.dilation[d]);
        let first = self.padding[d].saturating_sub(start).div_ceil(dilation);
        let end = (size + self.padding[d]).saturating_sub(start).div_ceil(dilation).min(self.kernel[d]);
        first.min(end)..end
    }

    /// The element that tap `k` of window `i` reads along `d`; it must lie inside.
    #[inline(always)]
    pub fn element(&self, d: usize, i: usize, k: usize) -> usize {
        i * self.stride[d] + k * self.dilation[d] - self.padding[d]
    }

    /// The windows along `d`, below `count`, whose tap `k` lies inside of `size` elements.
    #[inline(always)]
    pub fn windows(&self, d: usize, k: usize, size: usize, count: usize) -> Range<usize> {
        let shift = k * self.dilation[d];
        let first = self.padding[d].saturating_sub(shift).div_ceil(self.stride[d]);
        let end = (size + self.padding[d]).saturating_sub(shift).div_ceil(self.stride[d]).min(count);
        first.min(end)..end
    }
}

/// A tap of a row of windows: the windows for which it lies inside, and the element that the first of them
/// reads.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tap {
    pub first: usize,
    pub end: usize,
    pub element: usize,
}

/// The taps along the innermost dimension, worked out once.
#[derive(Clone, Copy, Debug)]
pub struct Taps {
    known: [Tap; Taps::KNOWN],
    window: Window,
    input: usize,
    output: usize,
}

impl Taps {
    const KNOWN: usize = 8;

    pub fn new(window: &Window, input: usize, output: usize) -> Self {
        let mut taps = Taps { known: [Tap::default(); Taps::KNOWN], window: *window, input, output };
        for k in 0..Taps::KNOWN.min(window.kernel[2]) {
            taps.known[k] = taps.compute(k);
        }
        taps
    }

    fn compute(&self, k: usize) -> Tap {
        let inside = self.window.windows(2, k, self.input, self.output);
        let element = if inside.is_empty() { 0 } else { self.window.element(2, inside.start, k) };
        Tap { first: inside.start, end: inside.end, element }
    }

    #[inline(always)]
    pub fn get(&self, k: usize) -> Tap {
        if k < Taps::KNOWN { self.known[k] } else { self.compute(k) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn taps_and_windows_are_those_that_lie_inside() {
        for (stride, padding, dilation) in [(1, 0, 1), (2, 1, 1), (3, 2, 2), (1, 3, 2)] {
            let (kernel, size) = (3, 7);
            let list = |value| [value];
            let window = Window::new(&[kernel], &list(stride), &list(padding), &list(dilation));
            let count = (size + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1;
            let inside =
                |i: usize, k: usize| (padding..padding + size).contains(&(i * stride + k * dilation));
            for i in 0..count {
                let expected: Vec<usize> = (0..kernel).filter(|&k| inside(i, k)).collect();
                assert_eq!(window.taps(2, i, size).collect::<Vec<_>>(), expected);
            }
            for k in 0..kernel {
                let expected: Vec<usize> = (0..count).filter(|&i| inside(i, k)).collect();
                assert_eq!(window.windows(2, k, size, count).collect::<Vec<_>>(), expected);
            }
        }
    }
}
