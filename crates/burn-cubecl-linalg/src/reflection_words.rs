//! Numbers of launches that reflect panels.

use crate::panel::Panel;
use crate::working::sizes;
use burn_cubecl::CubeTensor;
use burn_cubecl::kernels::{launch_words, word};
use cubecl::prelude::*;
use std::ops::Range;

launch_words! {
    /// Panels of a batch of matrices and of the vectors that reflect them.
    pub struct ReflectionWords {
        pub batch: u32,
        pub rows: u32,
        pub cols: u32,
        /// Columns of the vectors.
        pub inner: u32,
        /// Columns of the panel.
        pub start: u32,
        pub end: u32,
    }
}

impl ReflectionWords {
    pub fn new(x: &CubeTensor, columns: Range<usize>) -> Self {
        let [batch, rows, cols] = sizes(x);
        ReflectionWords {
            batch: word(batch),
            rows: word(rows),
            cols: word(cols),
            inner: word(rows.min(cols)),
            start: word(columns.start),
            end: word(columns.end),
        }
    }
}

/// The panel of a matrix.
#[cube]
pub fn reflected_panel(words: &ReflectionWords, matrix: u32) -> Panel {
    Panel {
        base: matrix * words.rows * words.cols,
        rows: words.rows,
        cols: words.cols,
        start: words.start,
        end: words.end,
    }
}

/// The vectors of the panel of a matrix.
#[cube]
pub fn reflector_panel(words: &ReflectionWords, matrix: u32) -> Panel {
    Panel {
        base: matrix * words.rows * words.inner,
        rows: words.rows,
        cols: words.inner,
        start: words.start,
        end: words.end,
    }
}
