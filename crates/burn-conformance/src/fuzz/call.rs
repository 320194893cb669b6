use super::Calls;
use super::Random;
use crate::Family;
use crate::case::read;
use crate::number::{self, Number};
use crate::operations::checks;
use crate::subject::message;
use burn_backend::TypedCalls;
use burn_backend::dynamic::{Dynamic, DynamicDevice, DynamicTensor};
use burn_backend::{Backend, HasSpec, Operation, Outputs, TensorData, TensorSpec, output_specs};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Elements of all results of a call that is run.
const MOST_ELEMENTS: usize = 1 << 16;

/// Outcome of a random call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Rejected, with a message that names the operation.
    Refused,
    /// Executed, with results of the inferred shapes.
    Run,
    /// Valid, but larger than a test should be, or with an empty dimension to index.
    LeftOut,
}

/// Any call of any operation.
pub fn random_call(random: &mut Random) -> Operation<TensorSpec> {
    let family = random.pick(&Family::ALL[..Family::OPERATIONS]);
    let checks = checks(family).expect("it is a family of operations");
    checks.random(&mut Calls::new(random))
}

/// A call that was kept: what [`check`] prints.
///
/// # Errors
/// When the text is no call.
pub fn parse(text: &str) -> Result<Operation<TensorSpec>, String> {
    serde_json::from_str(text).map_err(|cause| cause.to_string())
}

/// Whether the call is refused in words that name it, or runs on `device` and gives what was inferred.
///
/// # Errors
/// The panic or the wrong result, and the call for [`parse`].
pub fn check(op: &Operation<TensorSpec>, device: &DynamicDevice) -> Result<Outcome, String> {
    let outcome = catch_unwind(AssertUnwindSafe(|| verify(op, device)));
    let outcome = outcome.unwrap_or_else(|panic| Err(message(&*panic)));
    outcome.map_err(|error| {
        let text = serde_json::to_string(op).unwrap_or_else(|_| format!("{op:?}"));
        format!("{error}\n    {text}")
    })
}

fn verify(op: &Operation<TensorSpec>, device: &DynamicDevice) -> Result<Outcome, String> {
    let specs = match output_specs(op) {
        Ok(specs) => specs,
        Err(error) => {
            let text = error.to_string();
            let named =
                error.op == op.name() && text.strip_prefix(error.op).is_some_and(|rest| rest.len() > 10);
            return if named { Ok(Outcome::Refused) } else { Err(format!("the error is no help: {text}")) };
        }
    };
    let mut elements = Some(0_usize);
    specs.visit(|spec| {
        let count = spec.shape.checked_num_elements();
        elements = elements.zip(count).and_then(|(sum, count)| sum.checked_add(count));
    });
    let Some(elements) = elements else {
        return Err("a result has more elements than can be counted".into());
    };
    let Some(operands) = operands(op, device).filter(|_| elements <= MOST_ELEMENTS) else {
        return Ok(Outcome::LeftOut);
    };
    let results = Dynamic::execute(operands);
    let found = results.map_ref(|result| result.spec().clone());
    if found != specs {
        return Err(format!("the result says it is {found:?}, inferred was {specs:?}"));
    }
    let mut outcome = Ok(Outcome::Run);
    each(results, &mut |result| {
        let spec = result.spec().clone();
        let data = read(result);
        if (&data.shape, data.dtype) != (&spec.shape, spec.dtype) {
            outcome = Err(format!("{:?} of {} was read from {spec:?}", data.shape, data.dtype));
        }
    });
    outcome
}

fn each(results: Outputs<DynamicTensor>, see: &mut dyn FnMut(DynamicTensor)) {
    results.map(see);
}

/// Operands with values that look random; indices are within the dimension that they are for. None if there
/// is no such index.
fn operands(op: &Operation<TensorSpec>, device: &DynamicDevice) -> Option<Operation<DynamicTensor>> {
    let size = index_limit(op);
    let (mut position, mut possible) = (0, true);
    let operands = op.map_ref(|spec| {
        let limit = size.filter(|_| position == 1);
        position += 1;
        possible &= limit != Some(0) || spec.shape.num_elements() == 0;
        let data = values(spec, limit.map(|limit| limit.max(1)));
        Dynamic::from_data(data, device)
    });
    possible.then_some(operands)
}

/// Returns the exclusive upper bound of the indices, if the second operand is indices.
pub(super) fn index_limit(op: &Operation<TensorSpec>) -> Option<usize> {
    op.index_limit()
}

pub(super) fn values(spec: &TensorSpec, limit: Option<usize>) -> TensorData {
    let dtype = spec.dtype;
    let special = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 1e300, -1e-310];
    let value = |i: usize| match limit {
        Some(limit) => Number::of(((i * 7 + 3) % limit.min(100)) as i128, dtype),
        None if dtype.is_float() && i % 11 == 10 => Number::Float(special[i / 11 % special.len()]),
        None if dtype.is_float() => Number::Float((i * 37 % 19) as f64 / 4.0 - 2.0),
        None => Number::of((i * 37 % 19) as i128 - 7, dtype),
    };
    let values: Vec<Number> = (0..spec.shape.num_elements()).map(value).collect();
    number::write(&values, &spec.shape, dtype)
}
