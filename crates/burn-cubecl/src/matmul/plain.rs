use crate::strides;
use cubecl::prelude::*;

/// The product, an element for each unit. `sides` are where both operands begin, and strides of rows and columns of the left and
/// of the right one; `sizes`, `left` and `right` are sizes of the batch and the strides of both along it.
#[cube]
#[allow(clippy::too_many_arguments)]
pub fn plain_product<E: Numeric, S: Numeric>(
    lhs: &Array<E>,
    rhs: &Array<E>,
    out: &mut Array<E>,
    batch: u32,
    rows: u32,
    cols: u32,
    depth: u32,
    sides: &Sequence<u32>,
    sizes: &Sequence<u32>,
    left: &Sequence<u32>,
    right: &Sequence<u32>,
) {
    let at = strides::position();
    if at < batch * rows * cols {
        let col = at % cols;
        let row = (at / cols) % rows;
        let which = at / (cols * rows);
        let mut from = strides::place(which, sizes, left, *sides.index(0usize)) + row * *sides.index(2usize);
        let mut to = strides::place(which, sizes, right, *sides.index(1usize)) + col * *sides.index(5usize);
        let mut sum = S::from_int(0);
        for _ in 0..depth {
            sum += S::cast_from(lhs[from as usize]) * S::cast_from(rhs[to as usize]);
            from += *sides.index(3usize);
            to += *sides.index(4usize);
        }
        out[at as usize] = E::cast_from(sum);
    }
}
