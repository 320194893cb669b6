use crate::collect::ParamInfo;
use crate::parameter_group::GroupOptimizer;
use crate::record;
use crate::update::States;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use burn_core::module::ParamId;
use burn_core::record::{IntoNode, KeyPath, Node, Record, RecordError, RecordMismatch};
use burn_core::tensor::Backend;

/// State of [`ParameterGroups`](crate::ParameterGroups), by the pattern of the group and by parameter.
///
/// It is saved in full precision, also by a recorder of half precision.
#[derive(Clone, Debug)]
pub struct ParameterGroupsRecord(GroupStates);

/// The states of a loaded record are read when the optimizer is there, which knows what its rules keep.
#[derive(Clone, Debug)]
enum GroupStates {
    Live(Vec<(String, States)>),
    Loaded(Vec<(String, Node)>),
}

impl ParameterGroupsRecord {
    pub(crate) fn new(groups: impl Iterator<Item = (String, States)>) -> Self {
        ParameterGroupsRecord(GroupStates::Live(groups.collect()))
    }

    /// Puts the states into the groups, after comparing them with `parameters`.
    pub(crate) fn load<'a>(
        self,
        groups: impl Iterator<Item = (String, &'a mut GroupOptimizer)>,
        parameters: Option<&BTreeMap<ParamId, ParamInfo>>,
    ) -> Result<(), RecordError> {
        let nodes = match self.0 {
            GroupStates::Loaded(nodes) => nodes,
            GroupStates::Live(states) => {
                states.into_iter().map(|(name, states)| (name, record::write(states))).collect()
            }
        };
        let (mut nodes, mut mismatch) = (BTreeMap::from_iter(nodes), RecordMismatch::default());
        let mut all = States::new();
        for (name, group) in groups {
            let at = KeyPath::ROOT.key(&name);
            let states = match nodes.remove(&name) {
                Some(node) => record::read(node, &at, group.layout),
                None => Err(RecordMismatch::missing(&at)),
            };
            let fits = states.and_then(|states| {
                let Some(parameters) = parameters else { return Ok(states) };
                record::check_shapes(&states, parameters, group.layout).map(|()| states)
            });
            match fits {
                Ok(states) => {
                    all.extend(states.clone());
                    group.stepper.states = states;
                }
                Err(RecordError::Mismatch(found)) => mismatch.merge(*found),
                Err(other) => return Err(other),
            }
        }
        mismatch.unexpected.extend(nodes.into_keys());
        if let Some(parameters) = parameters {
            mismatch.merge(record::foreign(&all, parameters));
        }
        mismatch.into_result()
    }
}

impl IntoNode for ParameterGroupsRecord {
    fn into_node(self) -> Node {
        Node::Map(match self.0 {
            GroupStates::Live(groups) => {
                groups.into_iter().map(|(name, states)| (name, record::write(states))).collect()
            }
            GroupStates::Loaded(nodes) => nodes,
        })
    }
}

impl<B: Backend> Record<B> for ParameterGroupsRecord {
    fn from_node(node: Node, at: &KeyPath<'_>, _device: &B::Device) -> Result<Self, RecordError> {
        match node {
            Node::Map(groups) => Ok(ParameterGroupsRecord(GroupStates::Loaded(groups))),
            other => Err(RecordMismatch::kind(at, "the states of parameter groups", &other)),
        }
    }
}
