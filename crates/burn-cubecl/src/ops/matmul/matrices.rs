//! Batches of matrices in a kernel: their sizes, and where views have their elements.

use crate::launch::kernel::Body;
use crate::launch::strides;
use burn_backend::Dims;
use cubecl::prelude::*;

/// A product: sizes of the result and of the inner dimension, and those of the batch, the innermost first.
#[derive(CubeType, Clone, Debug)]
pub struct Matrices {
    pub batch: u32,
    pub rows: u32,
    pub cols: u32,
    pub depth: u32,
    pub sizes: Sequence<u32>,
}

impl Matrices {
    /// Reads the sizes of a product whose batch has so many dimensions.
    pub fn read(body: &mut Body, outer: usize) -> MatricesExpand {
        MatricesExpand {
            batch: body.next_word(),
            rows: body.next_word(),
            cols: body.next_word(),
            depth: body.next_word(),
            sizes: body.next_words(outer),
        }
    }
}

/// A view as a batch of matrices: where it begins, and its strides.
#[derive(CubeType, Clone, Debug)]
pub struct View {
    pub start: u32,
    pub by_row: u32,
    pub by_col: u32,
    along: Sequence<u32>,
}

impl View {
    /// A view with these strides from `offset` on, as words.
    pub fn words(strides: &Dims, offset: usize) -> impl Iterator<Item = u32> + '_ {
        let (outer, inner) = strides.split_at(strides.len() - 2);
        let numbers = std::iter::once(offset).chain(inner.iter().copied()).chain(outer.iter().rev().copied());
        numbers.map(|number| number as u32)
    }

    /// Reads a view whose batch has so many dimensions.
    pub fn read(body: &mut Body, outer: usize) -> ViewExpand {
        ViewExpand {
            start: body.next_word(),
            by_row: body.next_word(),
            by_col: body.next_word(),
            along: body.next_words(outer),
        }
    }
}

/// One of the two operands of a product: its elements, and a view of them.
#[derive(CubeType)]
pub struct Operand<E: Numeric> {
    pub elements: Array<E>,
    pub view: View,
}

/// The first element of matrix `which`.
#[cube]
pub fn first_of(view: &View, which: u32, matrices: &Matrices) -> u32 {
    strides::place(which, &matrices.sizes, &view.along, view.start)
}
