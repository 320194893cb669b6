//! What no kernel computes yet: factorisations and systems of equations, in `f64` on the host, with one warning.

use crate::create::{from_data, into_data};
use crate::tensor::CubeTensor;
use crate::warning::warn;
use burn_backend::*;
use std::sync::Once;

static WARNING: Once = Once::new();

/// The values of `x`, at the cost of a wait.
fn read(x: CubeTensor, op: &str) -> TensorData {
    let device = x.engine().name();
    WARNING.call_once(|| {
        warn(&format!("{device}: {op} has no kernel: its operands are read, and it runs on the host"));
    });
    let data = block_on(into_data(x)).unwrap_or_else(|pending| panic!("{device}: {op}: {pending:?}"));
    data.unwrap_or_else(|error| panic!("{op}: {error}"))
}

/// Matrices in row-major order, and the shape of their batch.
struct Matrices {
    values: Vec<f64>,
    batch: Shape,
    rows: usize,
    cols: usize,
}

impl Matrices {
    fn read(x: CubeTensor, op: &str) -> Self {
        let shape = x.shape();
        let rank = shape.rank();
        let batch = shape[..rank - 2].iter().copied().collect();
        Matrices { values: read(x, op).to_f64(), batch, rows: shape[rank - 2], cols: shape[rank - 1] }
    }

    /// The matrix of place `at` of a batch that this one's is repeated to.
    fn at(&self, at: usize, batch: &Shape) -> &[f64] {
        let extra = batch.rank() - self.batch.rank();
        let (all, own) = (batch.strides(), self.batch.strides());
        let place = |d: usize| at / all[d + extra] % batch[d + extra] % self.batch[d] * own[d];
        let place: usize = (0..self.batch.rank()).map(place).sum();
        &self.values[place * self.rows * self.cols..][..self.rows * self.cols]
    }
}

fn write(values: &[f64], spec: TensorSpec, like: &CubeTensor) -> CubeTensor {
    from_data(TensorData::new(values, spec.shape).convert_dtype(spec.dtype), like.engine())
}

fn inferred(op: &Operation<&CubeTensor>) -> Outputs<TensorSpec> {
    output_specs(op).unwrap_or_else(|error| panic!("{error}"))
}

pub fn factorize(op: Factorization, x: CubeTensor) -> CubeTensor {
    let spec = inferred(&Operation::Factorize { op, x: &x }).one();
    let matrices = Matrices::read(x.clone(), op.name());
    let each = (0..matrices.batch.num_elements())
        .flat_map(|at| op.eval_f64(matrices.at(at, &matrices.batch), matrices.rows, matrices.cols));
    write(&each.collect::<Vec<_>>(), spec, &x)
}
