//! A parameter is the smallest module.

use super::{
    AutodiffModule, Content, Loader, Module, ModuleDisplay, ModuleDisplayDefault, Param, ParamId,
    ParamMapper, ParamVisitor, Parameter,
};
use crate::record::derive::{FieldReader, FieldWriter};
use crate::record::{IntoNode, KeyPath, Node, Record, RecordError, RecordMismatch};
use crate::tensor::{AutodiffBackend, Backend, Tensor, TensorKind};
use alloc::format;
use alloc::string::ToString;

impl<B: Backend, const D: usize, K: TensorKind> Module<B> for Param<Tensor<B, D, K>> {
    type Record = Self;

    fn visit_params(&self, visitor: &mut dyn ParamVisitor<B>) {
        visitor.visit(self);
    }
    fn map_params(&mut self, mapper: &mut dyn ParamMapper<B>) {
        mapper.map(self);
    }
    fn into_record(self) -> Self {
        self
    }
    fn read_record(&mut self, record: Self, loader: &mut Loader) {
        let (expected, found) = (self.shape(), record.shape());
        if expected == found { self.replace(record) } else { loader.other_shape(expected, found) }
    }
}

impl<B: AutodiffBackend, const D: usize, K: TensorKind> AutodiffModule<B> for Param<Tensor<B, D, K>> {
    type InnerModule = Param<Tensor<B::InnerBackend, D, K>>;

    fn valid(&self) -> Self::InnerModule {
        Param::initialized(self.id(), Tensor::clone(self).inner()).set_require_grad(self.wants_grad())
    }
}

impl<B: Backend, const D: usize, K: TensorKind> ModuleDisplay for Param<Tensor<B, D, K>> {}
impl<B: Backend, const D: usize, K: TensorKind> ModuleDisplayDefault for Param<Tensor<B, D, K>> {
    fn content(&self, content: Content) -> Option<Content> {
        let id = if content.settings().shows_param_id() { format!("id: {}, ", self.id()) } else { "".into() };
        let (shape, kind) = (self.shape(), <Tensor<B, D, K> as Parameter>::KIND);
        Some(content.set_text(format!("Param {{{id}shape: {shape:?}, kind: {kind:?}}}")))
    }
}

/// The identifier and the values.
impl<B: Backend, const D: usize, K: TensorKind> IntoNode for Param<Tensor<B, D, K>> {
    fn into_node(self) -> Node {
        let mut fields = FieldWriter::new();
        fields.write("id", self.id().to_string());
        fields.write("param", self.into_value());
        fields.finish()
    }
}

impl<B: Backend, const D: usize, K: TensorKind> Record<B> for Param<Tensor<B, D, K>> {
    fn from_node(node: Node, at: &KeyPath<'_>, device: &B::Device) -> Result<Self, RecordError> {
        let (id, node) = split(node, at)?;
        let tensor = Tensor::from_node(node, at, device)?;
        Ok(Param::initialized(id, tensor))
    }
}

/// Returns the identifier and the tensor of a parameter. A tensor alone, as other programs write it, gets a
/// new identifier.
fn split(node: Node, at: &KeyPath<'_>) -> Result<(ParamId, Node), RecordError> {
    match node {
        Node::Null => Err(RecordMismatch::missing(at)),
        Node::Tensor(_) | Node::Weights(_) => Ok((ParamId::new(), node)),
        node => {
            let mut fields = FieldReader::new(node, at)?;
            let id = match fields.take("id") {
                Node::Text(id) => id.parse().ok(),
                _ => None,
            };
            let id = id.ok_or_else(|| RecordMismatch::value(at, "not a parameter: it has no identifier"))?;
            Ok((id, fields.take("param")))
        }
    }
}
