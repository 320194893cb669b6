//! Loops over elements that the compiler vectorises, compiled for several instruction sets and chosen at run
//! time.

mod dispatch;
mod fold;
mod lanes;
mod prefetch;
mod run;
mod through;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm;
#[cfg(all(feature = "std", target_arch = "x86_64"))]
mod x86;

pub(crate) use dispatch::{FMA, dispatch};
#[cfg(all(feature = "std", target_arch = "x86_64"))]
pub(crate) use dispatch::{Level, level};
#[cfg(all(feature = "std", target_arch = "x86_64"))]
pub(crate) use fold::fold_after;
pub(crate) use fold::{ACCUMULATORS, FEW, ROUND, fold, fold_pairs};
pub(crate) use lanes::{Baseline, Lanes, TILE, with_lanes};
#[cfg(all(feature = "std", target_arch = "x86_64"))]
pub(crate) use lanes::{TILE_16, TILE_32};
pub(crate) use prefetch::{prefetch, prefetch_elements, prefetch_far};
pub(crate) use run::{Blocks, LANES, Operand, Run, map, select, walk, zip};
pub(crate) use through::{through, through_to};
