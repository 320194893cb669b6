use super::panel::WIDTH;
use super::reflectors::{reflect, reflect_panel_of};
use super::working::{
    behind_batch, counted, diagonal, is_finite, largest, own, part, result_of, sizes, turned, unit_of,
    where_it_is,
};
use crate::block::Program;
use crate::layout::cat;
use crate::leaf::Leaf;
use crate::tensor::CubeTensor;
use burn_backend::*;

/// Ones on the diagonal, of this many rows and columns, for each matrix of `x`.
pub fn identity(x: &CubeTensor, rows: usize, cols: usize) -> CubeTensor {
    let shape = behind_batch(x, &[rows, cols]);
    let spec = TensorSpec { shape, dtype: x.dtype() };
    let [down, across] = [[rows, 1], [1, cols]]
        .map(|sizes| counted([sizes[0] * sizes[1]].into(), x.engine()).reshaped(sizes.into()));
    let mut program = Program::new(2);
    let is_equal = program.compare(CompareOp::Equal, 0, 1);
    let value = program.cast(is_equal, spec.dtype);
    program.output(value);
    program.run(&spec.shape.clone(), &[&down, &across], vec![spec], x.engine()).remove(0)
}

/// `Q` and `R` of matrices that nobody else sees, which become `R`. Elements are neither very large nor very small; signs are as they come.
pub fn reflected(x: &CubeTensor) -> CubeTensor {
    let [_, m, n] = sizes(x);
    let inner = m.min(n);
    let u =
        CubeTensor::empty(TensorSpec { shape: behind_batch(x, &[m, inner]), dtype: x.dtype() }, x.engine());
    let panels: Vec<_> = (0..inner).step_by(WIDTH).map(|start| start..(start + WIDTH).min(inner)).collect();
    for panel in &panels {
        reflect_panel_of(x, &u, panel.start, panel.end);
        let vectors = part(&u, panel.start..m, panel.clone());
        reflect(&vectors, &part(x, panel.start..m, panel.end..n), true);
    }
    let q = identity(x, m, inner);
    for panel in panels.iter().rev() {
        let vectors = part(&u, panel.start..m, panel.clone());
        reflect(&vectors, &part(&q, panel.start..m, panel.start..inner), false);
    }
    q
}

/// 1 and -1, so that what it multiplies is not negative: `[.., 1, n]` for the diagonal of `[.., n, n]`.
pub fn signs(r: &CubeTensor) -> CubeTensor {
    let along = diagonal(r);
    let spec = along.spec().clone();
    let mut program = Program::new(1);
    let [zero, one, other] = [0, 1, -1].map(|value| program.constant(Scalar::Int(value), spec.dtype));
    let is_negative = program.compare(CompareOp::Less, 0, zero);
    let sign = program.choose(is_negative, other, one);
    program.output(sign);
    let shape = behind_batch(r, &[1, sizes(r)[2]]);
    program.run(&spec.shape.clone(), &[&along], vec![spec], r.engine()).remove(0).reshaped(shape)
}

pub fn qr(x: &CubeTensor) -> CubeTensor {
    let spec = result_of(&Operation::Factorize { op: Factorization::Qr, x });
    if spec.shape.num_elements() == 0 {
        return CubeTensor::empty(spec, x.engine());
    }
    let x = own(x);
    let [_, m, n] = sizes(&x);
    let inner = m.min(n);
    let largest = largest(&x);
    let unit = unit_of(&largest);
    let r = Leaf::binary(BinaryOp::Div, x, unit.clone());
    let q = reflected(&r);
    let signs = signs(&part(&r, 0..inner, 0..inner));
    let upper = Leaf::binary(BinaryOp::Mul, turned(&part(&r, 0..inner, 0..n)), unit);
    let last = spec.shape.rank() - 2;
    let stacked = Leaf::binary(BinaryOp::Mul, cat(&[q, upper], last), signs);
    where_it_is(&is_finite(largest), &stacked, spec)
}
