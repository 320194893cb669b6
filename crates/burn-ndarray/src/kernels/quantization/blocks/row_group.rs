//! Up to eight rows of activations as [`group_kernel`](super::group_kernel) reads them: a vector has four
//! codes of each of four rows, and in its other half the codes of these rows sixteen codes later.

use super::activations::{ActivationRow, Activations, SUM};
use crate::memory::list;
use alloc::vec::Vec;

/// Rows of a group; those that are missing are zero.
pub const LANES: usize = 8;
/// Codes of a row that one instruction multiplies and adds up.
pub const STEP: usize = 4;
/// Elements whose codes are in neighbouring vectors, as many as a vector has codes.
pub const PART: usize = 32;
/// Vectors of a part: each step of half of it is one vector for the first rows, and one for the others.
pub const PART_WORDS: usize = PART / STEP;

/// Numbers that are added up beside the products, for each row and sub-block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SumKind {
    /// -128 times the sum of the codes, as `i32`: 128 is added to codes of weights with a sign.
    Offset,
    /// The sum of the codes times their scale.
    Scaled,
    /// The sum of the codes.
    Codes,
}

/// Sizes of a group.
#[derive(Clone, Copy, Debug)]
pub struct GroupLayout {
    /// Elements of a row.
    pub depth: usize,
    /// Elements with a scale.
    pub block: usize,
    /// Elements with a sum, 16 or 32.
    pub sub_block: usize,
    pub sums: SumKind,
}

/// A word of each row, aligned so that a vector does not lie across two cache lines.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub struct Words([u32; LANES]);

/// Rows of activations, quantized and interleaved.
#[derive(Debug)]
pub struct RowGroup {
    pub rows: usize,
    pub codes: Vec<Words>,
    pub scales: Vec<Words>,
    pub sums: Vec<Words>,
}

impl RowGroup {
    /// Quantizes up to eight rows of `layout.depth` elements.
    pub fn new(x: &[f32], layout: GroupLayout) -> Self {
        let GroupLayout { depth, block, sub_block, sums: kind } = layout;
        let rows = x.len() / depth;
        let zeros = |size: usize| list(Words([0; LANES]), depth / size);
        let mut group = RowGroup { rows, codes: zeros(STEP), scales: zeros(block), sums: zeros(sub_block) };
        let all = Activations::new(x, depth, block);
        for lane in 0..rows {
            let row = all.row(lane);
            let (half, place) = (lane / 4, lane % 4);
            let parts = group.codes.as_chunks_mut::<PART_WORDS>().0.iter_mut();
            for (to, from) in parts.zip(row.codes.as_chunks::<PART>().0) {
                for (step, from) in from.as_chunks::<STEP>().0.iter().enumerate() {
                    let word = u32::from_le_bytes(from.map(i8::cast_unsigned));
                    to[step % 4 * 2 + half].0[step / 4 * 4 + place] = word;
                }
            }
            for (to, scale) in group.scales.iter_mut().zip(row.scales) {
                to.0[lane] = scale.to_bits();
            }
            for (index, to) in group.sums.iter_mut().enumerate() {
                to.0[lane] = sum(row, index, sub_block, kind);
            }
        }
        group
    }
}

/// The sum of a sub-block, as bits.
fn sum(row: ActivationRow<'_>, index: usize, sub_block: usize, kind: SumKind) -> u32 {
    let parts = &row.sums[index * (sub_block / SUM)..][..sub_block / SUM];
    let sum: i32 = parts.iter().map(|part| i32::from(*part)).sum();
    match kind {
        SumKind::Offset => (-128 * sum).cast_unsigned(),
        SumKind::Scaled => row.minima[index].to_bits(),
        SumKind::Codes => (sum as f32).to_bits(),
    }
}
