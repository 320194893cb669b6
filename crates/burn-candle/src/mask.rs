//! Choices by a mask.

use crate::binary::{result, together};
use crate::kernel;
use crate::tensor::CandleTensor;
use burn_backend::Operation;

#[track_caller]
pub fn mask_where(mask: CandleTensor, on: CandleTensor, off: CandleTensor) -> CandleTensor {
    let spec = result(&Operation::MaskWhere { mask: &mask, on: &on, off: &off });
    let shape = spec.shape.clone();
    kernel::candle("where_cond", on.device(), spec, || {
        let operands = [mask.candle(), on.candle(), off.candle()];
        together(operands, &shape, |[mask, on, off]| mask.where_cond(&on, &off))
    })
}
