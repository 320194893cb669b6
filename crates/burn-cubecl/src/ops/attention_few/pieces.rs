//! First kernel: a cube has a piece of the keys of a head, and all queries that share it.

use crate::launch::kernel::{A, Body, Kernel, UNITS};
use crate::launch::row_groups::{Team, together};
use crate::launch::tensor::CubeTensor;
use crate::launch::words::{launch_words, word};
use crate::ops::accumulate::Join;
use burn_backend::HasSpec;
use cubecl::prelude::*;

cubecl::define_size!(pub W);

/// Keys of a piece.
pub const PIECE: u32 = 64;
/// Values that a unit asks for at a time.
const VALUES: u32 = 32;
/// Vectors of a key that a unit asks for at a time, at most.
const VECTORS: u32 = 16;

/// The score of a hidden key. Finite, so that no difference of two is undefined.
const HIDDEN: f32 = -1e30;

/// Kernel of the pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pieces {
    /// Queries of all heads that share a key head.
    pub rows: u32,
    /// Size of a head.
    pub head: u32,
    /// Elements of a vector of keys.
    pub width: u32,
    pub has_mask: bool,
    /// Whether keys and values of a piece fit in shared memory: then all of them are asked for at once.
    pub is_staged: bool,
}

impl Pieces {
    /// Vectors of a row of keys.
    pub fn vectors(self) -> u32 {
        self.head / self.width
    }

    /// Vectors from one key to the next in shared memory: neighbouring units read them from other banks.
    pub fn stride(self) -> u32 {
        self.vectors() + 1
    }

    /// Vectors of keys that a unit stages.
    fn own(self) -> u32 {
        if self.is_staged { (PIECE * self.vectors()).div_ceil(UNITS) } else { 0 }
    }

    /// Vectors of shared memory for the rows of a piece.
    fn staged(self, row: u32) -> usize {
        if self.is_staged { (PIECE * row) as usize } else { 1 }
    }

    /// Parts of the keys that units share when they add up a vector of values.
    fn parts(self) -> u32 {
        let most = UNITS / (self.rows * self.vectors()).min(UNITS);
        (1 << most.ilog2()).min(PIECE)
    }

    /// Bytes of shared memory, with all that is staged.
    pub fn staged_bytes(self, element: usize) -> usize {
        let numbers = self.rows * (self.head + PIECE) + UNITS + UNITS * self.width;
        let vectors = PIECE * (self.stride() + self.vectors());
        numbers as usize * 4 + (vectors * self.width) as usize * element
    }
}

launch_words! {
    pub struct PieceWords {
        /// Key heads, queries of a head, and keys.
        pub heads: u32,
        pub queries: u32,
        pub keys: u32,
        pub pieces: u32,
        /// Bits of the factor of the scores.
        pub scale: u32,
    }
}

launch_words! {
    /// Where an operand of batches, heads and rows begins, and its strides.
    pub struct Places {
        pub start: u32,
        pub batch: u32,
        pub head: u32,
        pub row: u32,
        column: u32,
    }
}

impl Places {
    /// In vectors of `width` elements; 0 where the operand repeats.
    pub fn of(x: &CubeTensor, width: usize) -> Self {
        let stride = |d: usize| if x.spec().shape[d] == 1 { 0 } else { word(x.strides()[d] / width) };
        Places {
            start: word(x.offset() / width),
            batch: stride(0),
            head: stride(1),
            row: stride(2),
            column: stride(3),
        }
    }
}

#[derive(CubeType)]
pub struct Operands {
    pub key: Places,
    pub value: Places,
    mask: Places,
}

impl OperandsExpand {
    pub fn read(body: &mut Body) -> Self {
        let [key, value, mask] = [(); 3].map(|()| body.read::<Places>());
        OperandsExpand { key, value, mask }
    }
}

/// The piece of a cube, and its key head: among all, in its batch, and the batch.
#[cube]
pub fn own_piece(words: &PieceWords) -> (u32, u32, u32, u32) {
    let piece = CUBE_POS as u32 % words.pieces;
    let group = CUBE_POS as u32 / words.pieces;
    (piece, group, group % words.heads, group / words.heads)
}

