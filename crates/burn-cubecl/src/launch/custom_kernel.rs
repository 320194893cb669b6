//! Access to tensors for custom kernels, where the runtime type is known again.

use crate::backend::CubeRuntime;
use crate::launch::tensor::CubeTensor;
use crate::ops::layout;
use burn_backend::{Element, HasSpec, Shape, TensorSpec};
use cubecl::prelude::*;
use cubecl::server::Handle;
use cubecl::zspace;

/// A float element type that kernels can be generic over; `F::type_name()` is its name in them.
///
/// It is no `burn::tensor::FloatElement`, which has a `type_name` too: the call would be ambiguous.
pub trait FloatElement: Element + Float + CubeElement {}
impl<F: burn_backend::FloatElement + Float + CubeElement> FloatElement for F {}

/// An integer element type that kernels can be generic over; `I::type_name()` is its name in them.
pub trait IntElement: Element + Int + CubeElement {}
impl<I: burn_backend::IntElement + Int + CubeElement> IntElement for I {}

impl CubeTensor {
    /// Returns the client that launches kernels on the device, and allocates buffers there.
    ///
    /// # Panics
    /// When the tensor is of another runtime.
    #[track_caller]
    pub fn client<R: Runtime>(&self) -> &'static ComputeClient<R> {
        let engine = self.engine();
        engine.client().downcast_ref().unwrap_or_else(|| {
            panic!("{} is no device of {}", engine.name(), std::any::type_name::<R>());
        })
    }

    /// Returns the device of the tensor.
    ///
    /// # Panics
    /// When the tensor is of another runtime.
    #[track_caller]
    pub fn device<R: CubeRuntime>(&self) -> <R as Runtime>::Device {
        R::device(self.engine())
    }

    /// Creates a tensor of elements `F` in row-major order, as a kernel writes them to `buffer`. The client
    /// determines the runtime.
    ///
    /// # Panics
    /// When the buffer has fewer bytes than that.
    #[track_caller]
    pub fn new_contiguous<R: CubeRuntime, F: Element>(
        _client: ComputeClient<R>,
        device: <R as Runtime>::Device,
        shape: Shape,
        buffer: Handle,
    ) -> CubeTensor {
        let (wanted, found) = (shape.num_elements() * size_of::<F>(), buffer.size_in_used());
        assert!(wanted as u64 <= found, "a tensor {shape:?} needs {wanted} bytes, the buffer has {found}");
        CubeTensor::new(TensorSpec::new(shape, F::DTYPE), buffer, R::engine(&device))
    }

    /// Returns the tensor as an argument of a `#[cube(launch)]` kernel, which reads `width` neighbours of the
    /// last dimension at once.
    ///
    /// # Panics
    /// When the tensor is of another runtime, or a view that starts or steps elsewhere than a buffer does
    /// ([`into_contiguous`] makes one that is not), or has a last dimension that is no multiple of `width`.
    #[track_caller]
    pub fn as_tensor_arg<R: Runtime>(&self, width: usize) -> TensorArg<R> {
        self.client::<R>();
        let (shape, strides) = (self.shape(), self.strides());
        assert!(
            self.is_plain(),
            "a view of {shape:?} from element {} on: see into_contiguous",
            self.offset()
        );
        let last = shape.rank().saturating_sub(1);
        let fits = shape.rank() > 0 && shape[last].is_multiple_of(width) && strides[last] == 1;
        assert!(width == 1 || fits, "{shape:?} cannot be read {width} elements at a time");
        let (strides, shape) =
            (zspace::Strides::new(strides), zspace::Shape::new_raw(shape.iter().copied().collect()));
        // SAFETY: sizes and steps are those of the buffer.
        unsafe { TensorArg::from_raw_parts(self.handle().clone(), strides, shape) }
    }

    /// # Panics
    /// When the tensors are on different devices.
    #[track_caller]
    pub fn assert_is_on_same_device(&self, other: &CubeTensor) {
        let (here, there) = (self.engine(), other.engine());
        assert!(
            std::ptr::addr_eq(here, there),
            "tensors are on different devices: {} and {}",
            here.name(),
            there.name()
        );
    }

    /// Whether elements are where sizes and steps alone say.
    fn is_plain(&self) -> bool {
        self.offset() == 0 && self.strides().iter().all(|&step| step <= isize::MAX as usize)
    }
}

/// Returns `x` in row-major order from the start of a buffer; `x` itself if it already is.
pub fn into_contiguous(x: CubeTensor) -> CubeTensor {
    layout::contiguous(x)
}

/// Returns shapes and strides of tensors of one rank, as words for a kernel's buffer: the rank, and for each
/// tensor its strides and then its shape.
///
/// # Panics
/// When ranks differ, a tensor is a view that starts or steps elsewhere than a buffer does, or a number has
/// more than 32 bits.
#[track_caller]
pub fn build_info(tensors: &[&CubeTensor]) -> Vec<u32> {
    let rank = tensors.first().map_or(0, |x| x.spec().shape.rank());
    let word = |number: usize| u32::try_from(number).expect("sizes and steps have 32 bits");
    let mut info = vec![word(rank)];
    for x in tensors {
        let shape = &x.spec().shape;
        assert!(shape.rank() == rank, "tensors of one rank, {rank}, but there is {shape:?}");
        assert!(x.is_plain(), "a view of {shape:?} from element {} on: see into_contiguous", x.offset());
        info.extend(x.strides().iter().chain(shape.iter()).map(|&number| word(number)));
    }
    info
}
