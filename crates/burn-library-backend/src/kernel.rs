//! How kernels are run: the memory of the result is taken, the kernel is reported to profilers, and errors
//! end the call.

use crate::error::{out_of_memory, refuse};
use crate::{DeviceError, Library, Memory};
use burn_backend::{
    DType, HasSpec, OpError, OpErrorKind, Operation, TensorSpec, kernel_error, kernels, memory, output_specs,
};

/// Returns the spec of the result, from the only definition of it.
#[track_caller]
pub fn result<T: HasSpec>(op: &Operation<&T>) -> TensorSpec {
    output_specs(op).unwrap_or_else(|error| kernel_error::raise(error)).first().clone()
}

/// The spec of `x` with another element type.
pub fn with_dtype<T: HasSpec>(x: &T, dtype: DType) -> TensorSpec {
    TensorSpec { shape: x.shape(), dtype }
}

/// Calls of kernels, for every library.
pub trait Kernels: Library {
    /// Runs a kernel of the library.
    #[inline]
    #[track_caller]
    fn run(
        op: &'static str,
        device: Self::Device,
        spec: TensorSpec,
        kernel: impl FnOnce() -> Result<Self::Inner, Self::Error>,
    ) -> Self::Tensor {
        kernels::ran(|| format!("{} {op}", Self::KERNELS));
        finish::<Self>(op, device, spec, kernel)
    }

    /// Runs a kernel of the backend's crate, which works on tensors on the host. Operands of another device
    /// are copied there, and the result back.
    #[track_caller]
    fn own<const N: usize>(
        op: &'static str,
        xs: [&Self::Tensor; N],
        spec: TensorSpec,
        kernel: impl FnOnce([Self::Inner; N]) -> Result<Self::Inner, Self::Error>,
    ) -> Self::Tensor {
        let device = Self::device(xs[0]);
        kernels::ran(|| format!("{} {op}", Self::CRATE));
        if device == Self::HOST {
            return finish::<Self>(op, device, spec, || kernel(xs.map(|x| Self::share(Self::inner(x)))));
        }
        kernels::explain(|| format!("on the host, for {device}"));
        finish::<Self>(op, device, spec, || {
            let mut failed = None;
            let moved = xs.map(|x| {
                Self::to_host(Self::inner(x)).unwrap_or_else(|error| {
                    failed = Some(error);
                    Self::share(Self::inner(x))
                })
            });
            match failed {
                Some(error) => Err(error),
                None => Self::move_to(kernel(moved)?, &Self::inner_device(Self::inner(xs[0]))),
            }
        })
    }

    /// Makes a tensor on a device, which is checked to be there and to have such elements.
    #[track_caller]
    fn create(
        op: &'static str,
        device: Self::Device,
        spec: TensorSpec,
        kernel: impl FnOnce(&Self::InnerDevice) -> Result<Self::Inner, Self::Error>,
    ) -> Self::Tensor {
        let inner = Self::open(device).unwrap_or_else(|error| refuse(op, error));
        if !Self::has_dtype(device, spec.dtype) {
            refuse(op, DeviceError::DType { device, dtype: spec.dtype.to_string() });
        }
        finish::<Self>(op, device, spec, || kernel(&inner))
    }

    /// Counts the bytes of a tensor of `spec`, if they can be counted.
    #[inline]
    fn bytes(spec: &TensorSpec) -> Option<usize> {
        spec.shape.checked_num_elements().and_then(|count| count.checked_mul(Self::width(spec.dtype)))
    }

    /// Takes the memory of a result or a workspace. Libraries ask the host for more than it has, or end the
    /// process where it has none, so it is asked for here.
    ///
    /// Where there is none, this ends the call.
    #[inline]
    #[track_caller]
    fn take(spec: &TensorSpec, device: Self::Device) -> Memory {
        let bytes = Self::bytes(spec);
        let is_there = |&size: &usize| {
            size <= isize::MAX as usize && (device != Self::HOST || memory::is_available(size))
        };
        bytes.filter(is_there).and_then(Memory::take).unwrap_or_else(|| out_of_memory(spec, bytes))
    }

    /// Ends the call of `op`, for which the library gave an error. A device that is out of memory is
    /// distinguished from other errors.
    #[cold]
    #[track_caller]
    fn raise(op: &'static str, spec: Option<TensorSpec>, device: Self::Device, error: &Self::Error) -> ! {
        let cause = Self::cause(error);
        if Self::is_out_of_memory(&cause.to_lowercase()) {
            let bytes = spec.as_ref().and_then(Self::bytes);
            let kind = OpErrorKind::Memory { spec, bytes, available: None };
            kernel_error::raise(OpError { op, kind: kind.into() });
        }
        refuse(op, DeviceError::Failed { device, cause })
    }
}

impl<L: Library> Kernels for L {}

#[inline]
#[track_caller]
fn finish<L: Library>(
    op: &'static str,
    device: L::Device,
    spec: TensorSpec,
    kernel: impl FnOnce() -> Result<L::Inner, L::Error>,
) -> L::Tensor {
    let memory = L::take(&spec, device);
    let is_empty = device != L::HOST && spec.shape.num_elements() == 0;
    let made = if is_empty { L::empty(&spec, device) } else { None };
    match made.unwrap_or_else(kernel) {
        Ok(inner) => L::tensor(spec, inner, device, memory),
        Err(error) => L::raise(op, Some(spec), device, &error),
    }
}