/// Where the rows of a cube's piece begin.
#[cube]
fn first_row(words: &PieceWords, places: &Places) -> u32 {
    let (piece, _group, head, batch) = own_piece(words);
    places.start + batch * places.batch + head * places.head + piece * PIECE * places.row
}

/// The keys from a cube's piece on.
#[cube]
pub fn keys_left(words: &PieceWords) -> u32 {
    words.keys - CUBE_POS as u32 % words.pieces * PIECE
}

/// A piece in shared memory, and what units keep of it.
#[derive(CubeType)]
pub struct Staged<E: Numeric, N: Size> {
    /// Queries times the scale.
    queries: SharedMemory<f32>,
    pub keys: SharedMemory<Vector<E, N>>,
    pub values: SharedMemory<Vector<E, N>>,
    /// By row of a unit, whether its key is hidden.
    hidden: Array<u32>,
}

/// Keys and values of a piece that a unit has asked for.
#[derive(CubeType)]
pub struct OwnRows<E: Numeric, N: Size> {
    keys: Array<Vector<E, N>>,
    values: Array<Vector<E, N>>,
}

/// Asks for a unit's share of the rows of a piece. Rows behind the last key are the first of the piece.
#[cube]
pub fn own_rows<E: Numeric, N: Size>(
    key: &Array<Vector<E, N>>,
    value: &Array<Vector<E, N>>,
    places: &Operands,
    words: &PieceWords,
    #[comptime] kind: Pieces,
) -> OwnRows<E, N> {
    let (vectors, own) = comptime!((kind.vectors(), kind.own()));
    let (first_key, first_value) = (first_row(words, &places.key), first_row(words, &places.value));
    let left = keys_left(words);
    let mut keys = Array::<Vector<E, N>>::new(comptime!(own as usize));
    let mut values = Array::<Vector<E, N>>::new(comptime!(own as usize));
    #[unroll]
    for i in 0..own {
        let at = UNIT_POS + comptime!(i * UNITS);
        let (row, vector) = (at / vectors, at % vectors);
        let row = select(row < left && row < PIECE, row, 0u32);
        keys[comptime!(i as usize)] = key[(first_key + row * places.key.row + vector) as usize];
        values[comptime!(i as usize)] = value[(first_value + row * places.value.row + vector) as usize];
    }
    OwnRows::<E, N> { keys, values }
}

/// Writes the rows of units to shared memory, with the queries that are there.
#[cube]
pub fn staged_rows<E: Numeric, N: Size>(
    own_rows: &OwnRows<E, N>,
    queries: SharedMemory<f32>,
    hidden: Array<u32>,
    #[comptime] kind: Pieces,
) -> Staged<E, N> {
    let vectors = comptime!(kind.vectors());
    let mut keys = SharedMemory::<Vector<E, N>>::new(comptime!(kind.staged(kind.stride())));
    let mut values = SharedMemory::<Vector<E, N>>::new(comptime!(kind.staged(kind.vectors())));
    #[unroll]
    for i in 0..comptime!(kind.own()) {
        let at = UNIT_POS + comptime!(i * UNITS);
        let (row, vector) = (at / vectors, at % vectors);
        if row < PIECE {
            keys[(row * comptime!(kind.stride()) + vector) as usize] = own_rows.keys[comptime!(i as usize)];
            values[at as usize] = own_rows.values[comptime!(i as usize)];
        }
    }
    Staged::<E, N> { queries, keys, values, hidden }
}

/// Asks for all that a piece needs before anything of it is waited for. Keys and values stay where they are
/// if they are not staged.
#[cube]
fn stage<E: Numeric, N: Size>(
    query: &Array<E>,
    key: &Array<Vector<E, N>>,
    value: &Array<Vector<E, N>>,
    mask: &Array<u32>,
    places: &Operands,
    words: &PieceWords,
    #[comptime] kind: Pieces,
) -> Staged<E, N> {
    let hidden = hidden_keys(mask, places, words, kind);
    let own = own_rows::<E, N>(key, value, places, words, kind);
    let mut queries = SharedMemory::<f32>::new(comptime!((kind.rows * kind.head) as usize));
    keep_queries::<E>(&mut queries, query, words, kind);
    staged_rows::<E, N>(&own, queries, hidden, kind)
}

