use super::Statement;
use crate::budget::Budget;
#[cfg(feature = "run")]
use crate::budget::bytes_of;
use crate::calls::{Definition, Operand};
use crate::error::Outcome;
use crate::graph::Constant;
use crate::value::{Expr, Spec, Tensor, TensorId};
use burn_ir::{DType, TensorData};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Takes the calls of operators. It records them, or executes each of them at once on a device.
///
/// Operators are written for both: they get values with specs and give values with specs. Whatever is
/// computed on host numbers ([`Expr`]) is known when a model runs, and an expression of sizes when it is
/// recorded.
#[derive(Debug)]
pub struct Builder {
    pub(super) mode: Mode,
    pub(super) tensors: u32,
    pub(super) statements: Vec<Statement>,
    pub(super) constants: Constants,
    /// Tensors whose elements were read to the host by the statements so far.
    pub(super) read: HashSet<TensorId>,
    names: HashMap<TensorId, String>,
    /// Remaining budget of the model's limits.
    pub(crate) budget: Budget,
}

/// Constants that became tensors, by the addresses of their data.
pub(crate) type Constants = HashMap<usize, (Constant, Tensor)>;

/// Whether calls are recorded or executed.
#[derive(Debug)]
pub(super) enum Mode {
    Record,
    #[cfg(feature = "run")]
    Execute(burn_backend::dynamic::DynamicDevice),
}

impl Builder {
    /// Makes a builder that records.
    pub fn recorder() -> Self {
        Self::new(Mode::Record)
    }

    /// Makes a builder that records, and whose tensors have numbers from `first` on.
    #[cfg(any(feature = "generate", feature = "run"))]
    pub(crate) fn recorder_after(first: u32) -> Self {
        Builder { tensors: first, ..Self::recorder() }
    }

    /// Makes a builder that executes on a device.
    #[cfg(feature = "run")]
    pub fn executor(device: burn_backend::dynamic::DynamicDevice) -> Self {
        Self::new(Mode::Execute(device))
    }

    fn new(mode: Mode) -> Self {
        Builder {
            mode,
            tensors: 0,
            statements: Vec::new(),
            constants: HashMap::new(),
            read: HashSet::new(),
            names: HashMap::new(),
            budget: Budget::default(),
        }
    }

    /// Sets the limits of a model of constants of so many bytes.
    pub(crate) fn with_budget(mut self, budget: Budget, given: u64) -> Self {
        self.budget = budget;
        // Weights that change their shape or type a few times fit.
        self.budget.set_free(given.saturating_mul(4));
        self
    }

    /// Whether a copy of a constant, of so many elements, is made on the host.
    pub(crate) fn has_room(&mut self, elements: usize, dtype: DType) -> bool {
        self.budget.has_room(host_bytes(elements, dtype))
    }

    /// Checks that there is room for a new constant.
    ///
    /// # Errors
    /// When it is beyond the limit of bytes.
    pub(crate) fn require_room(&mut self, elements: usize, dtype: DType) -> Outcome<()> {
        if self.has_room(elements, dtype) {
            return Ok(());
        }
        self.budget.too_much_folded("constant", host_bytes(elements, dtype))
    }

    /// A constant that was computed on the host, whose bytes count while it lives.
    pub(crate) fn folded(&mut self, name: String, data: TensorData) -> Constant {
        let data = Arc::new(data);
        self.budget.fold(&data);
        Constant { name, data }
    }

    /// Sets the constants that are tensors already.
    #[cfg(feature = "run")]
    pub(crate) fn set_constants(&mut self, constants: Constants) {
        self.constants = constants;
    }

    /// The constants that became tensors.
    #[cfg(feature = "run")]
    pub(crate) fn constants(&self) -> Constants {
        self.constants.clone()
    }

    /// The recorded steps, and the names that the model gives to tensors.
    pub(crate) fn finish(self) -> (Vec<Statement>, HashMap<TensorId, String>) {
        (self.statements, self.names)
    }

    /// Gives a tensor the name that the model has for it, unless it has one.
    pub(crate) fn name(&mut self, tensor: &Tensor, name: &str) {
        if !self.is_executing() {
            self.names.entry(tensor.id).or_insert_with(|| name.into());
        }
    }

