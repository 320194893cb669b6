use super::RunValue;
use crate::budget::Budget;
use crate::builder::{Builder, Constants};
use crate::error::OnnxError;
use crate::graph::{Dimension, Model, ValueInfo, ValueType};
use crate::program::{Plan, Program};
use crate::translate::{Scope, check_limits, check_support, translate_graph};
use crate::value::{Expr, Spec, Value};
use crate::{CancelToken, Limits};
use burn_backend::Backend;
use burn_backend::dynamic::{DynamicDevice, DynamicTensor};
use burn_ir::{DType, HasSpec};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// An ONNX model that runs on any backend, without generated code.
///
/// The first run records the model, replaces groups of calls by calls that do the same faster (attention,
/// activations and normalizations that exporters take apart, batch normalization after a convolution), and
/// later runs repeat the recording; what depends on constants alone is computed once for each device. A model
/// that cannot be recorded is translated anew by each run.
///
/// Gradients flow from outputs to inputs where the backend tracks them.
#[derive(Debug)]
pub struct Graph {
    model: Model,
    /// Constants of the model that are on a device already.
    uploaded: Mutex<Vec<(DynamicDevice, Constants)>>,
    /// The recording, where there can be one.
    plan: OnceLock<Option<Plan>>,
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
        Ok(Graph { model, uploaded: Mutex::default(), plan: OnceLock::new() })
    }

    /// Returns the model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Returns the inputs without a default.
    pub fn inputs(&self) -> impl Iterator<Item = &ValueInfo> {
        self.model.inputs()
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

    /// Records the model and runs the recording: the calls that generated source makes.
    ///
    /// # Errors
    /// As [`Graph::run`]; also when sizes depend on values in a way that cannot be recorded.
    pub fn run_recorded<B: Backend>(
        &self,
        inputs: Vec<RunValue<B>>,
        device: &B::Device,
    ) -> Result<Vec<RunValue<B>>, OnnxError> {
        let program = Program::record(&self.model)?;
        let device = DynamicDevice::new::<B>(device.clone());
        let mut builder = Builder::executor(device.clone());
        let mut handles = Vec::with_capacity(inputs.len());
        for (info, value) in self.inputs().zip(inputs) {
            let wrong = |reason: String| OnnxError::Input { name: info.name.clone(), reason };
            let value = import(erase::<B>(value), &mut builder).map_err(wrong)?;
            let tensor = builder.tensor(&value).map_err(|reason| wrong(reason.0))?;
            handles.push(tensor.handle.ok_or_else(|| wrong("it has no elements".into()))?);
        }
        let mut budget = self.budget(&CancelToken::default());
        let outputs = Plan::new(program).run(handles, &device, &mut budget);
        let outputs = outputs.map_err(|error| budget.typed(error))?;
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
        builder = builder.with_budget(self.budget(cancel), self.model.constant_bytes());
        self.translated(values, builder, device)
    }

    /// The inputs as values, checked.
    fn imported(&self, inputs: Vec<Erased>, builder: &mut Builder) -> Result<Vec<Value>, OnnxError> {
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
        self.plan.get().and_then(Option::as_ref).map_or(0, Plan::tapes)
    }

    /// The outputs by the recording, if there is one and it runs.
    fn planned(
        &self,
        values: &[Value],
        device: &DynamicDevice,
        budget: &mut Budget,
    ) -> Option<Result<Vec<DynamicTensor>, OnnxError>> {
        let plan = self.plan.get_or_init(|| {
            let mut program = Program::record(&self.model).ok()?;
            program.optimize();
            Some(Plan::new(program))
        });
        let handle = |value: &Value| match value {
            Value::Tensor(tensor) => tensor.handle.clone(),
            Value::Constant(_) | Value::Host(_) | Value::Sequence(_) | Value::Optional(_) => None,
        };
        let handles: Option<Vec<DynamicTensor>> = values.iter().map(handle).collect();
        Some(plan.as_ref()?.run(handles?, device, budget))
    }

    /// The outputs by translating every node.
    fn translated(
        &self,
        values: Vec<Value>,
        mut builder: Builder,
        device: &DynamicDevice,
    ) -> Result<Vec<Erased>, OnnxError> {
        let mut constants = self.take_uploaded(device);
        constants.extend(builder.constants());
        builder.set_constants(constants);
        let mut scope = Scope::of_model(&self.model);
        for (info, value) in self.inputs().zip(values) {
            scope.set(&info.name, value);
        }
        let outputs = translate_graph(&self.model.graph, &mut scope, &mut builder);
        self.keep_uploaded(device, builder.constants());
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
}

impl Graph {
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

/// A value without the type of its backend.
enum Erased {
    Tensor(DynamicTensor),
    Data(burn_ir::TensorData),
    Sequence(Vec<Erased>),
    Optional(Option<Box<Erased>>),
}

fn erase<B: Backend>(value: RunValue<B>) -> Erased {
    match value {
        RunValue::Tensor(tensor) => Erased::Tensor(DynamicTensor::new::<B>(tensor)),
        RunValue::Data(data) => Erased::Data(data),
        RunValue::Sequence(values) => Erased::Sequence(values.into_iter().map(erase::<B>).collect()),
        RunValue::Optional(value) => Erased::Optional(value.map(|value| Box::new(erase::<B>(*value)))),
    }
}

fn typed<B: Backend>(value: Erased) -> RunValue<B> {
    match value {
        Erased::Tensor(tensor) => RunValue::Tensor(tensor.into_inner::<B>()),
        Erased::Data(data) => RunValue::Data(data),
        Erased::Sequence(values) => RunValue::Sequence(values.into_iter().map(typed::<B>).collect()),
        Erased::Optional(value) => RunValue::Optional(value.map(|value| Box::new(typed::<B>(*value)))),
    }
}

fn import(value: Erased, builder: &mut Builder) -> Result<Value, String> {
    let text = |reason: crate::error::Reason| reason.0;
    Ok(match value {
        Erased::Tensor(handle) => {
            let spec = handle.spec();
            let dims: Vec<Expr> = spec.shape.iter().map(|&size| size.into()).collect();
            let spec = Spec::new(spec.dtype, dims);
            Value::Tensor(builder.hold("input", handle, spec).map_err(text)?)
        }
        Erased::Data(data) => {
            let constant = crate::graph::Constant { name: String::new(), data: Arc::new(data) };
            Value::Tensor(builder.constant(&constant).map_err(text)?)
        }
        Erased::Sequence(values) => {
            let values: Result<Vec<Value>, String> =
                values.into_iter().map(|value| import(value, builder)).collect();
            Value::Sequence(Arc::new(values?))
        }
        Erased::Optional(Some(value)) => Value::Optional(Some(Arc::new(import(*value, builder)?))),
        Erased::Optional(None) => Value::Optional(None),
    })
}

fn export(value: Value, builder: &mut Builder) -> Result<Erased, String> {
    Ok(match value {
        Value::Sequence(values) => {
            let values: Result<Vec<Erased>, String> =
                values.iter().map(|value| export(value.clone(), builder)).collect();
            Erased::Sequence(values?)
        }
        Value::Optional(Some(value)) => Erased::Optional(Some(Box::new(export((*value).clone(), builder)?))),
        Value::Optional(None) => Erased::Optional(None),
        value => {
            let tensor = builder.tensor(&value).map_err(|reason| reason.0)?;
            let handle = tensor.handle.ok_or("it has no elements")?;
            Erased::Tensor(handle)
        }
    })
}

/// Whether a value is what the model declares. Equal names of dimensions are equal sizes.
fn check(value: &Value, declared: &ValueType, sizes: &mut HashMap<String, usize>) -> Result<(), String> {
    match (value, declared) {
        (_, ValueType::Unsupported(reason)) => Err(reason.clone()),
        (Value::Tensor(tensor), ValueType::Tensor { dtype, dims }) => {
            let found = tensor.held_dims();
            let expected = || format!("expected {}, found {tensor:?}", described(*dtype, dims.as_deref()));
            if tensor.dtype() != *dtype {
                return Err(expected());
            }
            let Some(dims) = dims else { return Ok(()) };
            if dims.is_empty() && found.len() == 1 && found[0].is(1) {
                return Ok(());
            }
            if dims.len() != found.len() {
                return Err(expected());
            }
            for (dim, found) in dims.iter().zip(found) {
                let found = found.size().unwrap_or(0);
                let fits = match dim {
                    Dimension::Known(size) => found == *size,
                    Dimension::Named(name) => *sizes.entry(name.clone()).or_insert(found) == found,
                    Dimension::Unknown => true,
                };
                if !fits {
                    return Err(expected());
                }
            }
            Ok(())
        }
        (Value::Sequence(values), ValueType::Sequence(inner)) => {
            // Tensors of a sequence may differ in size.
            values.iter().try_for_each(|value| check(value, inner, &mut sizes.clone()))
        }
        (Value::Optional(Some(value)), ValueType::Optional(inner)) => check(value, inner, sizes),
        (_, ValueType::Undeclared) | (Value::Optional(None), ValueType::Optional(_)) => Ok(()),
        (value, ValueType::Optional(inner)) => check(value, inner, sizes),
        (value, declared) => Err(format!("expected {declared:?}, found {}", value.kind())),
    }
}

fn described(dtype: DType, dims: Option<&[Dimension]>) -> String {
    let Some(dims) = dims else { return format!("a tensor of {dtype}") };
    let dims: Vec<String> = dims
        .iter()
        .map(|dim| match dim {
            Dimension::Known(size) => size.to_string(),
            Dimension::Named(name) => name.clone(),
            Dimension::Unknown => "?".into(),
        })
        .collect();
    format!("a tensor of {dtype} with dimensions [{}]", dims.join(", "))
}

/// A tensor of one element that the model declares without dimensions.
fn scalar(value: Value, declared: &ValueType) -> Value {
    match (value, declared) {
        (Value::Tensor(tensor), ValueType::Tensor { dims: Some(dims), .. }) if dims.is_empty() => {
            Value::Tensor(tensor.as_scalar(true))
        }
        (value, _) => value,
    }
}
