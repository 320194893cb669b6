//! First kernel of attention with a cache: the row of keys and values that a sequence is given is rotated,
//! written to the cache, and attended to with those that the cache has. These are read before earlier kernels
//! are waited for, where nothing that may still run writes them.

use super::pieces::{
    Operands, OperandsExpand, PIECE, PieceWords, Pieces, Staged, W, hidden_keys, keys_left, own_piece,
    own_rows, staged_rows, staged_sums, weights,
};
use crate::launch::dependent_launch::Start;
use crate::launch::kernel::{A, B, Body, Kernel, UNITS};
use crate::launch::words::launch_words;
use crate::ops::index::place_of;
use cubecl::prelude::*;

/// Kernel of the pieces, which are staged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CachedPieces {
    pub pieces: Pieces,
    /// Elements of a head that are rotated.
    pub rotated: u32,
    pub interleaved: bool,
    pub start: Start,
}

launch_words! {
    pub struct CacheWords {
        /// The first position of the first sequence, and from one sequence to the next.
        pub first: u32,
        pub step: u32,
        /// Positions of the cache.
        pub positions: u32,
    }
}

/// New keys and values, and tables of rotations.
#[derive(CubeType)]
struct NewRows<E: Numeric, I: Int> {
    key: Array<E>,
    value: Array<E>,
    places: Array<I>,
    rotation: Array<E>,
}

/// The column whose element makes a pair with that of `column`.
#[cube]
fn partner(column: u32, #[comptime] kind: CachedPieces) -> u32 {
    let half = comptime!(kind.rotated / 2);
    if comptime!(kind.interleaved) {
        select(column % 2u32 == 0u32, column + 1u32, column - 1u32)
    } else {
        select(column < half, column + half, column - half)
    }
}

/// An element of a head, and what rotates it.
#[derive(CubeType)]
struct Element<E: Numeric> {
    own: E,
    other: E,
    cos: E,
    sin: E,
}

/// Asks for the element at `column` of a head that begins at `first`.
#[cube]
fn element<E: Numeric, I: Int>(
    x: &Array<E>,
    first: u32,
    column: u32,
    new: &NewRows<E, I>,
    words: &PieceWords,
    #[comptime] kind: CachedPieces,
) -> Element<E> {
    let own = x[(first + column) as usize];
    if comptime!(kind.rotated > 0) {
        let column = select(column < kind.rotated, column, 0u32);
        let (_piece, _group, _head, batch) = own_piece(words);
        let at = batch * comptime!(2 * kind.rotated) + column;
        let cos = new.rotation[at as usize];
        let sin = new.rotation[(at + kind.rotated) as usize];
        let other = x[(first + partner(column, kind)) as usize];
        Element::<E> { own, other, cos, sin }
    } else {
        Element::<E> { own, other: own, cos: own, sin: own }
    }
}

/// The element at `column` after rotation.
#[cube]
fn rotated<E: Numeric>(x: &Element<E>, column: u32, #[comptime] kind: CachedPieces) -> f32 {
    let own = f32::cast_from(x.own);
    if comptime!(kind.rotated > 0) {
        let sum = own * f32::cast_from(x.cos) + f32::cast_from(x.other) * f32::cast_from(x.sin);
        select(column < kind.rotated, sum, own)
    } else {
        own
    }
}

/// Queries after rotation times the scale, and the new rows of keys and of values, in shared memory. All
/// elements are asked for before one is waited for.
#[cube]
fn rows<E: Numeric, I: Int>(
    query: &Array<E>,
    new: &NewRows<E, I>,
    words: &PieceWords,
    #[comptime] kind: CachedPieces,
) -> (SharedMemory<f32>, SharedMemory<E>) {
    let (numbers, head) = comptime!((kind.pieces.rows * kind.pieces.head, kind.pieces.head));
    let (turns, new_turns) = comptime!((numbers.div_ceil(UNITS), head.div_ceil(UNITS)));
    let mut queries = SharedMemory::<f32>::new(comptime!(numbers as usize));
    let mut row = SharedMemory::<E>::new(comptime!((2 * head) as usize));
    let (_piece, group, _head, _batch) = own_piece(words);
    let mut elements = Sequence::<Element<E>>::new();
    let mut values = Sequence::<E>::new();
    #[unroll]
    for turn in 0..turns {
        let at = UNIT_POS + comptime!(turn * UNITS);
        let at = select(at < numbers, at, 0u32);
        let first = group * numbers + at / head * head;
        elements.push(element::<E, I>(query, first, at % head, new, words, kind));
    }
    #[unroll]
    for turn in 0..new_turns {
        let at = UNIT_POS + comptime!(turn * UNITS);
        let at = select(at < head, at, 0u32);
        elements.push(element::<E, I>(&new.key, group * head, at, new, words, kind));
        values.push(new.value[(group * head + at) as usize]);
    }
    #[unroll]
    for turn in 0..turns {
        let at = UNIT_POS + comptime!(turn * UNITS);
        if at < numbers {
            let query = rotated::<E>(elements.index(comptime!(turn as usize)), at % head, kind);
            queries[at as usize] = query * f32::reinterpret(words.scale);
        }
    }
    #[unroll]
    for turn in 0..new_turns {
        let at = UNIT_POS + comptime!(turn * UNITS);
        if at < head {
            let key = rotated::<E>(elements.index(comptime!((turns + turn) as usize)), at, kind);
            row[at as usize] = E::cast_from(key);
            row[(head + at) as usize] = *values.index(comptime!(turn as usize));
        }
    }
    (queries, row)
}

