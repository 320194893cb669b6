//! Tensors that are made of no other.

use super::lowering::{Lowering, Size};
use crate::error::{Outcome, fail};
use crate::export::graph_writer::{float, int, scalar_data, tensor};
use crate::export::size_expr::constant;
use burn_capture::Value;
use burn_ir::{Creation, DType, Distribution, Scalar, TensorData, TensorSpec};

/// Constants of up to so many elements are written as they are.
const SMALL: usize = 64;

pub(super) fn lower(to: &mut Lowering<'_>, creation: &Creation, result: Value) -> Outcome<String> {
    match creation {
        Creation::Data(data) => {
            let name = to.trace.program.name(result).unwrap_or("constant").to_string();
            Ok(to.writer.initializer(&name, data.clone()))
        }
        Creation::Full { spec, value } => full(to, spec, *value, result),
        Creation::Range { spec, start, step } => range(to, spec, *start, *step, result),
        Creation::Random { spec, distribution } => random(to, spec, *distribution, result),
    }
}

fn is_fixed(to: &Lowering<'_>, result: Value) -> bool {
    (0..to.rank(result)).all(|dim| to.fixed_dim(result, dim).is_some())
}

fn full(to: &mut Lowering<'_>, spec: &TensorSpec, value: Scalar, result: Value) -> Outcome<String> {
    let number = to.numbers().get(spec.shape.rank());
    if let Some(number) = number
        && constant(number).is_none()
    {
        let count = to.size_value(number, &[])?;
        let count = to.cast_from(count, DType::I64, spec.dtype);
        let shape = to.shape_value(result, &[])?;
        return Ok(to.op("Expand", [&count, &shape]));
    }
    if is_fixed(to, result) && spec.shape.num_elements() <= SMALL {
        return Ok(to.writer.constant(scalar_data(value, spec.dtype, &spec.shape)));
    }
    let shape = to.shape_value(result, &[])?;
    let value = tensor("value", &scalar_data(value, spec.dtype, &[1]));
    Ok(to.op_with("ConstantOfShape", &[&shape], vec![value]))
}

fn range(
    to: &mut Lowering<'_>,
    spec: &TensorSpec,
    start: Scalar,
    step: Scalar,
    result: Value,
) -> Outcome<String> {
    let numbers = to.numbers();
    if numbers[1..].iter().any(|number| constant(number).is_none()) {
        fail!("its start or step depends on the size of a dynamic dimension");
    }
    let (start, step) = (start.to_f64(), step.to_f64());
    if is_fixed(to, result) && spec.shape.num_elements() <= SMALL {
        let values: Vec<f64> = (0..spec.shape.num_elements()).map(|at| start + step * at as f64).collect();
        return Ok(to.writer.constant(TensorData::new(values, spec.shape.clone()).convert_dtype(spec.dtype)));
    }
    // Counted in integers, because a range of floats may have one element more.
    let count = match to.size(&numbers[0], &[])? {
        Size::Known(count) => to.writer.scalar(Scalar::Int(count), DType::I64),
        Size::Computed(name) => {
            let axis = to.writer.ints(&[0]);
            to.op("Squeeze", [&name, &axis])
        }
    };
    let (zero, one) = (to.number(0.0, DType::I64), to.number(1.0, DType::I64));
    let mut places = to.op("Range", [&zero, &count, &one]);
    places = to.cast_from(places, DType::I64, spec.dtype);
    if step != 1.0 {
        let step = to.number(step, spec.dtype);
        places = to.op("Mul", [&places, &step]);
    }
    if start != 0.0 {
        let start = to.number(start, spec.dtype);
        places = to.op("Add", [&places, &start]);
    }
    Ok(places)
}

/// Random numbers, which the runtime draws: others than here.
fn random(
    to: &mut Lowering<'_>,
    spec: &TensorSpec,
    distribution: Distribution,
    result: Value,
) -> Outcome<String> {
    if !spec.dtype.is_float() {
        fail!("ONNX draws floats only, got {}", spec.dtype);
    }
    let shape = to.shape_value(result, &[])?;
    let zeros = tensor("value", &scalar_data(Scalar::Int(0), spec.dtype, &[1]));
    let like = to.op_with("ConstantOfShape", &[&shape], vec![zeros]);
    let uniform = |to: &mut Lowering<'_>, low: f64, high: f64| {
        to.op_with("RandomUniformLike", &[&like], vec![float("low", low), float("high", high)])
    };
    Ok(match distribution {
        Distribution::Default => uniform(to, 0.0, 1.0),
        Distribution::Uniform(low, high) => uniform(to, low, high),
        Distribution::Normal(mean, deviation) => {
            to.op_with("RandomNormalLike", &[&like], vec![float("mean", mean), float("scale", deviation)])
        }
        Distribution::Bernoulli(probability) => {
            let probability = to.number(probability, spec.dtype);
            let all = to.op("Add", [&like, &probability]);
            let dtype = int("dtype", crate::export::file::data_type(spec.dtype).into());
            to.op_with("Bernoulli", &[&all], vec![dtype])
        }
    })
}
