use super::check_input::{check, scalar};
use super::erased_value::{Erased, erase, export, import, typed};
use super::{Plans, RunValue};
use crate::budget::Budget;
use crate::builder::{Builder, Constants};
use crate::error::OnnxError;
use crate::graph::{Model, ValueInfo, ValueType};
use crate::tape::{Pass, Tapes};
use crate::translate::{Scope, check_limits, check_support, translate_graph};
use crate::value::OnnxValue;
use crate::{CancelToken, Limits};
use burn_backend::Backend;
use burn_backend::dynamic::{DynamicDevice, DynamicTensor};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// An ONNX model that runs on any backend, without generated code.
///
/// The first run records the model and replaces groups of calls by calls that do the same faster (attention,
/// activations and normalizations that exporters take apart, batch normalization after a convolution). Once
/// inputs of some shapes have come twice, later runs with these shapes repeat a list of tensor operations:
/// they translate no node, evaluate no size and infer no shape, and what depends on constants alone is
/// computed once. The list divides where elements decide what follows (the condition of `If` or `Loop`), and
/// each way through it is recorded when a run first takes it. Lists for 16 sets of shapes are kept.
///
/// A model that cannot be recorded with open sizes is recorded for the shapes of the inputs, and one that
/// cannot be recorded at all is translated by the first two runs and repeated like the others.
///
/// Gradients flow from outputs to inputs where the backend tracks them.
#[derive(Debug)]
pub struct Graph {
    model: Model,
    /// Constants of the model that are on a device already.
    uploaded: Mutex<Vec<(DynamicDevice, Constants)>>,
    /// Recordings, replaced by faster calls.
    plans: Plans,
    /// The recording of [`Graph::run_recorded`].
    recorded: Plans,
    /// Operations of runs without a recording.
    tapes: Tapes,
    /// Positions of the inputs without a default.
    required: Vec<usize>,
}

