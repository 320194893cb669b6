use crate::collect::ParamInfo;
use crate::exact;
use crate::master_weight::MASTER_WEIGHT;
use crate::param_state::{ParamState, StateTensor};
use crate::rule::UpdateRule;
use crate::update::States;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use burn_core::module::ParamId;
use burn_core::record::{IntoNode, KeyPath, Node, Record, RecordError, RecordMismatch};
use burn_core::tensor::{Backend, Shape};
use core::fmt::{Debug, Formatter};
use core::marker::PhantomData;

/// State of an optimizer with the rule `R`, by parameter.
///
/// It is saved in full precision, also by a recorder of half precision.
pub struct OptimizerRecord<R> {
    pub(crate) states: States,
    rule: PhantomData<fn() -> R>,
}

impl<R> OptimizerRecord<R> {
    pub(crate) fn new(states: States) -> Self {
        OptimizerRecord { states, rule: PhantomData }
    }
}

impl<R> Clone for OptimizerRecord<R> {
    fn clone(&self) -> Self {
        Self::new(self.states.clone())
    }
}

impl<R> Debug for OptimizerRecord<R> {
    fn fmt(&self, f: &mut Formatter<'_>) -> core::fmt::Result {
        write!(f, "OptimizerRecord of {} parameters", self.states.len())
    }
}

impl<R> IntoNode for OptimizerRecord<R> {
    fn into_node(self) -> Node {
        write(self.states)
    }
}

impl<R: UpdateRule, B: Backend> Record<B> for OptimizerRecord<R> {
    fn from_node(node: Node, at: &KeyPath<'_>, _device: &B::Device) -> Result<Self, RecordError> {
        read(node, at, StateLayout::of::<R>()).map(Self::new)
    }
}

/// Names and shapes of the state that an update rule keeps for a parameter.
#[derive(Clone, Copy, Debug)]
pub struct StateLayout {
    tensors: &'static [&'static str],
    scalars: &'static [&'static str],
    shape: fn(&str, &Shape) -> Shape,
}

impl StateLayout {
    pub fn of<R: UpdateRule>() -> Self {
        StateLayout { tensors: R::state_names(), scalars: R::scalar_names(), shape: R::state_shape }
    }

    fn tensor(&self, key: &str) -> Option<&'static str> {
        self.tensors.iter().chain(&[MASTER_WEIGHT]).copied().find(|name| *name == key)
    }

    fn scalar(&self, key: &str) -> Option<&'static str> {
        self.scalars.iter().copied().find(|name| *name == key)
    }

    fn shape(&self, name: &str, parameter: &Shape) -> Shape {
        if name == MASTER_WEIGHT { parameter.clone() } else { (self.shape)(name, parameter) }
    }
}

const STEPS: &str = "steps";

pub fn write(states: States) -> Node {
    let state = |state: ParamState| {
        let mut fields: Vec<(String, Node)> = state
            .tensors
            .into_iter()
            .map(|(name, tensor)| (name.to_string(), exact::write(&tensor.into_data())))
            .collect();
        fields.extend(state.scalars.into_iter().map(|(name, value)| (name.to_string(), Node::Float(value))));
        fields.sort_by(|lhs, rhs| lhs.0.cmp(&rhs.0));
        Node::Map([(STEPS.to_string(), Node::UInt(state.steps))].into_iter().chain(fields).collect())
    };
    Node::Map(states.into_iter().map(|(id, of_param)| (id.to_string(), state(of_param))).collect())
}

pub fn read(node: Node, at: &KeyPath<'_>, layout: StateLayout) -> Result<States, RecordError> {
    let entries = match node {
        Node::Map(entries) => entries,
        // An optimizer without a step has no state to compare.
        Node::Null => Vec::new(),
        other => return Err(RecordMismatch::kind(at, "the states of an optimizer", &other)),
    };
    let (mut states, mut mismatch) = (States::new(), RecordMismatch::default());
    for (key, node) in entries {
        let at = at.key(&key);
        let state = match key.parse() {
            Ok(id) => read_state(node, &at, layout).map(|state| (id, state)),
            Err(_) => Err(RecordMismatch::value(&at, "not the identifier of a parameter")),
        };
        match state {
            Ok((id, state)) => _ = states.insert(id, state),
            Err(RecordError::Mismatch(found)) => mismatch.merge(*found),
            Err(other) => return Err(other),
        }
    }
    mismatch.into_result().map(|()| states)
}

