//! Cases compared with their definitions.

use crate::Case;
use crate::array::Array;
use crate::case::{read_all, same_bits};
use crate::expected::Expected;
use crate::input::Input;
use crate::operations::evaluate;
use crate::subject::message;
use burn_backend::dynamic::{Dynamic, DynamicDevice, DynamicTensor};
use burn_backend::{Backend, HasSpec, Operation, Outputs, TensorData, TensorSpec, output_specs};

impl Case {
    /// The call by several threads at once, on operands that they share.
    ///
    /// # Errors
    /// Describes the first result that is wrong.
    pub fn run_in_threads(&self, device: &DynamicDevice, threads: usize) -> Result<(), String> {
        let Checked { specs, expected, .. } = Checked::new(self);
        let specs = specs?;
        let op = self.upload(device);
        std::thread::scope(|scope| {
            let copies: Vec<_> = (0..threads).map(|_| op.map_ref(DynamicTensor::clone)).collect();
            let running: Vec<_> =
                copies.into_iter().map(|op| scope.spawn(|| execute(op, &specs).map(read_all))).collect();
            running.into_iter().try_for_each(|thread| {
                let found = thread.join().map_err(|panic| message(&*panic))??;
                compare_all(&found, &expected)
            })
        })?;
        let mut operands = Vec::new();
        op.visit(|tensor| operands.push(tensor.clone()));
        self.unchanged(read_all(operands))
    }

    fn upload(&self, device: &DynamicDevice) -> Operation<DynamicTensor> {
        let mut first: Option<DynamicTensor> = None;
        self.op.map_ref(|input| match &first {
            Some(tensor) if self.alias => tensor.clone(),
            _ => {
                let tensor = input.upload(device);
                first = self.alias.then(|| tensor.clone());
                tensor
            }
        })
    }

    /// The call with operands that the caller holds too, and once more with operands that it does not.
    fn start(&self, device: &DynamicDevice, specs: &Outputs<TensorSpec>) -> Result<Started, String> {
        let op = self.upload(device);
        let mut kept = Vec::new();
        op.visit(|tensor| kept.push(tensor.clone()));
        let shared = execute(op, specs)?;
        let unique = execute(self.upload(device), specs)?;
        Ok(Started { shared, kept, unique })
    }

    /// Whether operands have their values after a call.
    fn unchanged(&self, after: Vec<TensorData>) -> Result<(), String> {
        let mut after = after.into_iter();
        let mut outcome = Ok(());
        self.op.visit(|input| {
            let after = after.next().expect("one per operand");
            if !same_bits(&after, &input.data) {
                outcome = Err(format!("the call changed an operand from {} to {after}", input.data));
            }
        });
        outcome
    }
}

/// A case with its results by definition: computed once, compared with those of any number of backends.
#[derive(Debug)]
pub struct Checked<'a> {
    case: &'a Case,
    specs: Result<Outputs<TensorSpec>, String>,
    expected: Vec<Rounded>,
}

/// A result by definition, and the nearest values that its element type has.
#[derive(Debug)]
struct Rounded {
    expected: Expected,
    data: TensorData,
}

impl<'a> Checked<'a> {
    pub fn new(case: &'a Case) -> Self {
        let specs = output_specs(&case.specs()).map_err(|error| format!("refused: {error}"));
        let mut expected = Vec::new();
        evaluate(&case.op.map_ref(Input::array)).map(|result| expected.push(Rounded::new(result)));
        Checked { case, specs, expected }
    }

    /// # Errors
    /// Describes the first result that is wrong.
    pub fn run(&self, device: &DynamicDevice) -> Result<(), String> {
        Checked::run_all(&[self], device)
    }

