//! The forward pass, recorded once for each combination of sizes of the dynamic dimensions.

use super::error::ExportError;
use super::parameters::Parameters;
use super::sample::Sample;
use super::size_expr::{Number, SizeTable};
use super::step_numbers;
use burn_backend::Backend;
use burn_backend::TypedCalls;
use burn_capture::{Capture, CaptureTensor, Program, Recording, Step, Value};
use burn_ir::{Creation, Shape};

/// The first recording, and the sizes of all of them.
pub(super) struct Trace {
    pub program: Program,
    pub table: SizeTable,
    /// Shape of each value in each recording.
    pub shapes: Vec<Vec<Shape>>,
    /// Numbers of each step that may depend on sizes, in each recording.
    pub numbers: Vec<Vec<Number>>,
}

/// The forward pass on tensors of the backend.
pub(super) type Forward<'a, B> = &'a dyn Fn(Vec<CaptureTensor<B>>) -> Vec<CaptureTensor<B>>;

impl Trace {
    /// Records the forward pass with all sizes of the table.
    pub fn record<B: Backend>(
        samples: &[Sample],
        table: SizeTable,
        parameters: &Parameters<B>,
        outputs: &[String],
        device: &B::Device,
        forward: Forward<'_, B>,
    ) -> Result<Self, ExportError> {
        let run = |sizes: &[usize]| -> Result<Program, ExportError> {
            let data: Result<Vec<_>, _> = samples.iter().map(|sample| sample.resized(sizes)).collect();
            let names = samples.iter().map(|sample| &sample.name[..]);
            let inputs = names
                .zip(data?)
                .map(|(name, data)| (name.to_string(), Capture::<B>::from_data(data, device)));
            recorded(inputs.collect(), parameters, outputs, forward)
        };
        let recordings = table.recordings();
        let program = run(&recordings[0])?;
        let count = program.inputs().len()
            + (0..program.steps().len()).map(|step| program.results(step).count()).sum::<usize>();
        let shape = |program: &Program, value: usize| {
            program.spec(Value(value as u32)).map(|spec| spec.shape.clone()).unwrap_or_default()
        };
        let mut shapes: Vec<Vec<Shape>> = (0..count).map(|value| vec![shape(&program, value)]).collect();
        let mut numbers: Vec<Vec<Number>> = Vec::with_capacity(program.steps().len());
        for step in program.steps() {
            numbers.push(blanked(step).1.into_iter().map(|number| vec![number]).collect());
        }
        for sizes in &recordings[1..] {
            let other = run(sizes)?;
            compare(&program, &other, &table, sizes, &mut numbers)?;
            shapes.iter_mut().enumerate().for_each(|(value, list)| list.push(shape(&other, value)));
        }
        Ok(Trace { program, table, shapes, numbers })
    }
}

fn recorded<B: Backend>(
    inputs: Vec<(String, CaptureTensor<B>)>,
    parameters: &Parameters<B>,
    names: &[String],
    forward: Forward<'_, B>,
) -> Result<Program, ExportError> {
    let recording = Recording::<B>::start();
    let mut handles = Vec::with_capacity(inputs.len());
    let names_of_inputs: Vec<String> = inputs.iter().map(|(name, _)| name.clone()).collect();
    for (name, tensor) in inputs {
        recording.input(name, &tensor);
        handles.push(tensor);
    }
    parameters.name(&recording);
    let outputs = forward(handles);
    if !names.is_empty() && names.len() != outputs.len() {
        let reason =
            format!("the forward pass has {} outputs, but {} names were given", outputs.len(), names.len());
        return Err(ExportError::Argument { name: names.join("`, `"), reason });
    }
    for (place, name) in names.iter().enumerate() {
        if name.is_empty() || names[..place].contains(name) || names_of_inputs.contains(name) {
            let reason = "names of outputs are different, not empty, and not those of inputs".into();
            return Err(ExportError::Argument { name: name.clone(), reason });
        }
    }
    let name = |at: usize| match (names.get(at), outputs.len()) {
        (Some(name), _) => name.clone(),
        (None, 1) => "output".into(),
        (None, _) => format!("output_{at}"),
    };
    let named: Vec<(String, &CaptureTensor<B>)> =
        outputs.iter().enumerate().map(|(at, tensor)| (name(at), tensor)).collect();
    Ok(recording.finish(named)?)
}

/// The step without the numbers that may depend on sizes, and these numbers. The elements of constants are
/// left out.
fn blanked(step: &Step) -> (Option<Step>, Vec<i64>) {
    if matches!(step, Step::Create(Creation::Data(_))) {
        return (None, Vec::new());
    }
    let mut step = step.clone();
    let numbers = step_numbers::take(&mut step);
    (Some(step), numbers)
}

/// Compares the steps of two recordings and adds the numbers of the second one.
fn compare(
    first: &Program,
    other: &Program,
    table: &SizeTable,
    sizes: &[usize],
    numbers: &mut [Vec<Number>],
) -> Result<(), ExportError> {
    let with = || {
        let sizes = table.names.iter().zip(sizes).map(|(name, size)| format!("{name} = {size}"));
        sizes.collect::<Vec<_>>().join(", ")
    };
    for (place, (one, two)) in first.steps().iter().zip(other.steps()).enumerate() {
        let differ = |reason: &str| {
            let reason = format!("{reason}; recorded again with {}", with());
            Err(ExportError::Structure { step: place, reason })
        };
        if let (Step::Create(Creation::Data(one)), Step::Create(Creation::Data(two))) = (one, two) {
            let same = one.shape == two.shape && one.dtype == two.dtype && one.as_bytes() == two.as_bytes();
            if !same {
                let text = format!(
                    "a constant that is made from host data, {}{:?}, was {}{:?} before",
                    two.dtype, two.shape, one.dtype, one.shape
                );
                return differ(&text);
            }
            continue;
        }
        let ((one_step, _), (two_step, found)) = (blanked(one), blanked(two));
        if one_step != two_step || found.len() != numbers[place].len() {
            let text = match one.name() == two.name() {
                true => format!("`{}` has other options or operands", two.name()),
                false => format!("expected `{}`, got `{}`", one.name(), two.name()),
            };
            return differ(&text);
        }
        numbers[place].iter_mut().zip(found).for_each(|(number, value)| number.push(value));
    }
    let (expected, found) = (first.steps().len(), other.steps().len());
    if expected != found {
        let reason = format!("expected {expected} operations, got {found}; recorded again with {}", with());
        return Err(ExportError::Structure { step: expected.min(found), reason });
    }
    Ok(())
}
