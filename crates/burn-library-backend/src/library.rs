use crate::{DeviceError, LibraryDevice, Memory};
use burn_backend::{DType, HasSpec, TensorSpec};
use std::fmt;

/// A tensor library as a backend sees it.
pub trait Library: Copy + 'static {
    /// Name before the kernels of the library in a profile.
    const KERNELS: &'static str;
    /// Name of the backend's crate, before its own kernels in a profile.
    const CRATE: &'static str;
    /// The memory of the host, as a device.
    const HOST: Self::Device;

    type Device: LibraryDevice;
    /// A device as the library has it.
    type InnerDevice;
    /// A tensor of the library.
    type Inner;
    /// A tensor of the backend.
    type Tensor: HasSpec;
    type Error: fmt::Display;

    /// Bytes of an element of `dtype` as the library stores it.
    fn width(dtype: DType) -> usize;
    /// Returns whether a device has tensors of `dtype`.
    fn has_dtype(device: Self::Device, dtype: DType) -> bool;
    /// Returns the first line of an error, without what the library puts before it.
    fn cause(error: &Self::Error) -> String;
    /// Returns whether an error says so in these words, in lower case, that there was no memory left.
    fn is_out_of_memory(cause: &str) -> bool;

    /// Opens a device.
    ///
    /// # Errors
    /// When it is not there.
    fn open(device: Self::Device) -> Result<Self::InnerDevice, DeviceError<Self::Device>>;
    /// Returns the device of a tensor as the library has it.
    fn inner_device(x: &Self::Inner) -> Self::InnerDevice;
    /// Returns one more handle of the same elements.
    fn share(x: &Self::Inner) -> Self::Inner;
    /// Copies a tensor to the memory of the host.
    ///
    /// # Errors
    /// When the device fails.
    fn to_host(x: &Self::Inner) -> Result<Self::Inner, Self::Error>;
    /// Moves a tensor of the host to a device: copies it, unless that is the host.
    ///
    /// # Errors
    /// When the device fails.
    fn move_to(x: Self::Inner, device: &Self::InnerDevice) -> Result<Self::Inner, Self::Error>;

    /// Makes an empty tensor, one of `spec` without elements, where the library's kernels fail on those;
    /// `None` where they do not.
    fn empty(_spec: &TensorSpec, _device: Self::Device) -> Option<Result<Self::Inner, Self::Error>> {
        None
    }

    /// Returns the tensor of the library in one of the backend.
    fn inner(x: &Self::Tensor) -> &Self::Inner;
    fn device(x: &Self::Tensor) -> Self::Device;
    /// Makes a tensor of the backend of a result, which is in a buffer of its own.
    fn tensor(spec: TensorSpec, inner: Self::Inner, device: Self::Device, memory: Memory) -> Self::Tensor;
}
