//! Tensors from numbers of the host, and back.

use crate::dtype::stored;
use crate::element::{Number, scalar};
use crate::library::Torch;
use crate::sizes::sizes;
use crate::tensor::TchTensor;
use crate::{LibTorchDevice, host};
use burn_backend::{DataError, HasSpec, Scalar, TensorData, TensorSpec, memory};
use burn_library_backend::{Kernels, Library, out_of_memory, range_elements, with_element};
use tch::{Device, Tensor};

#[track_caller]
pub fn from_data(data: &TensorData, device: LibTorchDevice) -> TchTensor {
    let spec = TensorSpec::new(data.shape.clone(), data.dtype);
    Torch::create("from_data", device, spec, |inner| {
        with_element!(data.dtype, E => {
            let values: &[E] = data.as_slice().expect("the dtype is that of the data");
            let mut x = Tensor::f_empty(sizes(&data.shape), (E::kind(), Device::Cpu))?;
            host::write::<E>(&mut x, |out| {
                out.iter_mut().zip(values).for_each(|(out, &value)| *out = value.store());
            })?;
            Torch::move_to(x, inner)
        })
    })
}

/// # Errors
/// When the device fails.
#[track_caller]
pub fn into_data(x: TchTensor) -> Result<TensorData, DataError> {
    let TensorSpec { shape, dtype } = x.spec().clone();
    let bytes = Torch::bytes(x.spec());
    // Elements that do not lie in order are copied twice.
    if !x.tch().is_contiguous() && !bytes.is_some_and(memory::is_available) {
        out_of_memory(&TensorSpec { shape, dtype }, bytes);
    }
    let mut data = TensorData::zeroed(shape, dtype)?;
    let on_host = || match x.tch().device() {
        Device::Cpu => Ok(x.tch().shallow_clone()),
        Device::Cuda(_) | Device::Mps | Device::Vulkan => Torch::to_host(x.tch()),
    };
    let copied = on_host().and_then(|x| {
        with_element!(dtype, E => host::read::<E, _>(&x, |values| {
            let out: &mut [E] = data.as_mut_slice().expect("the dtype is that of the data");
            out.iter_mut().zip(values).for_each(|(out, &value)| *out = E::load(value));
        }))
    });
    match copied {
        Ok(()) => Ok(data),
        Err(error) => Err(DataError::Device(format!("LibTorch on {}: {}", x.device(), Torch::cause(&error)))),
    }
}

#[track_caller]
pub fn full(spec: TensorSpec, value: Scalar, device: LibTorchDevice) -> TchTensor {
    let (dtype, shape) = (spec.dtype, sizes(&spec.shape));
    Torch::create("full", device, spec, |inner| {
        Tensor::f_full(shape, scalar(value, dtype), (stored(dtype), *inner))
    })
}

/// Room on the host for a result, which is written before it is read.
#[track_caller]
pub fn uninitialized(spec: TensorSpec) -> TchTensor {
    let (dtype, shape) = (spec.dtype, sizes(&spec.shape));
    Torch::create("empty", LibTorchDevice::Cpu, spec, |&inner| Tensor::f_empty(shape, (stored(dtype), inner)))
}

/// `start, start + step, ..`, computed in 64 bits.
#[track_caller]
pub fn range(spec: TensorSpec, start: Scalar, step: Scalar, device: LibTorchDevice) -> TchTensor {
    let (dtype, count) = (spec.dtype, spec.shape.num_elements());
    let at = range_elements(dtype, start, step);
    Torch::create("range", device, spec, |inner| {
        let x = with_element!(dtype, E => host::make::<E>(&[count], |out| {
            out.iter_mut().enumerate().for_each(|(i, out)| *out = at(i).elem::<E>().store());
        }))?;
        Torch::move_to(x, inner)
    })
}
