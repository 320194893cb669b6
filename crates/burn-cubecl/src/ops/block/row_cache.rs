//! Inputs of long rows in shared memory: what several passes read comes from the device's memory once.

use super::kernel_size::LONGEST;
use super::row_access::Access;
use super::vector::Inner;
use crate::launch::element::{storage, stored_size};
use crate::launch::kernel::UNITS;
use burn_backend::DType;
use cubecl::ir::{ManagedVariable, Scope};
use cubecl::prelude::*;
use std::cell::Cell;

cubecl::define_scalar!(N);
cubecl::define_size!(W);

/// Cubes that a multiprocessor should have memory for: while one waits for its row, another computes.
const RESIDENT: usize = 2;
/// Bytes of a cube beside its row: units combine their folds in them, and the driver reserves some.
const RESERVED: usize = 4 << 10;
/// Elements that a unit loads before it needs the first, at least and at most: few cubes are resident, so
/// each has to keep many loads in flight.
const IN_FLIGHT: [usize; 2] = [32, 48];

/// An input of rows.
#[derive(Clone, Copy, Debug)]
pub struct RowInput {
    pub access: Access,
    pub dtype: DType,
    /// Whether more than one pass reads it.
    pub read_again: bool,
}

/// How a cube goes along a row whose inputs it keeps in shared memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CachedRow {
    /// Vectors of a unit at a time.
    pub each: usize,
    /// By input, the vectors of shared memory, 0 for an input that is not kept.
    pub vectors: Vec<usize>,
}

impl CachedRow {
    /// Returns it for rows of so many vectors, on a device with so many bytes of shared memory, where one
    /// element takes `length` steps; `None` if no input is read again, there is too little room, or the
    /// kernel would become too long.
    pub fn new(
        bytes: usize,
        inputs: &[RowInput],
        [vectors, width]: [usize; 2],
        length: usize,
    ) -> Option<Self> {
        // Few kernels for all lengths.
        let capacity = vectors.next_multiple_of(UNITS as usize);
        let is_kept = |input: &RowInput| input.read_again && input.access == Access::Along(Inner::Adjacent);
        let kept = inputs.iter().filter(|input| is_kept(input));
        let needed: usize = kept.map(|input| capacity * width * stored_size(input.dtype)).sum();
        if needed == 0 || needed + RESERVED > bytes / RESIDENT {
            return None;
        }
        // The number for which the fewest units are idle at the end of a row.
        let [least, most] = IN_FLIGHT.map(|elements| (elements / width).max(1));
        let each = (least..=most)
            .filter(|each| each * width * length <= LONGEST)
            .min_by_key(|each| vectors.next_multiple_of(each * UNITS as usize))?;
        let vectors = inputs.iter().map(|input| if is_kept(input) { capacity } else { 0 }).collect();
        Some(CachedRow { each, vectors })
    }
}

/// Shared memory for the row of one input, in a kernel.
pub struct RowCache {
    pub memory: ManagedVariable,
    /// Whether an earlier pass has written it.
    pub is_written: Cell<bool>,
}

impl RowCache {
    /// Declares memory for `count` vectors.
    pub fn new(scope: &mut Scope, dtype: DType, [count, width]: [usize; 2]) -> Self {
        #[cube]
        fn scalars<N: Numeric>(#[comptime] count: usize) -> SharedMemory<N> {
            SharedMemory::<N>::new(count)
        }
        #[cube]
        fn vectors<N: Numeric, W: Size>(#[comptime] count: usize) -> SharedMemory<Vector<N, W>> {
            SharedMemory::<Vector<N, W>>::new(count)
        }
        scope.register_type::<N>(storage(dtype));
        let memory = if width == 1 {
            scalars::expand::<N>(scope, count).into()
        } else {
            scope.register_size::<W>(width);
            vectors::expand::<N, W>(scope, count).into()
        };
        RowCache { memory, is_written: Cell::new(false) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALONG: RowInput =
        RowInput { access: Access::Along(Inner::Adjacent), dtype: DType::BF16, read_again: true };

    /// A row of 50,304 numbers of 16 bits is 98.25 KiB; two of them fit into the 227 KiB of an H200.
    #[test]
    fn a_row_is_cached_where_two_of_them_fit() {
        let of = |bytes, read_again, vectors| {
            let row = RowInput { access: Access::Row, dtype: DType::F32, read_again: true };
            CachedRow::new(bytes, &[RowInput { read_again, ..ALONG }, row], [vectors, 8], 30)
        };
        assert_eq!(of(227 << 10, true, 6288).map(|row| row.vectors), Some(vec![6400, 0]));
        assert_eq!(of(227 << 10, false, 6288), None);
        assert_eq!(of(227 << 10, true, 7424), None);
        assert_eq!(of(48 << 10, true, 6288), None);
    }

    /// 256 units take five turns of five vectors for 6,288 of them, 6,400; turns of four are 7,168 vectors.
    #[test]
    fn as_few_units_as_possible_are_idle() {
        let of = |vectors, length| CachedRow::new(227 << 10, &[ALONG], [vectors, 8], length);
        let each = |vectors, length| of(vectors, length).map(|row| row.each);
        assert_eq!(each(6288, 30), Some(5));
        assert_eq!(each(6144, 30), Some(4));
        assert_eq!(each(6288, 60), Some(4));
        assert_eq!(each(6288, 70), None);
    }
}
