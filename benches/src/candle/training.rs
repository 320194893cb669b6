//! Parameters of candle's models, and one step of training.

use candle_core::{DType, Device, Result, Tensor};
use candle_nn::{AdamW, Optimizer, ParamsAdamW, VarBuilder, VarMap};

/// A model's parameters, and where it takes them from.
pub(super) fn parameters() -> (VarMap, VarBuilder<'static>) {
    let map = VarMap::new();
    let builder = VarBuilder::from_varmap(&map, DType::F32, &Device::Cpu);
    (map, builder)
}

/// Forward, loss, backward, Adam with a tiny rate.
pub(super) fn steps(map: &VarMap, loss: impl Fn() -> Result<Tensor> + 'static) -> Result<Box<dyn FnMut()>> {
    let options = ParamsAdamW { lr: 1e-6, weight_decay: 0.0, ..Default::default() };
    let mut optimizer = AdamW::new(map.all_vars(), options)?;
    Ok(Box::new(move || loss().and_then(|loss| optimizer.backward_step(&loss)).expect("shapes fit")))
}
