use super::names::{NameStyle, WeightRows};
use crate::LmError;
use crate::config::LanguageModelConfig;
use crate::model::{LayerSource, NormRole, ProjectionKind};
use burn_core::module::Param;
use burn_core::tensor::{Backend, DType, Tensor, TensorData};
use burn_core::weights::{NamedTensor, Weights};
use burn_nn::{Embedding, EmbeddingConfig, Linear, Normalization};
use std::collections::{HashMap, HashSet};

/// The layers of a model with the weights of a file.
///
/// The form in which weights are kept is decided here alone: [`matrix`](Self::matrix) keeps matrices in the
/// blocks of the file where that is wanted, and reads everything else as `f32`.
pub struct FileLayers<'a, B: Backend> {
    weights: &'a Weights,
    by_name: HashMap<&'a str, &'a NamedTensor>,
    used: HashSet<String>,
    style: NameStyle,
    config: &'a LanguageModelConfig,
    device: B::Device,
}

impl<'a, B: Backend> FileLayers<'a, B> {
    pub fn new(
        weights: &'a Weights,
        style: NameStyle,
        config: &'a LanguageModelConfig,
        device: &B::Device,
    ) -> Self {
        let by_name = weights.tensors().iter().map(|tensor| (tensor.name(), tensor)).collect();
        FileLayers { weights, by_name, used: HashSet::new(), style, config, device: device.clone() }
    }

    /// Checks that no tensor of the file was left: such a file is of a model with parts that the
    /// configuration does not name.
    pub fn finish(self) -> Result<(), LmError> {
        let unused = |name: &&&str| {
            !self.used.contains(**name) && !self.style.ignores(name, self.config.tied_embeddings)
        };
        match self.by_name.keys().filter(unused).min() {
            Some(name) => Err(self.error(name, "no layer of the configuration has it")),
            None => Ok(()),
        }
    }

    fn error(&self, name: &str, cause: impl Into<String>) -> LmError {
        LmError::Weight { file: self.weights.source_name(), name: name.to_string(), cause: cause.into() }
    }

