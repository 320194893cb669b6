use crate::identity::identity;
use crate::reflectors::Block;
use crate::working::{
    behind_batch, diagonal, is_finite, largest, own, part, result_of, signs, sizes, turned, unit_of,
    where_it_is,
};
use burn_backend::*;
use burn_cubecl::CubeTensor;
use burn_cubecl::kernels::{binary, cat};

/// `Q` and `R` of matrices whose buffer no other tensor shares, which become `R`. Elements are neither very
/// large nor very small; signs are as they come.
pub fn reflected(x: &CubeTensor) -> CubeTensor {
    let [_, m, n] = sizes(x);
    let inner = m.min(n);
    let u =
        CubeTensor::empty(TensorSpec { shape: behind_batch(x, &[m, inner]), dtype: x.dtype() }, x.engine());
    let mut blocks: Vec<Block> = Vec::new();
    while let start = blocks.last().map_or(0, |block| block.columns.end)
        && start < inner
    {
        let block = Block::new(x, &u, start);
        block.reflect(x, block.columns.end..n, true);
        blocks.push(block);
    }
    let q = identity(x, m, inner);
    for block in blocks.iter().rev() {
        block.reflect(&q, block.columns.start..inner, false);
    }
    q
}

/// 1 and -1, so that what a diagonal is multiplied with is not negative: `[.., 1, min(m, n)]`.
pub fn signs_of_diagonal(r: &CubeTensor) -> CubeTensor {
    let [_, m, n] = sizes(r);
    let inner = m.min(n);
    signs(&diagonal(&part(r, 0..inner, 0..inner))).reshaped(behind_batch(r, &[1, inner]))
}

pub fn qr(x: &CubeTensor) -> CubeTensor {
    let spec = result_of(&Operation::Linalg(Linalg::Factorize { op: Factorization::Qr, x }));
    if spec.shape.num_elements() == 0 {
        return CubeTensor::empty(spec, x.engine());
    }
    let x = own(x);
    let [_, m, n] = sizes(&x);
    let inner = m.min(n);
    let largest = largest(&x);
    let unit = unit_of(&largest);
    let r = binary(BinaryOp::Div, x, unit.clone());
    let q = reflected(&r);
    let signs = signs_of_diagonal(&r);
    let upper = binary(BinaryOp::Mul, turned(&part(&r, 0..inner, 0..n)), unit);
    let last = spec.shape.rank() - 2;
    let stacked = binary(BinaryOp::Mul, cat(&[q, upper], last), signs);
    where_it_is(&is_finite(largest), &stacked, spec)
}