/// Writes the queries of a cube times the scale to shared memory.
#[cube]
fn keep_queries<E: Numeric>(
    queries: &mut SharedMemory<f32>,
    query: &Array<E>,
    words: &PieceWords,
    #[comptime] kind: Pieces,
) {
    let numbers = comptime!(kind.rows * kind.head);
    let (_piece, group, _head, _batch) = own_piece(words);
    let mut at = UNIT_POS + 0u32;
    while at < numbers {
        let query = f32::cast_from(query[(group * numbers + at) as usize]);
        queries[at as usize] = query * f32::reinterpret(words.scale);
        at += UNITS;
    }
}

/// By row of a unit, whether its key is hidden: not 0.
#[cube]
pub fn hidden_keys(
    mask: &Array<u32>,
    places: &Operands,
    words: &PieceWords,
    #[comptime] kind: Pieces,
) -> Array<u32> {
    let turns = comptime!(kind.rows.div_ceil(UNITS / PIECE));
    let mut hidden = Array::<u32>::new(comptime!(turns as usize));
    let (piece, _group, head, batch) = own_piece(words);
    let key = piece * PIECE + UNIT_POS % PIECE;
    let is_key = key < words.keys;
    #[unroll]
    for turn in 0..turns {
        let mut bits = select(is_key, 0u32, 1u32);
        if comptime!(kind.has_mask) {
            let row = UNIT_POS / PIECE + comptime!(turn * (UNITS / PIECE));
            let row = select(row < comptime!(kind.rows), row, 0u32);
            let query_head = head * (comptime!(kind.rows) / words.queries) + row / words.queries;
            let bit = places.mask.start
                + batch * places.mask.batch
                + query_head * places.mask.head
                + row % words.queries * places.mask.row
                + select(is_key, key, 0u32) * places.mask.column;
            bits |= mask[bit as usize];
        }
        hidden[comptime!(turn as usize)] = bits;
    }
    hidden
}

/// The score of a query and a key in shared memory.
#[cube]
fn staged_score<E: Numeric, N: Size>(
    staged: &Staged<E, N>,
    row: u32,
    key: u32,
    #[comptime] kind: Pieces,
) -> f32 {
    let mut score = 0.0f32;
    #[unroll]
    for i in 0..comptime!(kind.vectors()) {
        let k = staged.keys[(key * comptime!(kind.stride()) + i) as usize];
        let first = row * comptime!(kind.head) + comptime!(i * kind.width);
        #[unroll]
        for j in 0..comptime!(kind.width as usize) {
            score += staged.queries[first as usize + j] * f32::cast_from(k[j]);
        }
    }
    score
}

/// Writes sums of values in shared memory: a unit has a vector of columns, and a part of the keys. The
/// weights of places after the last key are 0.
#[cube]
pub fn staged_sums<E: Numeric, N: Size>(
    staged: &Staged<E, N>,
    scores: &SharedMemory<f32>,
    sums: &mut Array<f32>,
    words: &PieceWords,
    #[comptime] kind: Pieces,
) {
    let (first, stride) = sum_places(words, kind);
    let vectors = comptime!(kind.vectors());
    let all = comptime!(kind.rows * kind.vectors());
    let parts = comptime!(kind.parts());
    let at_once = comptime!(UNITS / kind.parts());
    let mut shared = SharedMemory::<f32>::new(comptime!((UNITS * kind.width) as usize));
    let (part, mut at) = (UNIT_POS / at_once, UNIT_POS % at_once);
    while at < all {
        let (row, vector) = (at / vectors, at % vectors);
        let mut own = Array::<f32>::new(comptime!(kind.width as usize));
        #[unroll]
        for j in 0..comptime!(kind.width as usize) {
            own[j] = 0.0f32;
        }
        #[unroll]
        for i in 0..comptime!(PIECE / kind.parts()) {
            let key = part * comptime!(PIECE / kind.parts()) + i;
            let weight = scores[(row * PIECE + key) as usize];
            let value = staged.values[(key * vectors + vector) as usize];
            #[unroll]
            for j in 0..comptime!(kind.width as usize) {
                own[j] += weight * f32::cast_from(value[j]);
            }
        }
        #[unroll]
        for j in 0..comptime!(kind.width as usize) {
            if comptime!(parts > 1) {
                shared[UNIT_POS as usize * comptime!(kind.width as usize) + j] = own[j];
            } else {
                let column = (vector * comptime!(kind.width)) as usize + j;
                sums[(first + row * stride) as usize + column] = own[j];
            }
        }
        at += at_once;
    }
    if comptime!(parts > 1) {
        sync_cube();
        let mut at = UNIT_POS + 0u32;
        while at < comptime!(kind.rows * kind.head) {
            let mut sum = 0.0f32;
            #[unroll]
            for i in 0..parts {
                sum += shared[(comptime!(i * at_once * kind.width) + at) as usize];
            }
            let (row, column) = (at / comptime!(kind.head), at % comptime!(kind.head));
            sums[(first + row * stride + column) as usize] = sum;
            at += UNITS;
        }
    }
}

