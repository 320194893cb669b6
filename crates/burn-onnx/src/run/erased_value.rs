//! Values of runs without the type of their backend.

use super::RunValue;
use crate::builder::Builder;
use crate::graph::Constant;
use crate::value::{Expr, OnnxValue, Spec};
use burn_backend::Backend;
use burn_backend::dynamic::{Dynamic, DynamicTensor};
use burn_ir::{HasSpec, Layout};
use std::sync::Arc;

/// A value without the type of its backend.
pub(super) enum Erased {
    Tensor(DynamicTensor),
    Data(burn_ir::TensorData),
    Sequence(Vec<Erased>),
    Optional(Option<Box<Erased>>),
}

pub(super) fn erase<B: Backend>(value: RunValue<B>) -> Erased {
    match value {
        RunValue::Tensor(tensor) => Erased::Tensor(DynamicTensor::new::<B>(tensor)),
        RunValue::Data(data) => Erased::Data(data),
        RunValue::Sequence(values) => Erased::Sequence(values.into_iter().map(erase::<B>).collect()),
        RunValue::Optional(value) => Erased::Optional(value.map(|value| Box::new(erase::<B>(*value)))),
    }
}

pub(super) fn typed<B: Backend>(value: Erased) -> RunValue<B> {
    match value {
        Erased::Tensor(tensor) => RunValue::Tensor(tensor.into_inner::<B>()),
        Erased::Data(data) => RunValue::Data(data),
        Erased::Sequence(values) => RunValue::Sequence(values.into_iter().map(typed::<B>).collect()),
        Erased::Optional(value) => RunValue::Optional(value.map(|value| Box::new(typed::<B>(*value)))),
    }
}

pub(super) fn import(value: Erased, builder: &mut Builder) -> Result<OnnxValue, String> {
    let text = |reason: crate::error::Reason| reason.0;
    Ok(match value {
        Erased::Tensor(handle) => {
            let handle = match handle.spec().shape.rank() {
                // A scalar has one dimension of size 1 here.
                0 => Dynamic::execute(Layout::Reshape { x: handle, shape: [1].into() }.into()).one(),
                _ => handle,
            };
            let spec = handle.spec();
            let dims: Vec<Expr> = spec.shape.iter().map(|&size| size.into()).collect();
            let spec = Spec::new(spec.dtype, dims);
            OnnxValue::Tensor(builder.hold("input", handle, spec).map_err(text)?)
        }
        Erased::Data(data) => {
            let constant = Constant { name: String::new(), data: Arc::new(data) };
            OnnxValue::Tensor(builder.constant(&constant).map_err(text)?)
        }
        Erased::Sequence(values) => {
            let values: Result<Vec<OnnxValue>, String> =
                values.into_iter().map(|value| import(value, builder)).collect();
            OnnxValue::Sequence(Arc::new(values?))
        }
        Erased::Optional(Some(value)) => OnnxValue::Optional(Some(Arc::new(import(*value, builder)?))),
        Erased::Optional(None) => OnnxValue::Optional(None),
    })
}

pub(super) fn export(value: OnnxValue, builder: &mut Builder) -> Result<Erased, String> {
    Ok(match value {
        OnnxValue::Sequence(values) => {
            let values: Result<Vec<Erased>, String> =
                values.iter().map(|value| export(value.clone(), builder)).collect();
            Erased::Sequence(values?)
        }
        OnnxValue::Optional(Some(value)) => {
            Erased::Optional(Some(Box::new(export((*value).clone(), builder)?)))
        }
        OnnxValue::Optional(None) => Erased::Optional(None),
        value => {
            let tensor = builder.tensor(&value).map_err(|reason| reason.0)?;
            let handle = tensor.handle.ok_or("it has no elements")?;
            Erased::Tensor(handle)
        }
    })
}
