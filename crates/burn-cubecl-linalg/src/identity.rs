use crate::working::{behind_batch, sizes};
use burn_backend::{HasSpec, TensorSpec};
use burn_cubecl::CubeTensor;
use burn_cubecl::kernels::{A, Body, Kernel, LaunchWords, launch, launch_words, position, word};
use cubecl::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Identity;

launch_words! {
    struct IdentityWords {
        /// Elements of all matrices, and of one.
        count: u32,
        size: u32,
        cols: u32,
    }
}

#[cube]
fn put_identity<E: Numeric>(out: &mut Array<E>, words: &IdentityWords) {
    let at = position();
    if at < words.count {
        let place = at % words.size;
        out[at as usize] = select(place / words.cols == place % words.cols, E::from_int(1), E::from_int(0));
    }
}

impl Kernel for Identity {
    const NAME: &'static str = "identity";

    fn expand(&self, body: &mut Body) {
        let out = body.array(0);
        let words = body.read::<IdentityWords>();
        put_identity::expand::<A>(&mut body.scope, out, words);
    }
}

/// Ones on the diagonal, of this many rows and columns, for each matrix of `x`.
pub fn identity(x: &CubeTensor, rows: usize, cols: usize) -> CubeTensor {
    let [batch, ..] = sizes(x);
    let spec = TensorSpec { shape: behind_batch(x, &[rows, cols]), dtype: x.dtype() };
    let out = CubeTensor::empty(spec, x.engine());
    let count = batch * rows * cols;
    let words = IdentityWords { count: word(count), size: word(rows * cols), cols: word(cols) };
    launch(Identity, &[], &[&out], &words.words(), count);
    out
}
