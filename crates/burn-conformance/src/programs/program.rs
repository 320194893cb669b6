use super::flat_call::FlatCall;
use super::literal::{Floats, Literal};
use crate::array::Array;
use burn_backend::{HasSpec, Operation, TensorSpec, output_specs};
use serde::Deserialize;

/// Registers of one program; a file cannot ask for more.
const MOST_REGISTERS: usize = 256;

/// Calls on numbered tensors: first the leaves, then the results of the calls in order.
#[derive(Clone, Debug)]
pub struct Program {
    pub name: String,
    pub(super) leaves: Vec<Array>,
    pub(super) calls: Vec<Operation<usize>>,
    /// Results of PyTorch for each call.
    pub(super) results: Vec<Array>,
    /// By leaf, the gradient of the weighted sum of all float results that no call uses.
    pub(super) gradients: Vec<Option<Vec<f64>>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    name: String,
    leaves: Vec<Literal>,
    calls: Vec<FlatCall>,
    results: Vec<Literal>,
    #[serde(default)]
    gradients: Vec<Option<Floats>>,
}

impl Program {
    /// # Errors
    /// When the text is no program: another format, operands that do not exist, a call that Burn refuses.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let document: Document = serde_json::from_str(text).map_err(|cause| cause.to_string())?;
        let arrays = |list: Vec<Literal>| list.into_iter().map(|literal| literal.0).collect();
        let gradients = document.gradients.into_iter().map(|gradient| match gradient {
            None => Ok(None),
            Some(floats) => floats.values().map(Some).ok_or("a gradient has a value that is no number"),
        });
        let program = Program {
            name: document.name,
            leaves: arrays(document.leaves),
            calls: document.calls.into_iter().map(Operation::from).collect(),
            results: arrays(document.results),
            gradients: gradients.collect::<Result<_, _>>()?,
        };
        program.verify().map_err(|error| format!("{}: {error}", program.name))?;
        Ok(program)
    }

    /// Whether every operand exists and every call is allowed.
    fn verify(&self) -> Result<(), String> {
        if self.leaves.len() + self.results.len() > MOST_REGISTERS {
            return Err(format!("more than {MOST_REGISTERS} tensors"));
        }
        for (leaf, gradient) in self.leaves.iter().zip(&self.gradients) {
            if gradient.as_ref().is_some_and(|gradient| gradient.len() != leaf.values.len()) {
                return Err("a gradient has not the size of its leaf".into());
            }
        }
        if !self.gradients.is_empty() && self.gradients.len() != self.leaves.len() {
            return Err(format!("{} gradients for {} leaves", self.gradients.len(), self.leaves.len()));
        }
        let mut specs: Vec<TensorSpec> = self.leaves.iter().map(|leaf| leaf.spec().clone()).collect();
        for (number, call) in self.calls.iter().enumerate() {
            let mut operands = 0;
            let mut exist = true;
            call.visit(|&operand| {
                operands += 1;
                exist &= operand < specs.len();
            });
            if operands == 0 || !exist {
                return Err(format!("call {number}, {}: an operand does not exist", call.name()));
            }
            let outputs = output_specs(&call.map_ref(|&operand| &specs[operand]));
            outputs.map_err(|error| format!("call {number}: {error}"))?.map(|spec| specs.push(spec));
        }
        let (found, expected) = (specs.len() - self.leaves.len(), self.results.len());
        if found == expected { Ok(()) } else { Err(format!("{expected} results of calls that have {found}")) }
    }

    /// How often each tensor is an operand.
    pub(super) fn uses(&self) -> Vec<usize> {
        let mut uses = vec![0; self.leaves.len() + self.results.len()];
        self.calls.iter().for_each(|call| call.visit(|&operand| uses[operand] += 1));
        uses
    }

    /// The name of the call that computes each result.
    pub(super) fn origins(&self) -> Vec<String> {
        let mut origins = Vec::new();
        let mut specs: Vec<TensorSpec> = self.leaves.iter().map(|leaf| leaf.spec().clone()).collect();
        for (number, call) in self.calls.iter().enumerate() {
            let outputs = output_specs(&call.map_ref(|&operand| &specs[operand]));
            outputs.expect("verified when it was read").map(|spec| {
                specs.push(spec);
                origins.push(format!("call {number}, {}", call.name()));
            });
        }
        origins
    }
}
