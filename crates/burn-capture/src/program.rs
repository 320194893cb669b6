use crate::document::Document;
use crate::rewrite::{self, Fate};
use crate::{Input, Output, ProgramError, Step, Value};
use burn_backend::{Creation, DType, OpError, TensorData, TensorSpec, output_specs};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Recorded program: steps over numbered values, with named inputs and outputs.
///
/// Every program that exists is valid: operands are made before they are used, and each call is one that
/// [`output_specs`] allows. Printed, it is a list with the shape and element type of every value.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    document: Document,
    /// Shape and dtype of each value.
    specs: Vec<TensorSpec>,
    /// The first value of every step, and the number of values at the end.
    begins: Vec<usize>,
}

impl Program {
    pub(crate) fn new(document: Document) -> Result<Self, ProgramError> {
        let (specs, begins) = verify(&document)?;
        Ok(Program { document, specs, begins })
    }

    /// Returns the tensors that [`Program::replay`] takes.
    pub fn inputs(&self) -> &[Input] {
        &self.document.inputs
    }

    /// Returns the steps, which compute all values after the inputs.
    pub fn steps(&self) -> &[Step] {
        &self.document.steps
    }

    /// Returns the tensors that [`Program::replay`] computes.
    pub fn outputs(&self) -> &[Output] {
        &self.document.outputs
    }

    /// Returns the shape and dtype of a value, as they were when it was recorded.
    pub fn spec(&self, value: Value) -> Option<&TensorSpec> {
        self.specs.get(value.index())
    }

    /// Returns the name of a value, if it has one.
    pub fn name(&self, value: Value) -> Option<&str> {
        match self.document.inputs.get(value.index()) {
            Some(input) => Some(&input.name),
            None => self.document.names.get(&value).map(String::as_str),
        }
    }

    /// Returns the values that a step computes.
    pub fn results(&self, step: usize) -> impl Iterator<Item = Value> + use<> {
        let range = match self.begins.get(step..).unwrap_or_default() {
            [begin, end, ..] => *begin..*end,
            [] | [_] => 0..0,
        };
        range.map(|value| Value(value as u32))
    }

    #[cfg(test)]
    pub(crate) fn document(&self) -> &Document {
        &self.document
    }

    pub(crate) fn values(&self) -> usize {
        self.specs.len()
    }

    /// Converts constants to further inputs, and returns their values: for a model, its parameters. Inputs
    /// have the names of the constants, or `constant_0`, `constant_1` and so on.
    #[must_use]
    pub fn with_constants_as_inputs(self) -> (Self, Vec<TensorData>) {
        let mut constants = Vec::new();
        let fates = self.document.steps.iter().zip(&self.begins).map(|(step, &begin)| match step {
            Step::Create(Creation::Data(data)) => {
                let name = self.document.names.get(&Value(begin as u32)).cloned();
                let name = name.unwrap_or_else(|| format!("constant_{}", constants.len()));
                constants.push(data.clone());
                Fate::Input(name)
            }
            Step::Create(_) | Step::Call(_) | Step::ArgWhere { .. } => Fate::Keep,
        });
        let fates: Vec<Fate> = fates.collect();
        (self.rewritten(&fates), constants)
    }

    /// Removes the steps that no output needs. A program of [`Recording::finish`](crate::Recording::finish)
    /// has none.
    #[must_use]
    pub fn pruned(self) -> Self {
        let fates = rewrite::live(&self.document, &self.begins);
        self.rewritten(&fates)
    }

    fn rewritten(self, fates: &[Fate]) -> Self {
        let document = rewrite::rewrite(self.document, &self.specs, &self.begins, fates);
        Program::new(document).expect("what is left has what it needs")
    }
}

/// Checks a document, and returns the specs of all values and the first value of each step.
fn verify(document: &Document) -> Result<(Vec<TensorSpec>, Vec<usize>), ProgramError> {
    let (mut specs, mut begins): (Vec<TensorSpec>, Vec<usize>) = Default::default();
    for Input { name, spec } in &document.inputs {
        sized(spec).map_err(|cause| ProgramError::Malformed(format!("input `{name}`: {cause}")))?;
        specs.push(spec.clone());
    }
    for (number, step) in document.steps.iter().enumerate() {
        let refused = |cause: String| ProgramError::Step { step: number, name: step.name(), cause };
        operands_exist(step, specs.len()).map_err(refused)?;
        begins.push(specs.len());
        match step {
            Step::Create(creation) => {
                check_creation(creation).map_err(refused)?;
                specs.push(creation.spec());
            }
            Step::Call(op) => {
                let results = output_specs(&op.map_ref(|value| &specs[value.index()]));
                results.map_err(|error| refused(error.to_string()))?.map(|spec| specs.push(spec));
            }
            Step::ArgWhere { mask, index, found } => {
                let mask = &specs[mask.index()];
                if mask.dtype != DType::Bool || !index.is_int() || *found > mask.shape.num_elements() {
                    return Err(refused(format!("{found} coordinates of dtype {index} in {mask:?}")));
                }
                specs.push(TensorSpec::new([*found, mask.shape.rank()], *index));
            }
        }
        if u32::try_from(specs.len()).is_err() {
            return Err(ProgramError::TooLong);
        }
    }
    begins.push(specs.len());
    let names = document.names.iter().map(|(value, name)| (name, *value));
    let outputs = document.outputs.iter().map(|Output { name, value }| (name, *value));
    match names.chain(outputs).find(|(_, value)| value.index() >= specs.len()) {
        Some((name, value)) => Err(ProgramError::Missing { name: name.clone(), value }),
        None => Ok((specs, begins)),
    }
}

fn operands_exist(step: &Step, made: usize) -> Result<(), String> {
    let (mut operands, mut missing) = (0, None);
    step.visit(|value| {
        operands += 1;
        if value.index() >= made {
            missing = Some(*value);
        }
    });
    match (step, missing) {
        (_, Some(value)) => Err(format!("the operand {value} is not made before it")),
        (Step::Call(_), None) if operands == 0 => Err("it has no operand".into()),
        (Step::Call(_) | Step::Create(_) | Step::ArgWhere { .. }, None) => Ok(()),
    }
}

/// Checks that strides and bytes of a shape do not overflow.
fn sized(spec: &TensorSpec) -> Result<(), String> {
    let count = |bytes: usize, &size: &usize| bytes.checked_mul(size.max(1));
    let bytes = spec.shape.iter().try_fold(spec.dtype.size(), count);
    match bytes.map(isize::try_from) {
        Some(Ok(_)) => Ok(()),
        Some(Err(_)) | None => Err(format!("{:?} has more elements than memory can hold", spec.shape)),
    }
}

fn check_creation(creation: &Creation) -> Result<(), String> {
    sized(&creation.spec())?;
    match creation {
        Creation::Data(_) | Creation::Full { .. } => Ok(()),
        Creation::Range { spec, .. } if spec.shape.rank() != 1 || spec.dtype == DType::Bool => {
            Err(format!("no range is {}{:?}", spec.dtype, spec.shape))
        }
        Creation::Range { .. } => Ok(()),
        Creation::Random { spec, distribution } => {
            distribution.check(spec.dtype).map_err(|error: OpError| error.to_string())
        }
    }
}

impl Serialize for Program {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.document.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Program {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let document = Document::deserialize(deserializer)?;
        Program::new(document).map_err(serde::de::Error::custom)
    }
}
