use super::working::{behind_batch, sizes};
use crate::launch::kernel::{A, Body, Kernel, launch};
use crate::launch::strides;
use crate::launch::tensor::CubeTensor;
use burn_backend::{HasSpec, TensorSpec};
use cubecl::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Identity;

#[cube]
fn put_identity<E: Numeric>(out: &mut Array<E>, count: u32, size: u32, cols: u32) {
    let at = strides::position();
    if at < count {
        let place = at % size;
        out[at as usize] = select(place / cols == place % cols, E::from_int(1), E::from_int(0));
    }
}

impl Kernel for Identity {
    const NAME: &'static str = "identity";

    fn expand(&self, body: &mut Body) {
        let out = body.array(0);
        let [count, size, cols] = [0, 1, 2].map(|at| body.word(at));
        put_identity::expand::<A>(&mut body.scope, out, count, size, cols);
    }
}

/// Ones on the diagonal, of this many rows and columns, for each matrix of `x`.
pub fn identity(x: &CubeTensor, rows: usize, cols: usize) -> CubeTensor {
    let [batch, ..] = sizes(x);
    let spec = TensorSpec { shape: behind_batch(x, &[rows, cols]), dtype: x.dtype() };
    let out = CubeTensor::empty(spec, x.engine());
    let count = batch * rows * cols;
    let words: Vec<u32> = strides::words(&[count, rows * cols, cols]).collect();
    launch(Identity, &[], &[&out], &words, count);
    out
}
