use burn_onnx::RunValue;
use burn_tensor::backend::Backend;
use burn_tensor::{DynTensor, HasSpec, TensorData};

/// Tolerances of ONNX's own runner.
const RELATIVE: f64 = 1e-3;
const ABSOLUTE: f64 = 1e-7;

/// Compares an output with what is expected.
pub fn compare<B: Backend>(found: RunValue<B>, expected: RunValue<B>) -> Result<(), String> {
    match (found, expected) {
        (RunValue::Sequence(found), RunValue::Sequence(expected)) => {
            if found.len() != expected.len() {
                return Err(format!("{} values, expected {}", found.len(), expected.len()));
            }
            found.into_iter().zip(expected).try_for_each(|(found, expected)| compare::<B>(found, expected))
        }
        (RunValue::Optional(None), RunValue::Optional(None)) => Ok(()),
        (RunValue::Optional(Some(found)), RunValue::Optional(Some(expected))) => {
            compare::<B>(*found, *expected)
        }
        (RunValue::Optional(Some(found)), expected) => compare::<B>(*found, expected),
        (found, RunValue::Optional(Some(expected))) => compare::<B>(found, *expected),
        (RunValue::Tensor(found), RunValue::Data(expected)) => same(&read::<B>(found), &expected),
        (RunValue::Data(found), RunValue::Data(expected)) => same(&found, &expected),
        (found, expected) => Err(format!("found {found:?}, expected {expected:?}")),
    }
}

fn read<B: Backend>(tensor: B::Tensor) -> TensorData {
    let dtype = tensor.dtype();
    if dtype.is_float() {
        DynTensor::<B>::from_handle(tensor).into_data()
    } else if dtype.is_int() {
        DynTensor::<B, burn_tensor::Int>::from_handle(tensor).into_data()
    } else {
        DynTensor::<B, burn_tensor::Bool>::from_handle(tensor).into_data()
    }
}

fn same(found: &TensorData, expected: &TensorData) -> Result<(), String> {
    let scalar = expected.shape.is_empty() && found.shape == [1].into();
    if found.dtype != expected.dtype || (found.shape != expected.shape && !scalar) {
        return Err(format!(
            "{} {:?}, expected {} {:?}",
            found.dtype, found.shape, expected.dtype, expected.shape
        ));
    }
    let pairs = found.iter::<f64>().zip(expected.iter::<f64>());
    for (place, (found, expected)) in pairs.enumerate() {
        let near = (found - expected).abs() <= ABSOLUTE + RELATIVE * expected.abs();
        if !(near || found == expected || (found.is_nan() && expected.is_nan())) {
            return Err(format!("element {place} is {found}, expected {expected}"));
        }
    }
    Ok(())
}
