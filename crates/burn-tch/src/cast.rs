//! Other element types.

use crate::dtype::{narrowed, stored};
use crate::host;
use crate::library::Torch;
use crate::tensor::TchTensor;
use burn_backend::{DType, Element, HasSpec};
use burn_library_backend::{Kernels, with_dtype, with_element};

pub fn cast(x: TchTensor, dtype: DType) -> TchTensor {
    let (from, spec) = (x.dtype(), with_dtype(&x, dtype));
    if from == dtype {
        return x;
    }
    // LibTorch leaves floats outside of an integer type's range to the machine, and takes the bits of a
    // `u64` for those of an `i64`.
    let is_own = (from.is_float() && dtype.is_int()) || (from == DType::U64 && dtype.is_float());
    if is_own {
        return Torch::own("cast", [&x], spec, |[x]| {
            with_element!(from, E => with_element!(dtype, U => {
                host::map(&x, |x: E| U::from_scalar(x.to_scalar()))
            }))
        });
    }
    // Integers that are stored as the same type, and of which no bits are cut off.
    if stored(from) == stored(dtype) && crate::dtype::low_bits(dtype).is_none() {
        let tensor = x.tch().shallow_clone();
        return x.viewed(spec, tensor);
    }
    Torch::run("to", x.device(), spec, || narrowed(dtype, x.tch().f_to_kind(stored(dtype))?))
}
