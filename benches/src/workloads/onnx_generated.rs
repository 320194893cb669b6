//! ONNX models as the source that `ModelGen` generates of them.

use super::onnx::{check_outputs, finished, graph, inputs};
use burn_onnx::RunValue;
use burn_tensor::{Backend, HasSpec, Tensor, TensorKind};

// Not all functions of a model are called here.
#[allow(dead_code)]
mod generated {
    use super::{FromRun, ToRun};
    use burn_onnx::RunValue;
    use burn_tensor::Backend;

    include!(concat!(env!("OUT_DIR"), "/generated.rs"));
}

/// Returns why there is no source of a model.
pub(super) fn missing(name: &str) -> Option<&'static str> {
    generated::MISSING.iter().find(|(model, _)| *model == name).map(|(_, reason)| *reason)
}

/// A parameter of `forward`.
trait FromRun<B: Backend>: Sized {
    fn from_run(value: Option<RunValue<B>>) -> Result<Self, String>;
}

impl<B: Backend, const D: usize, K: TensorKind> FromRun<B> for Tensor<B, D, K> {
    fn from_run(value: Option<RunValue<B>>) -> Result<Self, String> {
        match value {
            // A scalar is a vector of one element there.
            Some(RunValue::Tensor(handle)) if handle.spec().shape.rank() < D => {
                Ok(Tensor::from_handle(B::reshape(handle, [1; D].into())))
            }
            Some(RunValue::Tensor(handle)) => Ok(Tensor::from_handle(handle)),
            other => Err(format!("expected an input that is a tensor, found {other:?}")),
        }
    }
}

/// Outputs of `forward`.
trait ToRun<B: Backend> {
    fn to_run(self) -> Vec<RunValue<B>>;
}

impl<B: Backend, const D: usize, K: TensorKind> ToRun<B> for Tensor<B, D, K> {
    fn to_run(self) -> Vec<RunValue<B>> {
        vec![RunValue::Tensor(self.into_handle())]
    }
}

macro_rules! tuples_to_run {
    ($(($($output:ident)*))*) => {$(
        impl<B: Backend, $($output: ToRun<B>),*> ToRun<B> for ($($output,)*) {
            #[allow(non_snake_case)] // Bindings have the names of their types.
            fn to_run(self) -> Vec<RunValue<B>> {
                let ($($output,)*) = self;
                [$($output.to_run()),*].into_iter().flatten().collect()
            }
        }
    )*};
}

tuples_to_run!((A C)(A C D)(A C D E)(A C D E F)(A C D E F G)(A C D E F G H)(A C D E F G H I));

/// Makes the call of a model's `forward`, whose outputs are compared with those of onnxruntime where
/// `is_checked`.
fn prepared<B: Backend>(name: &'static str, is_checked: bool) -> Result<Box<dyn FnMut()>, String> {
    let (graph, device) = (graph(name)?, B::Device::default());
    let inputs = inputs::<B>(name, &graph, &device)?;
    let forward = generated::prepare::<B>(name, &mut inputs.into_iter())?;
    if is_checked {
        check_outputs(name, &graph, forward())?;
    }
    Ok(Box::new(move || finished::<B, _>(&device, &forward)))
}

pub(super) fn run<B: Backend>(name: &'static str) -> Result<Box<dyn FnMut()>, String> {
    prepared::<B>(name, false)
}

pub(super) fn checked<B: Backend>(name: &'static str) -> Result<Box<dyn FnMut()>, String> {
    prepared::<B>(name, true)
}
