use crate::exact;
use crate::param_state::{Kept, ParamState};
use crate::rule::UpdateRule;
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
    pub(crate) states: BTreeMap<ParamId, ParamState>,
    rule: PhantomData<fn() -> R>,
}

impl<R> OptimizerRecord<R> {
    pub(crate) fn new(states: BTreeMap<ParamId, ParamState>) -> Self {
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
        read(node, at, R::state_names()).map(Self::new)
    }
}

const STEPS: &str = "steps";

fn write(states: BTreeMap<ParamId, ParamState>) -> Node {
    let state = |state: ParamState| {
        let mut tensors: Vec<(String, Node)> = state
            .tensors
            .into_iter()
            .map(|(name, kept)| (name.to_string(), exact::write(&kept.into_data())))
            .collect();
        tensors.sort_by(|lhs, rhs| lhs.0.cmp(&rhs.0));
        Node::Map([(STEPS.to_string(), Node::UInt(state.steps))].into_iter().chain(tensors).collect())
    };
    Node::Map(states.into_iter().map(|(id, of_param)| (id.to_string(), state(of_param))).collect())
}

fn read(
    node: Node,
    at: &KeyPath<'_>,
    names: &[&'static str],
) -> Result<BTreeMap<ParamId, ParamState>, RecordError> {
    let entries = match node {
        Node::Map(entries) => entries,
        // An optimizer without a step has no state to compare.
        Node::Null => Vec::new(),
        other => return Err(RecordMismatch::kind(at, "the states of an optimizer", &other)),
    };
    let (mut states, mut mismatch) = (BTreeMap::new(), RecordMismatch::default());
    for (key, node) in entries {
        let at = at.key(&key);
        let state = match key.parse() {
            Ok(id) => read_state(node, &at, names).map(|state| (id, state)),
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

fn read_state(node: Node, at: &KeyPath<'_>, names: &[&'static str]) -> Result<ParamState, RecordError> {
    let fields = match node {
        Node::Map(fields) => fields,
        other => return Err(RecordMismatch::kind(at, "the state of a parameter", &other)),
    };
    let mut state = ParamState::default();
    for (key, node) in fields {
        let at = at.key(&key);
        match (names.iter().find(|name| **name == key), node) {
            (None, Node::UInt(steps)) if key == STEPS => state.steps = steps,
            (None, Node::Int(steps)) if key == STEPS && steps >= 0 => state.steps = steps.unsigned_abs(),
            (Some(name), node) => {
                let data = exact::read(node).ok_or_else(|| RecordMismatch::value(&at, "not a tensor"))?;
                let shape = &data.shape;
                let other = state.tensors.iter().map(|(_, kept)| kept.shape()).find(|other| other != shape);
                if let Some(other) = other {
                    return Err(RecordMismatch::shape(at.to_string(), other, shape.clone()).into());
                }
                state.tensors.push((name, Kept::Loaded(data)));
            }
            (None, _) => {
                let names = names.join(", ");
                return Err(RecordMismatch::value(&at, format!("this optimizer keeps {STEPS}, {names}")));
            }
        }
    }
    Ok(state)
}

/// Checks that the states fit parameters of these shapes.
pub fn check(
    states: &BTreeMap<ParamId, ParamState>,
    shapes: &BTreeMap<ParamId, Shape>,
) -> Result<(), RecordError> {
    let mut mismatch = RecordMismatch::default();
    for (id, state) in states {
        let Some(expected) = shapes.get(id) else { continue };
        for (name, kept) in &state.tensors {
            if kept.shape() != *expected {
                let key = format!("{id}.{name}");
                mismatch.merge(RecordMismatch::shape(key, expected.clone(), kept.shape()));
            }
        }
    }
    mismatch.into_result()
}