impl Graph {
    /// Reads a model from a file.
    ///
    /// # Errors
    /// When the file cannot be read, is no model, or has operators that are not supported.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, OnnxError> {
        Self::new(Model::from_file(path)?)
    }

    /// Reads a model from a file, within limits that hold for running it too.
    ///
    /// # Errors
    /// As [`Graph::load`]; also when the model takes more than a limit.
    pub fn load_within(path: impl AsRef<Path>, limits: Limits) -> Result<Self, OnnxError> {
        Self::new(Model::from_file_within(path, limits)?)
    }

    /// Makes a graph of a model that is in memory.
    ///
    /// # Errors
    /// When it has operators that are not supported.
    pub fn new(model: Model) -> Result<Self, OnnxError> {
        check_support(&model)?;
        check_limits(&model)?;
        let required = model.required_inputs();
        Ok(Graph {
            model,
            uploaded: Mutex::default(),
            plans: Plans::optimized(),
            recorded: Plans::unfolded(),
            tapes: Tapes::default(),
            required,
        })
    }

    /// Fixes shapes of inputs by their names, where the file leaves sizes open: `If`s on shapes are decided
    /// once, and a model whose branches give tensors of different ranks can be recorded. Runs then take
    /// inputs of these shapes alone.
    ///
    /// ```
    /// use burn_onnx::{Graph, OnnxError};
    ///
    /// # fn load() -> Result<(), OnnxError> {
    /// let graph = Graph::load("silero_vad.onnx")?.with_input_shapes(&[("input", &[1, 576])])?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`OnnxError::Input`] when there is no such input, it is no tensor, it has another rank, or a size
    /// contradicts the file or another input whose size has the same name.
    pub fn with_input_shapes(self, shapes: &[(&str, &[usize])]) -> Result<Self, OnnxError> {
        Self::new(self.model.with_input_shapes(shapes)?)
    }

    /// Returns the model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Returns the inputs without a default.
    pub fn inputs(&self) -> impl Iterator<Item = &ValueInfo> {
        self.required.iter().map(|&place| &self.model.graph.inputs[place])
    }

    /// Computes the outputs from inputs in the order of [`Graph::inputs`].
    ///
    /// # Errors
    /// When inputs are missing or of another type, a node cannot be translated, or the backend fails.
    pub fn run<B: Backend>(
        &self,
        inputs: Vec<RunValue<B>>,
        device: &B::Device,
    ) -> Result<Vec<RunValue<B>>, OnnxError> {
        self.run_cancellable(inputs, device, &CancelToken::default())
    }

    /// Computes the outputs as [`Graph::run`], unless the token is cancelled before.
    ///
    /// # Errors
    /// As [`Graph::run`], and [`OnnxError::Cancelled`].
    pub fn run_cancellable<B: Backend>(
        &self,
        inputs: Vec<RunValue<B>>,
        device: &B::Device,
        cancel: &CancelToken,
    ) -> Result<Vec<RunValue<B>>, OnnxError> {
        let inputs = inputs.into_iter().map(erase::<B>).collect();
        let outputs = self.run_on(inputs, &DynamicDevice::new::<B>(device.clone()), cancel)?;
        Ok(outputs.into_iter().map(typed::<B>).collect())
    }

    /// Runs the calls that generated source makes: groups of calls are replaced by faster ones, and batch
    /// normalization stays as it is. The first call records the model, and later ones repeat its operations
    /// as those of [`Graph::run`] do.
    ///
    /// # Errors
    /// As [`Graph::run`]; also when sizes depend on values in a way that cannot be recorded.
    pub fn run_recorded<B: Backend>(
        &self,
        inputs: Vec<RunValue<B>>,
        device: &B::Device,
    ) -> Result<Vec<RunValue<B>>, OnnxError> {
        let device = DynamicDevice::new::<B>(device.clone());
        let mut builder = Builder::executor(device.clone());
        let mut handles = Vec::with_capacity(inputs.len());
        for (info, value) in self.inputs().zip(inputs) {
            let wrong = |reason: String| OnnxError::Input { name: info.name.clone(), reason };
            let value = import(erase::<B>(value), &mut builder).map_err(wrong)?;
            let tensor = builder.tensor(&value).map_err(|reason| wrong(reason.0))?;
            handles.push(tensor.handle.ok_or_else(|| wrong("it has no elements".into()))?);
        }
        let plan = self.recorded.open(&self.model)?;
        let mut budget = self.budget(&CancelToken::default());
        let outputs = plan.run(&handles, &device, &mut budget).map_err(|error| budget.typed(error))?;
        Ok(outputs.into_iter().map(|handle| RunValue::Tensor(handle.into_inner::<B>())).collect())
    }

    fn budget(&self, cancel: &CancelToken) -> Budget {
        Budget::new(&self.model.limits, cancel)
    }

    fn run_on(
        &self,
        inputs: Vec<Erased>,
        device: &DynamicDevice,
        cancel: &CancelToken,
    ) -> Result<Vec<Erased>, OnnxError> {
        let mut builder = Builder::executor(device.clone());
        let values = self.imported(inputs, &mut builder)?;
        // A run that fails is repeated node by node: its error names the node of the model.
        let mut budget = self.budget(cancel);
        match self.planned(&values, device, &mut budget) {
            Some(Ok(outputs)) => return Ok(outputs.into_iter().map(Erased::Tensor).collect()),
            // Node by node it would take as much.
            Some(Err(error)) if budget.is_spent() => return Err(budget.typed(error)),
            Some(Err(_)) | None => {}
        }
        if let Some(outputs) = self.repeated(&values, device, &mut self.budget(cancel)) {
            return Ok(outputs?.into_iter().map(Erased::Tensor).collect());
        }
        self.kept_translated(values, device, self.budget(cancel))
    }

    /// The inputs as values, checked.
    fn imported(&self, inputs: Vec<Erased>, builder: &mut Builder) -> Result<Vec<OnnxValue>, OnnxError> {
        let mut given = inputs.into_iter();
        let (mut sizes, mut values) = (HashMap::new(), Vec::new());
        for info in self.inputs() {
            let wrong = |reason: String| OnnxError::Input { name: info.name.clone(), reason };
            let Some(value) = given.next() else { return Err(wrong("it is missing".into())) };
            let value = import(value, builder).map_err(wrong)?;
            check(&value, &info.value_type, &mut sizes).map_err(wrong)?;
            values.push(scalar(value, &info.value_type));
        }
        if given.next().is_some() {
            let reason = format!("the model takes {} inputs and no more", self.inputs().count());
            return Err(OnnxError::Input { name: "another".into(), reason });
        }
        Ok(values)
    }

    /// The tensors of the inputs, if they are tensors.
    fn handles(values: &[OnnxValue]) -> Option<Vec<DynamicTensor>> {
        let handle = |value: &OnnxValue| match value {
            OnnxValue::Tensor(tensor) => tensor.handle.clone(),
            OnnxValue::Constant(_) | OnnxValue::Host(_) | OnnxValue::Sequence(_) | OnnxValue::Optional(_) => {
                None
            }
        };
        values.iter().map(handle).collect()
    }

    /// Whether inputs give outputs by the recording.
    #[cfg(test)]
    pub(super) fn runs_recorded<B: Backend>(&self, inputs: Vec<RunValue<B>>, device: &B::Device) -> bool {
        let device = DynamicDevice::new::<B>(device.clone());
        let inputs = inputs.into_iter().map(erase::<B>).collect();
        let values = self.imported(inputs, &mut Builder::executor(device.clone()));
        let mut budget = self.budget(&CancelToken::default());
        matches!(self.planned(&values.unwrap_or_default(), &device, &mut budget), Some(Ok(_)))
    }

    /// Number of shapes of inputs for which runs repeat operations.
    #[cfg(test)]
    pub(super) fn tapes(&self) -> usize {
        self.plans.tapes() + self.tapes.len()
    }

    /// The outputs by the recording, if there is one and it runs.
    fn planned(
        &self,
        values: &[OnnxValue],
        device: &DynamicDevice,
        budget: &mut Budget,
    ) -> Option<Result<Vec<DynamicTensor>, OnnxError>> {
        let handles = Self::handles(values)?;
        let plan = self.plans.find(&self.model, &handles)?;
        Some(plan.run(&handles, device, budget))
    }

    /// The outputs of a model of tensors without a recording of its nodes: by the operations of an earlier
    /// run, or by translating every node, which is recorded for later runs. None if there is no way for it.
    fn repeated(
        &self,
        values: &[OnnxValue],
        device: &DynamicDevice,
        budget: &mut Budget,
    ) -> Option<Result<Vec<DynamicTensor>, OnnxError>> {
        let is_tensor =
            |info: &ValueInfo| !matches!(info.value_type, ValueType::Sequence(_) | ValueType::Optional(_));
        if !self.model.graph.outputs.iter().all(is_tensor) {
            return None;
        }
        let (handles, mut is_recorded) = (Self::handles(values)?, false);
        let mut compute = |inputs: &[DynamicTensor], on: &DynamicDevice, pass: &Pass, budget: &mut Budget| {
            let values = values.iter().zip(inputs).map(with_handle).collect();
            is_recorded = pass.is_recorded();
            let outputs = if is_recorded {
                let mut constants = self.uploaded(device, pass);
                self.translated(values, &mut constants, on, budget.clone())?
            } else {
                self.kept_translated(values, on, budget.clone())?
            };
            outputs.into_iter().zip(&self.model.graph.outputs).map(tensor_output).collect()
        };
        let outputs = self.tapes.run(&handles, device, budget, &mut compute);
        // A model that cannot be recorded may run.
        if outputs.is_err() && is_recorded { None } else { Some(outputs) }
    }

    /// The outputs by translating every node; constants stay on the device for later runs.
    fn kept_translated(
        &self,
        values: Vec<OnnxValue>,
        device: &DynamicDevice,
        budget: Budget,
    ) -> Result<Vec<Erased>, OnnxError> {
        let mut constants = self.take_uploaded(device);
        let outputs = self.translated(values, &mut constants, device, budget);
        self.keep_uploaded(device, constants);
        outputs
    }

    /// The outputs by translating every node.
    fn translated(
        &self,
        values: Vec<OnnxValue>,
        constants: &mut Constants,
        device: &DynamicDevice,
        budget: Budget,
    ) -> Result<Vec<Erased>, OnnxError> {
        let mut builder = Builder::executor(device.clone()).with_budget(budget, self.model.constant_bytes());
        builder.set_constants(std::mem::take(constants));
        let mut scope = Scope::of_model(&self.model);
        for (info, value) in self.inputs().zip(values) {
            scope.set(&info.name, value);
        }
        let outputs = translate_graph(&self.model.graph, &mut scope, &mut builder);
        *constants = builder.constants();
        let outputs = outputs.map_err(|error| builder.budget.typed(error))?;
        let infos = &self.model.graph.outputs;
        let outputs = infos.iter().zip(outputs).map(|(info, value)| {
            export(value, &mut builder).map_err(|reason| OnnxError::Node {
                node: info.name.clone(),
                operator: "output".into(),
                reason,
            })
        });
        outputs.collect()
    }

    /// Constants on the device, as those of a recorded run.
    fn uploaded(&self, device: &DynamicDevice, pass: &Pass) -> Constants {
        let mut constants = self.take_uploaded(device);
        self.keep_uploaded(device, constants.clone());
        for (_, tensor) in constants.values_mut() {
            tensor.handle = tensor.handle.as_ref().map(|handle| pass.constant(handle));
        }
        constants
    }

    fn take_uploaded(&self, device: &DynamicDevice) -> Constants {
        let mut uploaded = self.uploaded.lock().unwrap_or_else(PoisonError::into_inner);
        match uploaded.iter().position(|(other, _)| other == device) {
            Some(place) => uploaded.swap_remove(place).1,
            None => Constants::new(),
        }
    }

    /// Keeps the initializers for the next run; other constants are made anew by each.
    fn keep_uploaded(&self, device: &DynamicDevice, mut constants: Constants) {
        let initializers = self.model.graph.initializers.iter();
        let kept: HashSet<usize> =
            initializers.map(|initializer| Arc::as_ptr(&initializer.data) as usize).collect();
        // The key of a constant is the address of its data.
        constants.retain(|address, _| kept.contains(address));
        let mut uploaded = self.uploaded.lock().unwrap_or_else(PoisonError::into_inner);
        uploaded.retain(|(other, _)| other != device);
        uploaded.push((device.clone(), constants));
    }
}

fn with_handle((value, handle): (&OnnxValue, &DynamicTensor)) -> OnnxValue {
    match value {
        OnnxValue::Tensor(tensor) => {
            let mut tensor = tensor.clone();
            tensor.handle = Some(handle.clone());
            OnnxValue::Tensor(tensor)
        }
        other => other.clone(),
    }
}

fn tensor_output((output, info): (Erased, &ValueInfo)) -> Result<DynamicTensor, OnnxError> {
    match output {
        Erased::Tensor(tensor) => Ok(tensor),
        Erased::Data(_) | Erased::Sequence(_) | Erased::Optional(_) => {
            let reason = "expected a tensor, found a sequence or an optional".into();
            Err(OnnxError::Node { node: info.name.clone(), operator: "output".into(), reason })
        }
    }
}
