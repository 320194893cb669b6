//! Operations without a kernel of their own yet, by way of the minimal backend.

use crate::{NdTensor, by_dtype};
use burn_backend::*;
use minimal_backend::{Toy, ToyDevice, ToyTensor};

pub fn run(op: Operation<NdTensor>) -> Outputs<NdTensor> {
    Toy::execute(op.map(|x| Toy::from_data(by_dtype::into_data(x), &ToyDevice))).map(back)
}

pub fn range(spec: TensorSpec, start: Scalar, step: Scalar) -> NdTensor {
    back(Toy::range(spec, start, step, &ToyDevice))
}

fn back(x: ToyTensor) -> NdTensor {
    by_dtype::from_data(block_on(Toy::into_data(x)).expect("ready at once").expect("on the host"))
}