fn read_state(node: Node, at: &KeyPath<'_>, layout: StateLayout) -> Result<ParamState, RecordError> {
    let fields = match node {
        Node::Map(fields) => fields,
        other => return Err(RecordMismatch::kind(at, "the state of a parameter", &other)),
    };
    let mut state = ParamState::default();
    for (key, node) in fields {
        let at = at.key(&key);
        match (layout.tensor(&key), layout.scalar(&key), node) {
            (Some(name), _, node) => {
                let data = exact::read(node).ok_or_else(|| RecordMismatch::value(&at, "not a tensor"))?;
                state.tensors.push((name, StateTensor::Loaded(data)));
            }
            (None, Some(name), Node::Float(value)) => state.set_scalar(name, value),
            (None, Some(_), _) => return Err(RecordMismatch::value(&at, "not a number")),
            (None, None, Node::UInt(steps)) if key == STEPS => state.steps = steps,
            (None, None, Node::Int(steps)) if key == STEPS && steps >= 0 => {
                state.steps = steps.unsigned_abs();
            }
            (None, None, _) => {
                let names = [&[STEPS], layout.tensors, layout.scalars].concat().join(", ");
                return Err(RecordMismatch::value(&at, format!("this optimizer keeps {names}")));
            }
        }
    }
    check_consistent(&state, at, layout).map(|()| state)
}

/// Checks that there is a shape of a parameter that all tensors fit. Each is as large as the parameter, or
/// has size 1 where the rule reduces it.
fn check_consistent(state: &ParamState, at: &KeyPath<'_>, layout: StateLayout) -> Result<(), RecordError> {
    let Some((_, first)) = state.tensors.first() else { return Ok(()) };
    let mut parameter = first.shape();
    for (name, tensor) in &state.tensors {
        let shape = tensor.shape();
        if shape.rank() != parameter.rank() {
            return Err(RecordMismatch::shape(at.key(name).to_string(), parameter, shape).into());
        }
        for (size, &other) in parameter.iter_mut().zip(shape.iter()) {
            *size = if *size == 1 { other } else { *size };
        }
    }
    for (name, tensor) in &state.tensors {
        let (expected, found) = (layout.shape(name, &parameter), tensor.shape());
        if expected != found {
            return Err(RecordMismatch::shape(at.key(name).to_string(), expected, found).into());
        }
    }
    Ok(())
}

/// Checks that the states fit these parameters; an error names the path of a parameter and the state, or the
/// identifiers of the states if none of them is one of these parameters.
pub fn check(
    states: &States,
    parameters: &BTreeMap<ParamId, ParamInfo>,
    layout: StateLayout,
) -> Result<(), RecordError> {
    foreign(states, parameters).into_result()?;
    check_shapes(states, parameters, layout)
}

/// Lists the identifiers of the states if none of them is one of these parameters: they come with the record
/// of the module, which was not loaded.
pub fn foreign(states: &States, parameters: &BTreeMap<ParamId, ParamInfo>) -> RecordMismatch {
    let mut mismatch = RecordMismatch::default();
    if !states.keys().any(|id| parameters.contains_key(id)) {
        mismatch.unexpected.extend(states.keys().map(ToString::to_string));
    }
    mismatch
}

/// Checks the shapes of the states of these parameters.
pub fn check_shapes(
    states: &States,
    parameters: &BTreeMap<ParamId, ParamInfo>,
    layout: StateLayout,
) -> Result<(), RecordError> {
    let mut mismatch = RecordMismatch::default();
    for (id, state) in states {
        let Some(parameter) = parameters.get(id) else { continue };
        for (name, tensor) in &state.tensors {
            let (expected, found) = (layout.shape(name, &parameter.shape), tensor.shape());
            if expected != found {
                mismatch.merge(RecordMismatch::shape(state_key(&parameter.path, name), expected, found));
            }
        }
    }
    mismatch.into_result()
}

/// Returns the key of a state for an error: the path of its parameter, and its name.
pub fn state_key(path: &str, name: &str) -> String {
    // A parameter that is the whole module has no path.
    if path.is_empty() { name.to_string() } else { format!("{path}.{name}") }
}