    fn has(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    fn named(&mut self, name: &str) -> Result<NamedTensor, LmError> {
        match self.by_name.get(name) {
            Some(tensor) => {
                self.used.insert(name.to_string());
                Ok((*tensor).clone())
            }
            None => Err(self.error(name, "missing")),
        }
    }

    /// Reads a tensor after the check of its shape.
    fn data(&self, tensor: Option<NamedTensor>, name: &str, shape: &[usize]) -> Result<TensorData, LmError> {
        match tensor {
            Some(tensor) if tensor.shape()[..] == *shape => Ok(self.weights.read_tensor(&tensor)?),
            other => {
                let found =
                    other.map_or_else(|| "fewer rows".to_string(), |tensor| format!("{:?}", tensor.shape()));
                Err(self.error(name, format!("wrong shape; expected {shape:?}, got {found}")))
            }
        }
    }

    /// A matrix of the file, `[rows, columns]`; in the blocks of the file, where the weights are kept so.
    fn matrix(
        &self,
        tensor: Option<NamedTensor>,
        name: &str,
        shape: [usize; 2],
    ) -> Result<Tensor<B, 2>, LmError> {
        if let Some(tensor) = tensor.as_ref().filter(|tensor| tensor.shape()[..] == shape)
            && let Some(blocks) = self.weights.read_packed(tensor)?
        {
            return Ok(Tensor::try_from_blocks(blocks, &self.device)?);
        }
        let data = self.data(tensor, name, &shape)?;
        Ok(Tensor::try_from_data(data, (&self.device, DType::F32))?)
    }

    fn vector(&self, tensor: Option<NamedTensor>, name: &str, size: usize) -> Result<Tensor<B, 1>, LmError> {
        let data = self.data(tensor, name, &[size])?;
        Ok(Tensor::try_from_data(data, (&self.device, DType::F32))?)
    }

    /// The first row of a projection in the weight that it shares with others.
    fn first_row(&self, part: WeightRows, kind: ProjectionKind) -> usize {
        let queries = self.config.n_heads * self.config.head_size();
        let keys = self.config.key_value_heads() * self.config.head_size();
        match (part, kind) {
            (WeightRows::QueryKeyValue, ProjectionKind::Key) => queries,
            (WeightRows::QueryKeyValue, ProjectionKind::Value) => queries + keys,
            (WeightRows::GateUp, ProjectionKind::Up) => self.config.d_ff,
            (WeightRows::Whole | WeightRows::QueryKeyValue | WeightRows::GateUp, _) => 0,
        }
    }
}

impl<B: Backend> LayerSource<B> for FileLayers<'_, B> {
    fn projection(
        &mut self,
        layer: usize,
        kind: ProjectionKind,
        [d_input, d_output]: [usize; 2],
        bias: bool,
    ) -> Result<Linear<B>, LmError> {
        let sources = self.style.projection(layer, kind);
        let found = sources.iter().find(|source| self.has(&format!("{}.weight", source.name)));
        let Some(source) = found else {
            return Err(self.error(&format!("{}.weight", sources[0].name), "missing"));
        };
        let name = format!("{}.weight", source.name);
        let weight = self.named(&name)?;
        let weight = if source.transposed { weight.transposed() } else { weight };
        // A GGUF file may have gate and hidden layer under the name of the hidden layer alone.
        let rows = weight.shape().first().copied().unwrap_or(0);
        let joined = self.config.gated && kind == ProjectionKind::Up && rows == 2 * d_output;
        let part = if joined { WeightRows::GateUp } else { source.part };
        let first = self.first_row(part, kind);
        let rows = |tensor: NamedTensor| match part {
            WeightRows::Whole => Some(tensor),
            WeightRows::QueryKeyValue | WeightRows::GateUp => tensor.rows(first..first + d_output),
        };
        let weight = self.matrix(rows(weight), &name, [d_output, d_input])?;
        let bias = match bias {
            true => {
                let name = format!("{}.bias", source.name);
                let tensor = self.named(&name)?;
                Some(Param::from_tensor(self.vector(rows(tensor), &name, d_output)?))
            }
            false => None,
        };
        // The rows of the file are the columns of a linear layer; a view keeps them as they lie in memory.
        Ok(Linear::new(Param::from_tensor(weight.transpose()), bias))
    }

    fn norm(&mut self, layer: usize, role: NormRole, size: usize) -> Result<Normalization<B>, LmError> {
        let names = self.style.norm(layer, role);
        let name = names.iter().find(|name| self.has(&format!("{name}.weight"))).unwrap_or(&names[0]);
        let weight_name = format!("{name}.weight");
        let tensor = self.named(&weight_name)?;
        let gamma = self.vector(Some(tensor), &weight_name, size)?;
        let gamma = if self.config.norm_plus_one { gamma + 1.0 } else { gamma };
        let mut norm = self.config.norm_layer(size, &self.device);
        match &mut norm {
            Normalization::Rms(norm) => norm.gamma = Param::from_tensor(gamma),
            Normalization::Layer(norm) => {
                norm.gamma = Param::from_tensor(gamma);
                let name = format!("{name}.bias");
                let tensor = self.named(&name)?;
                norm.beta = Some(Param::from_tensor(self.vector(Some(tensor), &name, size)?));
            }
            other => return Err(self.error(&weight_name, format!("no norm of a language model: {other}"))),
        }
        Ok(norm)
    }

    fn embedding(&mut self, positions: bool, [count, d_model]: [usize; 2]) -> Result<Embedding<B>, LmError> {
        let names = self.style.embedding(positions);
        let name = names.iter().find(|name| self.has(name)).unwrap_or(&names[0]);
        let tensor = self.named(name)?;
        let weight = self.matrix(Some(tensor), name, [count, d_model])?;
        let mut embedding = EmbeddingConfig::new(1, 1).init(&self.device);
        embedding.weight = Param::from_tensor(weight);
        Ok(embedding)
    }
}
