use crate::{Rocm, RocmDevice, RocmRuntime};
use burn_backend::block_on;
use burn_cubecl::{Engine, Faults, Gpu, engines};
use burn_cubecl_linalg::LinearAlgebraKernels;
use std::sync::Arc;

engines! { Rocm, of RocmRuntime, with RocmDevice, opened by open }

fn open(device: RocmDevice) -> Box<dyn Engine> {
    device.open().unwrap_or_else(|error| panic!("{error}"));
    // Which of AMD's devices it is, HIP says in a structure that differs between its versions; kernels
    // are chosen for any of them.
    let engine = Gpu::<RocmRuntime>::new(device.to_string(), "any", device, &LinearAlgebraKernels);
    let engine = block_on(engine.with_measured_arithmetic()).expect("this thread may wait");
    Box::new(engine.with_guard(Arc::new(Faults::default())))
}
