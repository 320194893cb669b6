use burn_onnx::RunValue;
use burn_tensor::backend::Backend;
use burn_tensor::{DynTensor, HasSpec, TensorData};

/// Tolerances of ONNX's own runner.
const RELATIVE: f64 = 1e-3;
const ABSOLUTE: f64 = 1e-7;
/// Tolerance of whole models, whose sums are long.
const MODEL: f64 = 1e-4;

/// Tolerance of a comparison.
#[derive(Clone, Copy, Debug)]
pub enum Tolerance {
    /// A part of each element, as ONNX's own runner has it.
    OfEach,
    /// 1e-4 of the largest element.
    OfLargest,
}

/// Compares an output with what is expected; gives the largest difference as a part of the largest element.
pub fn compare<B: Backend>(
    found: RunValue<B>,
    expected: RunValue<B>,
    tolerance: Tolerance,
) -> Result<f64, String> {
    match (found, expected) {
        (RunValue::Sequence(found), RunValue::Sequence(expected)) => {
            if found.len() != expected.len() {
                return Err(format!("{} values, expected {}", found.len(), expected.len()));
            }
            found.into_iter().zip(expected).try_fold(0.0_f64, |largest, (found, expected)| {
                Ok(largest.max(compare::<B>(found, expected, tolerance)?))
            })
        }
        (RunValue::Optional(None), RunValue::Optional(None)) => Ok(0.0),
        (RunValue::Optional(Some(found)), RunValue::Optional(Some(expected))) => {
            compare::<B>(*found, *expected, tolerance)
        }
        (RunValue::Optional(Some(found)), expected) => compare::<B>(*found, expected, tolerance),
        (found, RunValue::Optional(Some(expected))) => compare::<B>(found, *expected, tolerance),
        (RunValue::Tensor(found), RunValue::Data(expected)) => same(&read::<B>(found), &expected, tolerance),
        (RunValue::Data(found), RunValue::Data(expected)) => same(&found, &expected, tolerance),
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

fn same(found: &TensorData, expected: &TensorData, tolerance: Tolerance) -> Result<f64, String> {
    let scalar = expected.shape.is_empty() && found.shape == [1].into();
    if found.dtype != expected.dtype || (found.shape != expected.shape && !scalar) {
        return Err(format!(
            "{} {:?}, expected {} {:?}",
            found.dtype, found.shape, expected.dtype, expected.shape
        ));
    }
    let finite = expected.iter::<f64>().filter(|value| value.is_finite());
    let size = finite.fold(1e-3, |size: f64, value| size.max(value.abs()));
    let mut largest = 0.0_f64;
    let pairs = found.iter::<f64>().zip(expected.iter::<f64>());
    for (place, (found, expected)) in pairs.enumerate() {
        let difference = (found - expected).abs();
        let near = match tolerance {
            Tolerance::OfEach => difference <= ABSOLUTE + RELATIVE * expected.abs(),
            Tolerance::OfLargest => difference <= MODEL * size,
        };
        if difference.is_finite() {
            largest = largest.max(difference / size);
        }
        if !(near || found == expected || (found.is_nan() && expected.is_nan())) {
            return Err(format!("element {place} is {found}, expected {expected}"));
        }
    }
    Ok(largest)
}
