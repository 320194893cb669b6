use crate::device::engine::Engine;
use crate::launch::element::stored_size;
use burn_backend::{DType, Dims, HasSpec, Shape, TensorSpec};
use cubecl::server::Handle;
use std::ops::Deref;
use std::sync::Arc;

/// A tensor on a device: a view of a buffer. Of no type parameter, so that programs compile nothing for it.
///
/// Kernels of a program read `x.shape.dims`, `x.dtype` and `x.handle`; `x.client::<R>()` and
/// `x.device::<R>()` are those of the runtime `R`.
#[derive(Clone, Debug)]
pub struct CubeTensor {
    spec: TensorSpec,
    /// Strides in elements; 0 where a dimension is broadcast, and a wrapped negative number where it is
    /// flipped.
    strides: Dims,
    /// Offset of the first element.
    offset: usize,
    /// Buffer of the elements, which other views may share.
    pub handle: Handle,
    engine: &'static dyn Engine,
    /// Held by each tensor that shares the buffer.
    owners: Arc<()>,
}

impl HasSpec for CubeTensor {
    fn spec(&self) -> &TensorSpec {
        &self.spec
    }
}

/// Shape and dtype as fields.
impl Deref for CubeTensor {
    type Target = TensorSpec;

    fn deref(&self) -> &TensorSpec {
        &self.spec
    }
}

impl CubeTensor {
    /// Creates a tensor of a buffer that holds its elements in row-major order.
    pub fn new(spec: TensorSpec, handle: Handle, engine: &'static dyn Engine) -> Self {
        let strides = spec.shape.strides();
        CubeTensor { spec, strides, offset: 0, handle, engine, owners: Arc::new(()) }
    }

    /// Creates a tensor with an uninitialized buffer.
    ///
    /// # Panics
    /// When the device has no elements of this dtype.
    #[track_caller]
    pub fn empty(spec: TensorSpec, engine: &'static dyn Engine) -> Self {
        require(engine, spec.dtype);
        // Buffers are never empty: there are devices that cannot bind one that is.
        let bytes = (spec.shape.num_elements() * stored_size(spec.dtype)).max(16);
        let handle = engine.empty(bytes);
        CubeTensor::new(spec, handle, engine)
    }

    pub fn handle(&self) -> &Handle {
        &self.handle
    }

    pub fn engine(&self) -> &'static dyn Engine {
        self.engine
    }

    pub fn strides(&self) -> &Dims {
        &self.strides
    }

    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Creates another view of the same buffer.
    #[must_use]
    pub fn view(self, shape: Shape, strides: Dims, offset: usize) -> Self {
        CubeTensor { spec: TensorSpec { shape, dtype: self.spec.dtype }, strides, offset, ..self }
    }

    /// Reshapes a contiguous tensor.
    #[must_use]
    pub fn reshaped(self, shape: Shape) -> Self {
        let strides = shape.strides();
        self.view(shape, strides, 0)
    }

    /// Returns whether no other tensor shares the buffer, so that a kernel may write over its elements.
    pub fn is_sole_owner(&self) -> bool {
        // A program may have made a tensor of the handle itself.
        Arc::strong_count(&self.owners) == 1 && self.handle.can_mut()
    }

    /// Returns whether the buffer holds the elements in row-major order, from its start.
    pub fn is_contiguous(&self) -> bool {
        let mut step = 1;
        let ordered = self.spec.shape.iter().zip(self.strides.iter()).rev().all(|(&size, &stride)| {
            let fits = size == 1 || stride == step;
            step *= size;
            fits
        });
        self.offset == 0 && (ordered || self.spec.shape.num_elements() == 0)
    }
}

/// # Panics
/// When the device has no elements of this dtype.
#[track_caller]
pub fn require(engine: &dyn Engine, dtype: DType) {
    assert!(engine.has(dtype), "{}: tensors of {dtype} are not supported on this device", engine.name());
}