    /// Runs cases that are all under way before the first is waited for.
    ///
    /// # Errors
    /// Describes the first result that is wrong.
    pub fn run_all(all: &[&Checked<'_>], device: &DynamicDevice) -> Result<(), String> {
        let (mut counts, mut tensors) = (Vec::new(), Vec::new());
        for Checked { case, specs, .. } in all {
            let Started { shared, kept, unique } =
                case.start(device, specs.as_ref().map_err(String::clone)?)?;
            counts.push((shared.len(), kept.len()));
            tensors.extend(shared.into_iter().chain(kept).chain(unique));
        }
        let mut data = read_all(tensors).into_iter();
        for (checked, (results, operands)) in all.iter().zip(counts) {
            let mut next = |count| -> Vec<TensorData> { data.by_ref().take(count).collect() };
            let (shared, kept, unique) = (next(results), next(operands), next(results));
            checked.case.unchanged(kept)?;
            checked.compare(&shared, &unique)?;
        }
        Ok(())
    }

    fn compare(&self, shared: &[TensorData], unique: &[TensorData]) -> Result<(), String> {
        compare_all(unique, &self.expected)?;
        compare_all(shared, &self.expected).map_err(|error| format!("with shared operands, {error}"))?;
        match shared.iter().zip(unique).find(|(shared, unique)| !same_bits(shared, unique)) {
            Some((shared, unique)) => Err(format!("shared operands give {shared}, unique ones {unique}")),
            None => Ok(()),
        }
    }
}

/// Results of a call that were not read.
struct Started {
    shared: Vec<DynamicTensor>,
    /// Operands of the shared call, which are to have their values afterwards.
    kept: Vec<DynamicTensor>,
    unique: Vec<DynamicTensor>,
}

impl Rounded {
    fn new(expected: Expected) -> Self {
        let data = expected.array.to_data();
        Rounded { expected, data }
    }
}

/// The results of a call, which are what inference says.
fn execute(op: Operation<DynamicTensor>, specs: &Outputs<TensorSpec>) -> Result<Vec<DynamicTensor>, String> {
    let results = Dynamic::execute(op);
    let mut found = Vec::new();
    results.visit(|result| found.push(result.spec().clone()));
    let mut inferred = Vec::new();
    specs.visit(|spec| inferred.push(spec.clone()));
    if found != inferred {
        return Err(format!("the result says it is {found:?}, but should be {inferred:?}"));
    }
    let mut tensors = Vec::new();
    results.map(|result| tensors.push(result));
    Ok(tensors)
}

fn compare_all(found: &[TensorData], expected: &[Rounded]) -> Result<(), String> {
    assert_eq!(found.len(), expected.len(), "as many results as inferred");
    found.iter().zip(expected).try_for_each(|(found, expected)| compare_with(found, expected))
}

/// # Errors
/// The first element that is too far from its definition.
pub fn compare(found: &TensorData, expected: &Expected) -> Result<(), String> {
    compare_with(found, &Rounded::new(expected.clone()))
}

fn compare_with(found: &TensorData, expected: &Rounded) -> Result<(), String> {
    let Rounded { expected: Expected { array, tolerance }, data: rounded } = expected;
    if (&found.shape, found.dtype) != (&rounded.shape, rounded.dtype) {
        let (shape, dtype) = (&rounded.shape, rounded.dtype);
        return Err(format!("found {:?} of {}, expected {shape:?} of {dtype}", found.shape, found.dtype));
    }
    if found.as_bytes() == rounded.as_bytes() {
        return Ok(());
    }
    if !found.dtype.is_float() {
        let (found, rounded) = (Array::from(found).values, Array::from(rounded).values);
        let at = found.iter().zip(&rounded).position(|(found, rounded)| found != rounded);
        let at = at.expect("bytes differ");
        return Err(format!("element {at} is {:?}, expected {:?}", found[at], rounded[at]));
    }
    let (found, rounded) = (found.to_f64(), rounded.to_f64());
    for (at, exact) in array.values.iter().map(|x| x.to_f64()).enumerate() {
        if !tolerance.accepts(at, found[at], exact, rounded[at], array.dtype()) {
            return Err(format!("element {at} is {:e}, expected {exact:e} ({:e})", found[at], rounded[at]));
        }
    }
    Ok(())
}
