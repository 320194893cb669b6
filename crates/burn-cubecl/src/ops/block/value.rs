use burn_backend::DType;
use cubecl::ir::ManagedVariable;
use cubecl::prelude::*;

/// A value of a kernel: bools are bools here, whatever they are in buffers.
#[derive(Clone, Debug)]
pub struct KernelValue {
    pub variable: ManagedVariable,
    pub dtype: DType,
    /// The same as it lies in a buffer, where that is known and another type than steps compute with.
    pub(super) stored: Option<ManagedVariable>,
}

impl KernelValue {
    pub fn new<T: CubeType>(x: NativeExpand<T>, dtype: DType) -> Self {
        KernelValue { variable: x.into(), dtype, stored: None }
    }

    pub fn get<T: CubeType>(&self) -> NativeExpand<T> {
        self.variable.clone().into()
    }
}