    /// Returns whether calls are executed at once, so that every size is known.
    pub fn is_executing(&self) -> bool {
        !matches!(self.mode, Mode::Record)
    }

    pub(crate) fn next_id(&mut self) -> TensorId {
        self.tensors += 1;
        TensorId(self.tensors - 1)
    }

    /// Declares a tensor without executing a call: an input of the model, or a result of a recorded call.
    pub fn declare(&mut self, spec: Spec) -> Tensor {
        let id = self.next_id();
        Tensor {
            id,
            spec,
            #[cfg(feature = "run")]
            handle: None,
            #[cfg(feature = "run")]
            charge: None,
        }
    }

    /// Makes a call.
    pub(crate) fn call(
        &mut self,
        definition: &'static Definition,
        operands: Vec<Operand>,
    ) -> Outcome<Vec<Tensor>> {
        let named =
            |reason: crate::error::Reason| crate::error::Reason(format!("{}: {reason}", definition.name));
        let specs = (definition.rule)(&operands).map_err(named)?;
        self.budget.tensors(definition.name, &specs)?;
        match &self.mode {
            Mode::Record => {
                let results: Vec<Tensor> = specs.into_iter().map(|spec| self.declare_result(spec)).collect();
                self.statements.push(Statement::Call { definition, operands, results: results.clone() });
                Ok(results)
            }
            #[cfg(feature = "run")]
            Mode::Execute(device) => {
                let handles = crate::run::execute(definition, operands, device)?;
                if handles.len() != specs.len() {
                    crate::error::fail!(
                        "{}: {} results, its rule says {}",
                        definition.name,
                        handles.len(),
                        specs.len()
                    );
                }
                let results = handles.into_iter().zip(specs);
                results.map(|(handle, spec)| self.hold_made(definition.name, handle, spec)).collect()
            }
        }
    }

    /// The result of a recorded call: sizes that its rule cannot say, or only in an endless expression, are
    /// those of the tensor itself.
    pub(super) fn declare_result(&mut self, mut spec: Spec) -> Tensor {
        let id = self.next_id();
        for (d, dim) in spec.dims.iter_mut().enumerate() {
            if *dim == UNKNOWN || !dim.is_small() {
                *dim = Expr::Dim(id, d);
            }
        }
        Tensor {
            id,
            spec,
            #[cfg(feature = "run")]
            handle: None,
            #[cfg(feature = "run")]
            charge: None,
        }
    }

    /// A tensor with the elements of `handle`, whose shape must be what a rule said.
    #[cfg(feature = "run")]
    pub(crate) fn hold(
        &mut self,
        call: &str,
        handle: burn_backend::dynamic::DynamicTensor,
        spec: Spec,
    ) -> Outcome<Tensor> {
        use burn_ir::HasSpec;
        let found = handle.spec();
        let dims: Vec<Expr> = found.shape.iter().map(|&size| Expr::from(size)).collect();
        let as_said = dims.len() == spec.dims.len()
            && found.dtype == spec.dtype
            && dims.iter().zip(&spec.dims).all(|(found, said)| found == said || *said == UNKNOWN);
        if !as_said {
            let found = Spec::new(found.dtype, dims);
            crate::error::fail!("{call}: the result is {found:?}, its rule says {spec:?}");
        }
        let is_scalar = spec.is_scalar;
        let spec = Spec { dtype: found.dtype, dims, is_scalar };
        Ok(Tensor { id: self.next_id(), spec, handle: Some(handle), charge: None })
    }

    /// As [`hold`](Self::hold); the bytes of the tensor count while it lives.
    #[cfg(feature = "run")]
    fn hold_made(
        &mut self,
        call: &str,
        handle: burn_backend::dynamic::DynamicTensor,
        spec: Spec,
    ) -> Outcome<Tensor> {
        let mut tensor = self.hold(call, handle, spec)?;
        tensor.charge = self.budget.charge(call, bytes_of(&tensor.spec).unwrap_or(0))?;
        Ok(tensor)
    }
}

fn host_bytes(elements: usize, dtype: DType) -> u64 {
    (elements as u64).saturating_mul(dtype.size() as u64)
}

/// Size that depends on elements, as rules give it.
pub(crate) const UNKNOWN: Expr = Expr::Dim(TensorId(u32::MAX), usize::MAX);
