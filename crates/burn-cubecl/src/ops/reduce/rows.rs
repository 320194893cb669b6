use crate::launch::kernel::{Body, UNITS};
use crate::launch::row_groups::{self, Team};
use crate::launch::strides::{self, Merged};
use crate::launch::tensor::CubeTensor;
use burn_backend::{Dims, HasSpec, Shape};
use cubecl::prelude::*;

/// Cubes that keep a device busy.
const BUSY: usize = 1024;
/// Elements that a unit should have, so that sharing a row pays.
const ENOUGH: usize = 16;

/// The rows of a view, which are made of some of its dimensions, and how they are shared among cubes.
#[derive(Clone, Debug)]
pub struct ReducedRows {
    kept: Merged,
    folded: Merged,
    offset: usize,
    pub count: usize,
    pub terms: usize,
    /// Elements of a part of a row.
    chunk: usize,
    /// Parts of a row.
    pub parts: usize,
    team: Team,
}

fn is_adjacent(view: &Merged) -> bool {
    view.strides[0].first() == Some(&1)
}

/// Part of [`ReducedRows`] that is known when a kernel is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RowsKind {
    pub team: Team,
    kept: usize,
    folded: usize,
}

impl ReducedRows {
    pub fn new(x: &CubeTensor, dims: &[usize]) -> Self {
        let pick = |wanted: bool| {
            let list = || (0..x.spec().shape.rank()).filter(move |d| dims.contains(d) == wanted);
            let shape: Shape = list().map(|d| x.spec().shape[d]).collect();
            let strides: Dims = list().map(|d| x.strides()[d]).collect();
            (shape.num_elements(), Merged::new(&shape, &[strides]))
        };
        let ((count, kept), (terms, mut folded)) = (pick(false), pick(true));
        if folded.rank() == 0 {
            folded = Merged { sizes: vec![1], strides: vec![vec![0]] };
        }
        let across = is_adjacent(&kept) && !is_adjacent(&folded);
        ReducedRows::shared(kept, folded, x.offset(), [count, terms], across)
    }

    fn shared(kept: Merged, folded: Merged, offset: usize, [count, terms]: [usize; 2], across: bool) -> Self {
        let size = match terms {
            ..16 => 1,
            _ if across => 8,
            16..1024 => 32,
            _ => UNITS,
        };
        let team = Team { size, across };
        let cubes = count.div_ceil(team.rows() as usize).max(1);
        let wanted = (BUSY / cubes).clamp(1, (terms / (size as usize * ENOUGH)).max(1));
        // Whole steps of a team, so that rows in parts stay aligned.
        let chunk = terms.div_ceil(wanted).next_multiple_of(size as usize).max(1);
        let parts = terms.div_ceil(chunk).max(1);
        ReducedRows { kept, folded, offset, count, terms, chunk, parts, team }
    }

    /// Groups `width` neighbouring rows into vectors; `None` where their elements are not adjacent.
    pub fn in_vectors(&self, width: usize) -> Option<Self> {
        let mut rows = self.clone();
        if width == 1 || !rows.team.across {
            return None;
        }
        let inner = rows.kept.strides[0].iter_mut().skip(1);
        for step in
            inner.chain(&mut rows.folded.strides[0]).chain([&mut rows.offset, &mut rows.kept.sizes[0]])
        {
            if *step % width != 0 {
                return None;
            }
            *step /= width;
        }
        Some(ReducedRows::shared(rows.kept, rows.folded, rows.offset, [rows.count / width, rows.terms], true))
    }

    pub fn kind(&self) -> RowsKind {
        RowsKind { team: self.team, kept: self.kept.rank(), folded: self.folded.rank() }
    }

    pub fn cubes(&self) -> usize {
        (self.count * self.parts).div_ceil(self.team.rows() as usize)
    }

    pub fn words(&self) -> Vec<u32> {
        let mut words: Vec<u32> =
            strides::words(&[self.count, self.terms, self.chunk, self.parts, self.offset]).collect();
        for list in [&self.kept.sizes, &self.kept.strides[0], &self.folded.sizes, &self.folded.strides[0]] {
            words.extend(strides::words(list));
        }
        words
    }

    /// Results of parts: a dimension for the parts, and which one it is. Rows are in vectors of `width`.
    pub fn of_parts(&self, width: usize) -> (Shape, usize) {
        if self.team.across {
            ([self.parts, self.count * width].into(), 0)
        } else {
            ([self.count, self.parts].into(), 1)
        }
    }
}

/// [`ReducedRows`] in a kernel.
#[derive(CubeType, Clone)]
pub struct RowWords {
    count: u32,
    terms: u32,
    chunk: u32,
    parts: u32,
    offset: u32,
    sizes: Sequence<u32>,
    strides: Sequence<u32>,
    inner_sizes: Sequence<u32>,
    inner_strides: Sequence<u32>,
}

impl RowsKind {
    /// Reads the words of [`ReducedRows::words`].
    pub fn read(self, body: &mut Body) -> RowWordsExpand {
        RowWordsExpand {
            count: body.next_word(),
            terms: body.next_word(),
            chunk: body.next_word(),
            parts: body.next_word(),
            offset: body.next_word(),
            sizes: body.next_words(self.kept),
            strides: body.next_words(self.kept),
            inner_sizes: body.next_words(self.folded),
            inner_strides: body.next_words(self.folded),
        }
    }

    fn is_linear(self) -> bool {
        self.folded == 1
    }
}

/// Share of a unit: a part of a row, together with the other units of its team.
#[derive(CubeType, Clone)]
pub struct Share {
    row: u32,
    part: u32,
    /// Whether there is such a part.
    pub inside: bool,
    /// The unit's index in its team.
    pub lane: u32,
    /// The place of the row's first element.
    pub start: u32,
    /// The first element of the part, and the one after it.
    pub first: u32,
    pub last: u32,
}

#[cube]
pub fn share_of(rows: &RowWords, #[comptime] kind: RowsKind) -> Share {
    let which = row_groups::row(comptime!(kind.team));
    let (row, part) = if comptime!(kind.team.across) {
        (which % rows.count, which / rows.count)
    } else {
        (which / rows.parts, which % rows.parts)
    };
    let first = part * rows.chunk;
    Share {
        row,
        part,
        inside: row < rows.count && part < rows.parts,
        lane: row_groups::lane(comptime!(kind.team)),
        start: strides::place(row, &rows.sizes, &rows.strides, rows.offset),
        first,
        last: row_groups::part_end(first, rows.chunk, rows.terms),
    }
}

/// Where the result of a part belongs.
#[cube]
pub fn result_place(rows: &RowWords, share: &Share, #[comptime] kind: RowsKind) -> usize {
    let place = if comptime!(kind.team.across) {
        share.part * rows.count + share.row
    } else {
        share.row * rows.parts + share.part
    };
    place as usize
}

/// Index of element `k` of the row that starts at `start`.
#[cube]
pub fn element(rows: &RowWords, start: u32, k: u32, #[comptime] kind: RowsKind) -> usize {
    if comptime!(kind.is_linear()) {
        (start + k * *rows.inner_strides.index(0usize)) as usize
    } else {
        strides::place(k, &rows.inner_sizes, &rows.inner_strides, start) as usize
    }
}
