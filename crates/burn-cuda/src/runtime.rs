use crate::driver::Context;
use crate::library::Libraries;
use crate::{Cuda, CudaDevice, CudaRuntime};
use burn_cubecl::{Engine, Gpu, engines};
use burn_cubecl_linalg::LinearAlgebraKernels;
use cubecl::prelude::Runtime;

engines! { Cuda, of CudaRuntime, with CudaDevice, opened by open }

fn open(device: CudaDevice) -> Box<dyn Engine> {
    let context = Context::open(device).unwrap_or_else(|error| panic!("{error}"));
    let libraries = Libraries::new(device, |device, bytes| CudaRuntime::client(&device).empty(bytes));
    let engine = Gpu::<CudaRuntime>::new(device.to_string(), &context.name(), device, &LinearAlgebraKernels);
    Box::new(engine.with_library(libraries))
}
