//! The lines of several views of one shape, along one dimension.

use crate::launch::kernel::Body;
use crate::launch::strides::{self, Merged};
use crate::launch::tensor::CubeTensor;
use burn_backend::{Dims, HasSpec, Shape};
use cubecl::prelude::*;

/// Lines of several views: their start offsets and strides.
#[derive(Clone, Debug)]
pub struct Lines {
    kept: Merged,
    /// Offset of the first element and stride along the line, by view.
    along: Vec<(usize, usize)>,
    pub count: usize,
    pub terms: usize,
}

/// Part of [`Lines`] that is known when a kernel is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LinesKind {
    rank: usize,
}

impl Lines {
    /// Describes views whose shapes differ along `dim` at most; the first view defines the number of terms.
    pub fn new(views: &[&CubeTensor], dim: usize) -> Self {
        let shape = views[0].shape();
        let list = || (0..shape.rank()).filter(|&d| d != dim);
        let kept: Shape = list().map(|d| shape[d]).collect();
        let strides: Vec<Dims> = views.iter().map(|x| list().map(|d| x.strides()[d]).collect()).collect();
        let along = views.iter().map(|x| (x.offset(), x.strides()[dim])).collect();
        Lines { kept: Merged::new(&kept, &strides), along, count: kept.num_elements(), terms: shape[dim] }
    }

    pub fn kind(&self) -> LinesKind {
        LinesKind { rank: self.kept.rank() }
    }

    /// Whether elements of neighbouring lines of the first view are closer than those of one line.
    pub fn are_across(&self) -> bool {
        self.along[0].1 != 1 && self.kept.strides[0].first() == Some(&1)
    }

    pub fn words(&self) -> Vec<u32> {
        let mut words: Vec<u32> = strides::words(&[self.count, self.terms]).collect();
        words.extend(strides::words(&self.kept.sizes));
        for (&(offset, step), strides) in self.along.iter().zip(&self.kept.strides) {
            words.extend(strides::words(&[offset, step]));
            words.extend(strides::words(strides));
        }
        words
    }
}

/// [`Lines`] in a kernel.
#[derive(CubeType, Clone)]
pub struct LineWords {
    pub count: u32,
    pub terms: u32,
    sizes: Sequence<u32>,
}

/// One view of them.
#[derive(CubeType, Clone)]
pub struct LineView {
    offset: u32,
    pub step: u32,
    strides: Sequence<u32>,
}

impl LinesKind {
    /// Reads the words of [`Lines::words`], of so many views.
    pub fn read<const VIEWS: usize>(self, body: &mut Body) -> (LineWordsExpand, [LineViewExpand; VIEWS]) {
        let (count, terms) = (body.next_word(), body.next_word());
        let lines = LineWordsExpand { count, terms, sizes: body.next_words(self.rank) };
        let views = std::array::from_fn(|_| {
            let (offset, step) = (body.next_word(), body.next_word());
            LineViewExpand { offset, step, strides: body.next_words(self.rank) }
        });
        (lines, views)
    }
}

/// Index of the first element of a line.
#[cube]
pub fn line_start(lines: &LineWords, view: &LineView, line: u32) -> u32 {
    strides::place(line, &lines.sizes, &view.strides, view.offset)
}

/// Index of element `k` of a line that starts at `start`.
#[cube]
pub fn along(view: &LineView, start: u32, k: u32) -> usize {
    (start + k * view.step) as usize
}
