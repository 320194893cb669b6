//! Tensors from numbers of the host, and back.

use crate::element::Number;
use crate::library::Core;
use crate::tensor::CandleTensor;
use crate::{CandleDevice, host};
use burn_backend::{DataError, HasSpec, Scalar, TensorData, TensorSpec, memory};
use burn_library_backend::{Kernels, Library, range_elements, with_element};
use candle_core::{Device, Tensor};

#[track_caller]
pub fn from_data(data: &TensorData, device: CandleDevice) -> CandleTensor {
    let spec = TensorSpec::new(data.shape.clone(), data.dtype);
    Core::create("from_data", device, spec, |device| {
        with_element!(data.dtype, E => {
            let values: &[E] = data.as_slice().expect("the dtype is that of the data");
            let values = values.iter().map(|&x| x.store()).collect::<Vec<_>>();
            Tensor::from_vec(values, &data.shape[..], device)
        })
    })
}

/// # Errors
/// When the device fails, or the host has no memory for a copy.
pub fn into_data(x: CandleTensor) -> Result<TensorData, DataError> {
    let TensorSpec { shape, dtype } = x.spec().clone();
    let bytes = Core::bytes(x.spec());
    // Elements that do not lie in order are copied twice.
    if !x.candle().is_contiguous() && !bytes.is_some_and(memory::is_available) {
        return Err(DataError::Memory { shape, dtype });
    }
    let mut data = TensorData::zeroed(shape, dtype)?;
    let copied = x.candle().to_device(&Device::Cpu).and_then(|x| {
        with_element!(dtype, E => host::read::<E, _>(&x, |values| {
            let out: &mut [E] = data.as_mut_slice().expect("the dtype is that of the data");
            out.iter_mut().zip(values).for_each(|(out, &value)| *out = E::load(value));
        }))
    });
    match copied {
        Ok(()) => Ok(data),
        Err(error) => Err(DataError::Device(format!("candle on {}: {}", x.device(), Core::cause(&error)))),
    }
}

#[track_caller]
pub fn full(spec: TensorSpec, value: Scalar, device: CandleDevice) -> CandleTensor {
    let (dtype, shape) = (spec.dtype, spec.shape.clone());
    Core::create(
        "full",
        device,
        spec,
        |device| with_element!(dtype, E => Tensor::full(value.elem::<E>().store(), &shape[..], device)),
    )
}

/// `start, start + step, ..`, computed in 64 bits.
#[track_caller]
pub fn range(spec: TensorSpec, start: Scalar, step: Scalar, device: CandleDevice) -> CandleTensor {
    let (dtype, count) = (spec.dtype, spec.shape.num_elements());
    let at = range_elements(dtype, start, step);
    Core::create("range", device, spec, |device| {
        with_element!(dtype, E => {
            let values = (0..count).map(|i| at(i).elem::<E>().store()).collect::<Vec<_>>();
            Tensor::from_vec(values, &[count][..], device)
        })
    })
}
