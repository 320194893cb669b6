use super::state::{CurvaturePair, LastIteration, LbfgsState};
use crate::exact;
use crate::param_state::StateTensor;
use alloc::collections::VecDeque;
use alloc::string::ToString;
use alloc::vec::Vec;
use burn_core::record::derive::{FieldReader, FieldWriter};
use burn_core::record::{IntoNode, KeyPath, Node, Record, RecordError, RecordMismatch};
use burn_core::tensor::{Backend, Shape};

/// State of [`Lbfgs`](super::Lbfgs). It is saved in full precision, also by a recorder of half precision.
#[derive(Clone, Debug)]
pub struct LbfgsRecord(LbfgsState);

impl LbfgsRecord {
    pub(super) fn new(state: LbfgsState) -> Self {
        LbfgsRecord(state)
    }

    pub(super) fn into_state(self) -> LbfgsState {
        self.0
    }

    /// Checks that the state is one of `length` parameters.
    pub(super) fn check(&self, length: usize) -> Result<(), RecordError> {
        match self.0.length() {
            Some(found) if found != length => {
                let (expected, found) = (Shape::from([length]), Shape::from([found]));
                Err(RecordMismatch::shape("direction".into(), expected, found).into())
            }
            _ => Ok(()),
        }
    }
}

impl LbfgsState {
    /// Returns the number of parameters, after the first step.
    pub(super) fn length(&self) -> Option<usize> {
        self.last.as_ref().map(|last| last.direction.shape().num_elements())
    }

    fn tensors(&self) -> impl Iterator<Item = (&'static str, &StateTensor)> {
        let last =
            self.last.iter().flat_map(|last| [("direction", &last.direction), ("gradient", &last.gradient)]);
        last.chain(self.history.iter().flat_map(|pair| [("history.s", &pair.s), ("history.y", &pair.y)]))
    }
}

/// A tensor that every recorder writes in full precision.
struct Exact(StateTensor);

impl IntoNode for Exact {
    fn into_node(self) -> Node {
        exact::write(&self.0.into_data())
    }
}

impl<B: Backend> Record<B> for Exact {
    fn from_node(node: Node, at: &KeyPath<'_>, _device: &B::Device) -> Result<Self, RecordError> {
        if node == Node::Null {
            return Err(RecordMismatch::missing(at));
        }
        let data = exact::read(node).ok_or_else(|| RecordMismatch::value(at, "not a tensor"))?;
        Ok(Exact(StateTensor::Loaded(data)))
    }
}

impl IntoNode for LastIteration {
    fn into_node(self) -> Node {
        let mut fields = FieldWriter::new();
        fields.write("direction", Exact(self.direction));
        fields.write("gradient", Exact(self.gradient));
        fields.write("step", self.step);
        fields.write("scale", self.scale);
        fields.finish()
    }
}

impl<B: Backend> Record<B> for LastIteration {
    fn from_node(node: Node, at: &KeyPath<'_>, device: &B::Device) -> Result<Self, RecordError> {
        let mut fields = FieldReader::new(node, at)?;
        let direction = fields.read::<B, Exact>("direction", device);
        let gradient = fields.read::<B, Exact>("gradient", device);
        let step = fields.read::<B, f64>("step", device);
        let scale = fields.read::<B, f64>("scale", device);
        fields.finish()?;
        Ok(LastIteration {
            direction: direction.expect(FieldReader::TAKE).0,
            gradient: gradient.expect(FieldReader::TAKE).0,
            step: step.expect(FieldReader::TAKE),
            scale: scale.expect(FieldReader::TAKE),
        })
    }
}

impl IntoNode for CurvaturePair {
    fn into_node(self) -> Node {
        let mut fields = FieldWriter::new();
        fields.write("s", Exact(self.s));
        fields.write("y", Exact(self.y));
        fields.write("inverse", self.inverse);
        fields.finish()
    }
}

impl<B: Backend> Record<B> for CurvaturePair {
    fn from_node(node: Node, at: &KeyPath<'_>, device: &B::Device) -> Result<Self, RecordError> {
        let mut fields = FieldReader::new(node, at)?;
        let s = fields.read::<B, Exact>("s", device);
        let y = fields.read::<B, Exact>("y", device);
        let inverse = fields.read::<B, f64>("inverse", device);
        fields.finish()?;
        Ok(CurvaturePair {
            s: s.expect(FieldReader::TAKE).0,
            y: y.expect(FieldReader::TAKE).0,
            inverse: inverse.expect(FieldReader::TAKE),
        })
    }
}

impl IntoNode for LbfgsRecord {
    fn into_node(self) -> Node {
        let LbfgsState { iterations, evaluations, last, history } = self.0;
        let mut fields = FieldWriter::new();
        fields.write("iterations", iterations);
        fields.write("evaluations", evaluations);
        fields.write("last", last);
        fields.write("history", Vec::from(history));
        fields.finish()
    }
}

impl<B: Backend> Record<B> for LbfgsRecord {
    fn from_node(node: Node, at: &KeyPath<'_>, device: &B::Device) -> Result<Self, RecordError> {
        let mut fields = FieldReader::new(node, at)?;
        let iterations = fields.read::<B, usize>("iterations", device);
        let evaluations = fields.read::<B, usize>("evaluations", device);
        let last = fields.read::<B, Option<LastIteration>>("last", device);
        let history = fields.read::<B, Vec<CurvaturePair>>("history", device);
        fields.finish()?;
        let state = LbfgsState {
            iterations: iterations.expect(FieldReader::TAKE),
            evaluations: evaluations.expect(FieldReader::TAKE),
            last: last.expect(FieldReader::TAKE),
            history: VecDeque::from(history.expect(FieldReader::TAKE)),
        };
        let length = state.length().unwrap_or(0);
        let expected = Shape::from([length]);
        let other = state.tensors().find(|(_, tensor)| tensor.shape() != expected);
        if let Some((key, tensor)) = other {
            return Err(RecordMismatch::shape(at.key(key).to_string(), expected, tensor.shape()).into());
        }
        Ok(LbfgsRecord(state))
    }
}
