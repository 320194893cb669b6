//! Bits of elements, read as another element type of the same width.

use super::declare::calls;
use super::{Fixed, Type, rules};
#[cfg(feature = "run")]
use burn_tensor::{Float, Int, Tensor};

calls! {
    /// The bits of floats as integers.
    float erased fn float_bits_to_int[device](x: Fixed<1>, target: Type) -> one rules::converted
        => {
            let mut data = x.try_into_data()?;
            data.dtype = target;
            let kind = data.dtype;
            Tensor::<B, 1, Int>::try_from_data(data, (device, kind))?
        };
    /// The bits of floats as floats of another format.
    float erased fn float_bits_to_float[device](x: Fixed<1>, target: Type) -> one rules::converted
        => {
            let mut data = x.try_into_data()?;
            data.dtype = target;
            let kind = data.dtype;
            Tensor::<B, 1, Float>::try_from_data(data, (device, kind))?
        };
    /// The bits of integers as integers with or without a sign.
    int erased fn int_bits_to_int[device](x: Fixed<1>, target: Type) -> one rules::converted
        => {
            let mut data = x.try_into_data()?;
            data.dtype = target;
            let kind = data.dtype;
            Tensor::<B, 1, Int>::try_from_data(data, (device, kind))?
        };
    /// The bits of integers as floats.
    int erased fn int_bits_to_float[device](x: Fixed<1>, target: Type) -> one rules::converted
        => {
            let mut data = x.try_into_data()?;
            data.dtype = target;
            let kind = data.dtype;
            Tensor::<B, 1, Float>::try_from_data(data, (device, kind))?
        };
}