/// The score of a query in shared memory and a key, which begins at `place`.
#[cube]
fn direct_score<E: Numeric, N: Size>(
    queries: &SharedMemory<f32>,
    key: &Array<Vector<E, N>>,
    row: u32,
    place: u32,
    #[comptime] kind: Pieces,
) -> f32 {
    let mut score = 0.0f32;
    #[unroll]
    for part in 0..comptime!(kind.vectors().div_ceil(VECTORS)) {
        let begin = comptime!(part * VECTORS);
        let count = comptime!((kind.vectors() - begin).min(VECTORS));
        let mut ahead = Array::<Vector<E, N>>::new(comptime!(count as usize));
        #[unroll]
        for i in 0..count {
            ahead[comptime!(i as usize)] = key[(place + comptime!(begin + i)) as usize];
        }
        #[unroll]
        for i in 0..count {
            let k = ahead[comptime!(i as usize)];
            let first = row * comptime!(kind.head) + comptime!((begin + i) * kind.width);
            #[unroll]
            for j in 0..comptime!(kind.width as usize) {
                score += queries[first as usize + j] * f32::cast_from(k[j]);
            }
        }
    }
    score
}

/// Scores of the piece as weights; their statistics are written. A unit has a key, and every fourth row.
#[cube]
pub fn weights<E: Numeric, N: Size>(
    staged: &Staged<E, N>,
    key: &Array<Vector<E, N>>,
    stats: &mut Array<f32>,
    places: &Operands,
    words: &PieceWords,
    #[comptime] kind: Pieces,
) -> SharedMemory<f32> {
    let mut scores = SharedMemory::<f32>::new(comptime!((kind.rows * PIECE) as usize));
    let mut shared = SharedMemory::<f32>::new(comptime!(UNITS as usize));
    let (piece, group, _head, _batch) = own_piece(words);
    let own = UNIT_POS % PIECE;
    let row_of_key = select(piece * PIECE + own < words.keys, own, 0u32);
    let place = first_row(words, &places.key) + row_of_key * places.key.row;
    sync_cube();
    #[unroll]
    for turn in 0..comptime!(kind.rows.div_ceil(UNITS / PIECE)) {
        let row = UNIT_POS / PIECE + comptime!(turn * (UNITS / PIECE));
        if row < comptime!(kind.rows) {
            let score = if comptime!(kind.is_staged) {
                staged_score::<E, N>(staged, row, own, kind)
            } else {
                direct_score::<E, N>(&staged.queries, key, row, place, kind)
            };
            let is_hidden = staged.hidden[comptime!(turn as usize)] != 0u32;
            scores[(row * PIECE + own) as usize] = select(is_hidden, HIDDEN, score);
        }
    }
    sync_cube();
    let first = (group * comptime!(kind.rows) * words.pieces + piece) * 2u32;
    weigh(&mut scores, &mut shared, stats, first, words.pieces * 2u32, comptime!(kind.rows));
    sync_cube();
    scores
}

/// The place of the sums of a cube's first row, and the way to the next row.
#[cube]
fn sum_places(words: &PieceWords, #[comptime] kind: Pieces) -> (u32, u32) {
    let (piece, group, _head, _batch) = own_piece(words);
    let first = (group * comptime!(kind.rows) * words.pieces + piece) * comptime!(kind.head);
    (first, words.pieces * comptime!(kind.head))
}

