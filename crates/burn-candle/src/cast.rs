//! Other element types.

use crate::dtype::stored;
use crate::host;
use crate::library::Core;
use crate::tensor::CandleTensor;
use burn_backend::{DType, Element, HasSpec};
use burn_library_backend::{Kernels, with_dtype, with_element};

pub fn cast(x: CandleTensor, dtype: DType) -> CandleTensor {
    let (from, spec) = (x.dtype(), with_dtype(&x, dtype));
    if from == dtype {
        return x;
    }
    if from.is_float() && dtype.is_float() {
        return Core::run("to_dtype", x.device(), spec, || x.candle().to_dtype(stored(dtype)));
    }
    // Bools are bytes of 0 and 1.
    if from == DType::Bool && dtype == DType::U8 {
        let tensor = x.candle().clone();
        return x.viewed(spec, tensor);
    }
    // Candle rounds twice on the way from wide integers to halves, and stores some types as wider ones.
    Core::own("cast", [&x], spec, |[x]| {
        with_element!(from, E => with_element!(dtype, U => {
            host::map(&x, |x: E| U::from_scalar(x.to_scalar()))
        }))
    })
}
