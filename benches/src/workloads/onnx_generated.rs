//! Models that PyTorch exports, as the source that `ModelGen` generates of them.

use super::onnx::{finished, graph, inputs};
use burn_onnx::RunValue;
use burn_tensor::{Backend, Int, Tensor, TensorKind};

// Not all functions of a model are called here.
#[allow(dead_code)]
mod models {
    pub(super) mod resnet18 {
        include!(concat!(env!("OUT_DIR"), "/resnet18/model.rs"));
    }
    pub(super) mod mobilenet_v2 {
        include!(concat!(env!("OUT_DIR"), "/mobilenet_v2/model.rs"));
    }
    pub(super) mod minilm {
        include!(concat!(env!("OUT_DIR"), "/minilm/model.rs"));
    }
    pub(super) mod gpt2 {
        include!(concat!(env!("OUT_DIR"), "/gpt2/model.rs"));
    }
}

/// Makes the call of a model's `forward`.
pub(super) fn run<B: Backend>(name: &'static str) -> Result<Box<dyn FnMut()>, String> {
    let device = B::Device::default();
    let mut inputs = inputs::<B>(name, &graph(name)?, &device)?.into_iter();
    Ok(match name {
        "onnx resnet18" => {
            let (model, image) = (models::resnet18::Model::<B>::default(), next(&mut inputs)?);
            Box::new(move || finished::<B, _>(&device, || model.forward(Tensor::clone(&image))))
        }
        "onnx mobilenet_v2" => {
            let (model, image) = (models::mobilenet_v2::Model::<B>::default(), next(&mut inputs)?);
            Box::new(move || finished::<B, _>(&device, || model.forward(Tensor::clone(&image))))
        }
        "onnx minilm" => {
            let model = models::minilm::Model::<B>::default();
            let [ids, mask, types]: [Tensor<B, 2, Int>; 3] =
                [next(&mut inputs)?, next(&mut inputs)?, next(&mut inputs)?];
            Box::new(move || {
                finished::<B, _>(&device, || model.forward(ids.clone(), mask.clone(), types.clone()));
            })
        }
        "onnx gpt2" => {
            let model = models::gpt2::Model::<B>::default();
            let ids: Tensor<B, 2, Int> = next(&mut inputs)?;
            Box::new(move || finished::<B, _>(&device, || model.forward(ids.clone())))
        }
        other => return Err(format!("no source is generated of {other}")),
    })
}

/// The next input as a tensor of static rank and kind.
fn next<B: Backend, const D: usize, K: TensorKind>(
    inputs: &mut impl Iterator<Item = RunValue<B>>,
) -> Result<Tensor<B, D, K>, String> {
    match inputs.next() {
        Some(RunValue::Tensor(handle)) => Ok(Tensor::from_handle(handle)),
        other => Err(format!("an input that is a tensor, found {other:?}")),
    }
}
