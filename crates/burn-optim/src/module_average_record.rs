use crate::averages::Averages;
use crate::collect::ParamInfo;
use crate::exact;
use crate::param_state::StateTensor;
use crate::record::state_key;
use alloc::collections::BTreeMap;
use alloc::string::ToString;
use burn_core::module::ParamId;
use burn_core::record::derive::FieldReader;
use burn_core::record::{IntoNode, KeyPath, Node, Record, RecordError, RecordMismatch};
use burn_core::tensor::Backend;

/// State of a [`ModuleAverage`](crate::ModuleAverage). It is saved in full precision, also by a recorder of half precision.
#[derive(Clone, Debug)]
pub struct ModuleAverageRecord {
    pub(crate) updates: u64,
    pub(crate) averages: Averages,
}

impl ModuleAverageRecord {
    pub(crate) fn check(&self, parameters: &BTreeMap<ParamId, ParamInfo>) -> Result<(), RecordError> {
        let mut mismatch = RecordMismatch::default();
        if !self.averages.keys().any(|id| parameters.contains_key(id)) {
            mismatch.unexpected.extend(self.averages.keys().map(ToString::to_string));
        }
        for (id, average) in &self.averages {
            let Some(ParamInfo { path, shape }) = parameters.get(id) else { continue };
            if average.shape() != *shape {
                let key = state_key(path, "average");
                mismatch.merge(RecordMismatch::shape(key, shape.clone(), average.shape()));
            }
        }
        mismatch.into_result()
    }
}

impl IntoNode for ModuleAverageRecord {
    fn into_node(self) -> Node {
        let average =
            |(id, average): (ParamId, StateTensor)| (id.to_string(), exact::write(&average.into_data()));
        let averages = Node::Map(self.averages.into_iter().map(average).collect());
        Node::Map(
            [("updates".to_string(), Node::UInt(self.updates)), ("averages".to_string(), averages)].into(),
        )
    }
}

impl<B: Backend> Record<B> for ModuleAverageRecord {
    fn from_node(node: Node, at: &KeyPath<'_>, device: &B::Device) -> Result<Self, RecordError> {
        let mut fields = FieldReader::new(node, at)?;
        let updates = fields.read::<B, u64>("updates", device);
        let averages = fields.take("averages");
        fields.finish()?;
        let at = at.key("averages");
        let Node::Map(entries) = averages else {
            return Err(RecordMismatch::kind(&at, "the averages of parameters", &averages));
        };
        let mut averages = Averages::new();
        for (key, node) in entries {
            let at = at.key(&key);
            let id =
                key.parse().map_err(|_| RecordMismatch::value(&at, "not the identifier of a parameter"))?;
            let data = exact::read(node).ok_or_else(|| RecordMismatch::value(&at, "not a tensor"))?;
            averages.insert(id, StateTensor::Loaded(data));
        }
        Ok(ModuleAverageRecord { updates: updates.expect(FieldReader::TAKE), averages })
    }
}