/// Writes sums of values where they are: neighbouring units have neighbouring elements.
#[cube]
fn direct_sums<E: Numeric>(
    value: &Array<E>,
    scores: &SharedMemory<f32>,
    sums: &mut Array<f32>,
    places: &Operands,
    words: &PieceWords,
    #[comptime] kind: Pieces,
) {
    let left = keys_left(words);
    let count = select(left < PIECE, left, PIECE);
    let first = first_row(words, &places.value);
    let (first_sum, stride) = sum_places(words, kind);
    let mut at = UNIT_POS + 0u32;
    while at < comptime!(kind.rows * kind.head) {
        let (row, column) = (at / comptime!(kind.head), at % comptime!(kind.head));
        let mut sum = 0.0f32;
        // The weights of places after the last key are 0.
        for i in 0..comptime!(PIECE / VALUES) {
            let mut ahead = Array::<E>::new(comptime!(VALUES as usize));
            #[unroll]
            for j in 0..comptime!(VALUES) {
                let key = i * VALUES + comptime!(j);
                let from = first + select(key < count, key, 0u32) * places.value.row + column;
                ahead[comptime!(j as usize)] = value[from as usize];
            }
            #[unroll]
            for j in 0..comptime!(VALUES) {
                let key = i * VALUES + comptime!(j);
                let value = f32::cast_from(ahead[comptime!(j as usize)]);
                sum += scores[(row * PIECE + key) as usize] * value;
            }
        }
        sums[(first_sum + row * stride + column) as usize] = sum;
        at += UNITS;
    }
}

/// Makes weights of the scores of each row, and writes the largest score and the sum of the weights; `first`
/// is the place of those of the first row, `stride` the way to the next one.
#[cube]
fn weigh(
    scores: &mut SharedMemory<f32>,
    shared: &mut SharedMemory<f32>,
    stats: &mut Array<f32>,
    first: u32,
    stride: u32,
    #[comptime] rows: u32,
) {
    let team = comptime!(Team { size: PIECE / 2, across: false });
    let teams = comptime!(UNITS / (PIECE / 2));
    let lane = UNIT_POS % comptime!(PIECE / 2);
    #[unroll]
    for step in 0..comptime!(rows.div_ceil(teams)) {
        let row = comptime!(step * teams) + UNIT_POS / comptime!(PIECE / 2);
        let is_row = row < rows;
        let low = select(is_row, row, 0u32) * PIECE + lane;
        let high = low + comptime!(PIECE / 2);
        let (a, b) = (scores[low as usize], scores[high as usize]);
        let largest = together(select(a < b, b, a), shared, team, Join::MAX);
        let (a, b) = (weight(a, largest), weight(b, largest));
        let sum = together(a + b, shared, team, Join::SUM);
        if is_row {
            scores[low as usize] = a;
            scores[high as usize] = b;
            if lane == 0u32 {
                let to = first + row * stride;
                stats[to as usize] = largest;
                stats[(to + 1u32) as usize] = sum;
            }
        }
    }
}

#[cube]
fn weight(score: f32, largest: f32) -> f32 {
    select(score <= HIDDEN, 0.0f32, (score - largest).exp())
}

impl Kernel for Pieces {
    const NAME: &'static str = "attention_pieces";
    // Places are those of views, and of keys that exist.
    const CHECKED: bool = false;

    fn expand(&self, body: &mut Body) {
        body.scope.register_size::<W>(self.width as usize);
        let (query, key, value) = (body.array(0), body.array::<Vector<A, W>>(1), body.variable(2));
        // Without a mask the queries take its place; they are not read as such.
        let mask = body.array(3);
        let (sums, stats) = (body.array(4), body.array(5));
        let words = body.read::<PieceWords>();
        let places = OperandsExpand::read(body);
        let scope = &mut body.scope;
        // Values that are not staged are read as numbers, later.
        let vectors = if self.is_staged { value.clone().into() } else { key.clone() };
        let staged = stage::expand::<A, W>(
            scope,
            query,
            key.clone(),
            vectors,
            mask,
            places.clone(),
            words.clone(),
            *self,
        );
        let scores =
            weights::expand::<A, W>(scope, staged.clone(), key, stats, places.clone(), words.clone(), *self);
        if self.is_staged {
            staged_sums::expand::<A, W>(scope, staged, scores, sums, words, *self);
        } else {
            direct_sums::expand::<A>(scope, value.into(), scores, sums, places, words, *self);
        }
    }
}
