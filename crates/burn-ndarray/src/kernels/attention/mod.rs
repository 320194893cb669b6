//! Attention that never has a matrix of scores (Dao et al., 2022): tiles of queries meet tiles of keys, and
//! what a softmax needs to know of a row is corrected from tile to tile (Milakov and Gimelshein, 2018).
//! Gradients make the scores again, from the logarithms of the sums.

mod backward;
mod element;
mod few_queries;
mod forward;
mod key_memory;
mod pack;
mod problem;
mod product;
mod score_tile;
#[cfg(all(feature = "std", target_arch = "x86_64"))]
mod soften_sixteen;
mod stored;
mod vector;

pub use backward::attention_grad;
pub use forward::{attention, quantized_attention};

/// Queries of a tile: some strips of [`product::ROWS`].
const QUERIES: usize = 48;
/// Keys of a tile: whole strips too, since gradients by keys have them as rows.
const KEYS: usize = 192;
/// Rows of packed matrices are padded with zeros to a multiple of this: whole vectors of every machine.
const PAD: usize = 16;
