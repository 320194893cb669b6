//! Choices by a mask.

use crate::binary::together;
use crate::library::Core;
use crate::tensor::CandleTensor;
use burn_backend::{Elementwise, Operation};
use burn_library_backend::{Kernels, result};

#[track_caller]
pub fn mask_where(mask: CandleTensor, on: CandleTensor, off: CandleTensor) -> CandleTensor {
    let spec = result(&Operation::Elementwise(Elementwise::MaskWhere { mask: &mask, on: &on, off: &off }));
    let shape = spec.shape.clone();
    Core::run("where_cond", on.device(), spec, || {
        let operands = [mask.candle(), on.candle(), off.candle()];
        together(operands, &shape, |[mask, on, off]| mask.where_cond(&on, &off))
    })
}