/// The caches.
#[derive(CubeType)]
struct Caches<E: Numeric, N: Size> {
    key: Array<Vector<E, N>>,
    value: Array<Vector<E, N>>,
}

/// The position of the new row of a cube's sequence.
#[derive(CubeType)]
struct NewPosition {
    /// Behind the first position of the sequence.
    own: u32,
    exists: bool,
}

#[cube]
fn new_position<E: Numeric, I: Int>(
    new: &NewRows<E, I>,
    words: &PieceWords,
    cache: &CacheWords,
) -> NewPosition {
    let (_piece, _group, _head, batch) = own_piece(words);
    let position = place_of::<I>(new.places[batch as usize]);
    // Before the sequence, this is a number beyond all others, and an address is right again by overflow.
    let own = position - (cache.first + batch * cache.step);
    NewPosition { own, exists: position < cache.positions }
}

/// Writes the new row to the piece, if it is one of its rows, and, once for all pieces, to the cache.
#[cube]
fn keep_new_row<E: Numeric, N: Size>(
    staged: &mut Staged<E, N>,
    row: &SharedMemory<E>,
    caches: &mut Caches<E, N>,
    position: &NewPosition,
    places: &Operands,
    words: &PieceWords,
    #[comptime] kind: CachedPieces,
) {
    let vectors = comptime!(kind.pieces.vectors());
    let (piece, _group, head, batch) = own_piece(words);
    let in_piece = position.own - piece * PIECE;
    let is_here = in_piece < PIECE && in_piece < keys_left(words);
    let is_written = piece == 0u32 && position.exists;
    let key = places.key.start + batch * places.key.batch + head * places.key.head;
    let value = places.value.start + batch * places.value.batch + head * places.value.head;
    let mut at = UNIT_POS + 0u32;
    while at < comptime!(2 * vectors) {
        let mut elements = Vector::<E, N>::empty();
        #[unroll]
        for j in 0..comptime!(kind.pieces.width as usize) {
            elements[j] = row[at as usize * comptime!(kind.pieces.width as usize) + j];
        }
        let vector = at % vectors;
        if at < vectors {
            if is_here {
                staged.keys[(in_piece * comptime!(kind.pieces.stride()) + vector) as usize] = elements;
            }
            if is_written {
                caches.key[(key + position.own * places.key.row + vector) as usize] = elements;
            }
        } else {
            if is_here {
                staged.values[(in_piece * vectors + vector) as usize] = elements;
            }
            if is_written {
                caches.value[(value + position.own * places.value.row + vector) as usize] = elements;
            }
        }
        at += UNITS;
    }
}

#[cube]
fn synchronize() {
    sync_cube();
}

impl Kernel for CachedPieces {
    const NAME: &'static str = "attention_cached_pieces";
    // Places are those of views, of keys that exist, and of new rows that are looked at.
    const CHECKED: bool = false;

    fn expand(&self, body: &mut Body) {
        let kind = self.pieces;
        body.scope.register_size::<W>(kind.width as usize);
        let (query, mask) = (body.array::<A>(0), body.array(5));
        let new = NewRowsExpand::<A, B> {
            places: body.array(1),
            key: body.array(2),
            value: body.array(3),
            rotation: body.array(4),
        };
        let caches = CachesExpand::<A, W> { key: body.array(6), value: body.array(7) };
        let (sums, stats) = (body.array(8), body.array(9));
        let words = body.read::<PieceWords>();
        let places = OperandsExpand::read(body);
        let cache = body.read::<CacheWords>();
        let scope = &mut body.scope;
        let (key, value) = (caches.key.clone(), caches.value.clone());
        let read = |scope: &mut Scope| {
            own_rows::expand::<A, W>(scope, key.clone(), value, places.clone(), words.clone(), kind)
        };
        let own = self.start.around_wait(scope, read);
        let hidden = hidden_keys::expand(scope, mask, places.clone(), words.clone(), kind);
        let position = new_position::expand::<A, B>(scope, new.clone(), words.clone(), cache);
        let (queries, row) = rows::expand::<A, B>(scope, query, new, words.clone(), *self);
        let staged = staged_rows::expand::<A, W>(scope, own, queries, hidden, kind);
        synchronize::expand(scope);
        let (of, at) = (staged.clone(), places.clone());
        keep_new_row::expand::<A, W>(scope, of, row, caches, position, at, words.clone(), *self);
        let at = places.clone();
        let scores = weights::expand::<A, W>(scope, staged.clone(), key, stats, at, words.clone(), kind);
        staged_sums::expand::<A, W>(scope, staged, scores, sums, words, kind);
    }
}
