use crate::exchange::exchange;
use crate::panel::WIDTH;
use crate::pivots::{Share, factor_panel};
use crate::triangular::substitute;
use crate::working::{counted, is_finite, largest, own, part, sizes, turned, where_it_is};
use burn_backend::*;
use burn_cubecl::CubeTensor;
use burn_cubecl::kernels::{Factor, Program, copied, stored_size, subtract_product};
use std::ops::Range;

/// Matrices as factors, whether they were finite, and the order of their rows.
pub struct Factors {
    pub packed: CubeTensor,
    pub is_finite: CubeTensor,
    /// `[.., m]`, in `i32`.
    pub order: CubeTensor,
}

/// Takes the product of a panel and the rows above the rest from the rest, in these columns.
fn take_product(x: &CubeTensor, panel: Range<usize>, cols: Range<usize>) {
    let [_, _, m] = sizes(x);
    let (lhs, rhs) = (part(x, cols.clone(), panel.clone()), part(x, panel.clone(), panel.end..m));
    let rest = part(x, cols, panel.end..m);
    subtract_product(&rest, Factor { x: &lhs, is_own: true }, Factor { x: &rhs, is_own: true });
}

/// Panel by panel: of matrices that are not empty. They are stored by columns.
pub fn factors(x: &CubeTensor) -> Factors {
    let shape = x.shape();
    let x = own(&turned(x));
    let is_finite = is_finite(largest(&x));
    let sizes = sizes(&x);
    let [batch, n, m] = sizes;
    let order = copied(&counted(shape[..shape.rank() - 1].iter().copied().collect(), x.engine()));
    let inner = m.min(n);
    for start in (0..inner).step_by(WIDTH) {
        let end = (start + WIDTH).min(inner);
        let share = Share::of(m - start, inner, stored_size(x.dtype()), x.engine());
        // High panels are narrow, and only the block hears of each.
        let is_whole = share.width() >= end - start;
        for left in (start..end).step_by(share.width()) {
            let panel = left..(left + share.width()).min(end);
            let pivots = CubeTensor::empty(TensorSpec::new([batch, panel.len()], DType::U32), x.engine());
            factor_panel(&x, &order, &pivots, sizes, panel.clone(), share);
            exchange(&x, &pivots, panel.clone(), if is_whole { n } else { end });
            take_product(&x, panel.clone(), panel.end..end);
        }
        if !is_whole {
            let (block, right) = (turned(&part(&x, start..end, start..end)), part(&x, end..n, start..end));
            substitute(&block, &turned(&right), Triangle { upper: false, unit: true }, true);
        }
        take_product(&x, start..end, end..n);
    }
    Factors { packed: turned(&x), is_finite, order }
}

pub fn lu(x: &CubeTensor, index: DType) -> (CubeTensor, CubeTensor) {
    let specs =
        output_specs(&Operation::Linalg(Linalg::Lu { x, index })).unwrap_or_else(|error| panic!("{error}"));
    let (packed, order) = specs.two();
    let engine = x.engine();
    let unchanged = counted(order.shape.clone(), engine);
    let rows_of = |inputs: &[&CubeTensor], mut program: Program, rows| {
        let rows = program.cast(rows, index);
        program.output(rows);
        program.run(&order.shape, inputs, vec![order.clone()], engine).remove(0)
    };
    if packed.shape.num_elements() == 0 {
        return (CubeTensor::empty(packed, engine), rows_of(&[&unchanged], Program::new(1), 0));
    }
    let factors = factors(x);
    let packed = where_it_is(&factors.is_finite, &factors.packed, packed);
    let exists = &factors.is_finite;
    let exists =
        exists.clone().reshaped(exists.shape()[..exists.shape().rank() - 1].iter().copied().collect());
    let mut program = Program::new(3);
    let rows = program.choose(2, 0, 1);
    (packed, rows_of(&[&factors.order, &unchanged, &exists], program, rows))
}
