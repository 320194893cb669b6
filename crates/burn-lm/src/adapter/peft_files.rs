use super::peft_config::PeftConfig;
use super::peft_names::{AdaptedLayer, adapted_layers};
use crate::LmError;
use crate::model::LanguageModel;
use burn_core::module::Param;
use burn_core::tensor::{Backend, DType, Tensor, TensorData};
use burn_core::weights::Weights;
use burn_import::safetensors::{SafetensorsFile, save_tensors};
use burn_io::write_atomic;
use burn_nn::lora::{self, LoraRecord, SavedAdapter};
use std::collections::BTreeMap;
use std::path::Path;

const CONFIG_FILE: &str = "adapter_config.json";
const WEIGHTS_FILE: &str = "adapter_model.safetensors";

impl<B: Backend> LanguageModel<B> {
    /// Saves the adapters of the model as Python's PEFT does: `adapter_config.json`, and
    /// `adapter_model.safetensors` with names such as
    /// `base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight`. `base_model` is what PEFT loads the
    /// base from, a folder or a name.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::lm::LanguageModelConfig;
    /// use burn::nn::lora::{self, LoraConfig};
    ///
    /// # let folder = std::env::temp_dir().join(format!("peft-doc-{}", std::process::id()));
    /// let config = LanguageModelConfig::new(50, 16, 2, 2, 32);
    /// let base = config.init::<NdArray>(&Default::default())?;
    /// let targets = ["query", "value"].map(String::from).to_vec();
    /// let adapted = LoraConfig::new(4).with_alpha(8.0).with_targets(targets).apply(base.clone());
    /// adapted.save_peft_adapter(&folder, "base")?;
    ///
    /// let loaded = base.load_peft_adapter(&folder)?;
    /// assert_eq!(lora::record(&loaded).adapters.len(), 4);
    /// # std::fs::remove_dir_all(folder).unwrap();
    /// # Ok::<(), burn::lm::LmError>(())
    /// ```
    ///
    /// # Errors
    /// The model has no adapters, these differ in rank, scale or dropout, or PEFT has one adapter for several
    /// projections of the model (GPT-2, Phi 3); or a file cannot be written.
    pub fn save_peft_adapter(&self, folder: impl AsRef<Path>, base_model: &str) -> Result<(), LmError> {
        let folder = folder.as_ref();
        let adapters = lora::record(self).adapters;
        let Some(first) = adapters.values().next() else {
            return Err(LmError::argument("model", "a model with adapters", "none"));
        };
        let config_of = |adapter: &SavedAdapter<B>| PeftConfig {
            rank: adapter.a.dims()[1],
            scale: adapter.scale,
            dropout: adapter.dropout,
        };
        let config = config_of(first);
        if let Some((path, other)) = adapters.iter().find(|(_, adapter)| config_of(adapter) != config) {
            let expected = format!("adapters of the same rank, scale and dropout, {config:?}");
            return Err(LmError::argument(
                "model",
                expected,
                format!("`{path}` with {:?}", config_of(other)),
            ));
        }
        let layers = adapted_layers(&self.config)?;
        let adapted: Vec<&AdaptedLayer> =
            layers.iter().filter(|layer| adapters.contains_key(&layer.path)).collect();
        let mut tensors = Vec::with_capacity(2 * adapted.len());
        for layer in &adapted {
            let SavedAdapter { a, b, .. } = &adapters[&layer.path];
            tensors.push((layer.key('A'), matrix(a.val().transpose())?));
            tensors.push((layer.key('B'), matrix(to_halves(b.val(), layer.interleaved_heads).transpose())?));
        }
        let error = |cause: std::io::Error| LmError::File {
            path: folder.display().to_string(),
            cause: cause.to_string(),
        };
        std::fs::create_dir_all(folder).map_err(error)?;
        save_tensors(tensors, folder.join(WEIGHTS_FILE))?;
        let text = config.to_json(base_model, &adapted, &layers);
        write_atomic(&folder.join(CONFIG_FILE), &mut |file| file.write_all(text.as_bytes())).map_err(error)
    }

    /// Returns this model with the adapters that PEFT, or [`save_peft_adapter`](Self::save_peft_adapter),
    /// saved in `folder`. All other parameters are frozen.
    ///
    /// # Errors
    /// A file cannot be read or is damaged, its adapters are of another kind than those of
    /// [`LoraConfig`](burn_nn::lora::LoraConfig), or do not fit the model; the error names the weight.
    pub fn load_peft_adapter(self, folder: impl AsRef<Path>) -> Result<Self, LmError> {
        let folder = folder.as_ref();
        let config = PeftConfig::read(&folder.join(CONFIG_FILE))?;
        let weights = Weights::new(SafetensorsFile::open(&folder.join(WEIGHTS_FILE))?);
        let error = |name: &str, cause: &str| LmError::Weight {
            file: weights.source_name(),
            name: name.into(),
            cause: cause.into(),
        };
        let device = self.device();
        let names: BTreeMap<&str, _> =
            weights.tensors().iter().map(|tensor| (tensor.name(), tensor)).collect();
        let factor = |name: &str| -> Result<Option<Tensor<B, 2>>, LmError> {
            let Some(tensor) = names.get(name) else { return Ok(None) };
            if tensor.shape().len() != 2 {
                return Err(error(name, "expected a matrix"));
            }
            let data = weights.read_tensor(tensor)?;
            Ok(Some(Tensor::<B, 2>::try_from_data(data, (&device, DType::F32))?.transpose()))
        };
        let mut adapters = BTreeMap::new();
        for layer in adapted_layers(&self.config)? {
            match (factor(&layer.key('A'))?, factor(&layer.key('B'))?) {
                (Some(a), Some(b)) => {
                    if a.dims()[1] != config.rank || b.dims()[0] != config.rank {
                        let cause =
                            format!("expected rank {}, got {:?} and {:?}", config.rank, a.dims(), b.dims());
                        return Err(error(&layer.key('A'), &cause));
                    }
                    let heads = layer.interleaved_heads.filter(|heads| b.dims()[1].is_multiple_of(2 * heads));
                    let (a, b) = (Param::from_tensor(a), Param::from_tensor(to_pairs(b, heads)));
                    let saved = SavedAdapter { a, b, scale: config.scale, dropout: config.dropout };
                    adapters.insert(layer.path, saved);
                }
                (None, None) => {}
                (None, Some(_)) => return Err(error(&layer.key('A'), "missing")),
                (Some(_), None) => return Err(error(&layer.key('B'), "missing")),
            }
        }
        if 2 * adapters.len() != names.len() {
            let known: Vec<String> = adapted_layers(&self.config)?
                .iter()
                .flat_map(|layer| ['A', 'B'].map(|f| layer.key(f)))
                .collect();
            let unknown = names.keys().find(|name| !known.iter().any(|known| known == *name));
            return Err(error(unknown.unwrap_or(&""), "the model has no such linear layer"));
        }
        Ok(lora::try_load(self, LoraRecord { adapters })?)
    }
}

fn matrix<B: Backend>(x: Tensor<B, 2>) -> Result<TensorData, LmError> {
    Ok(x.cast(DType::F32).try_into_data()?)
}

/// Columns of heads in pairs, as GGUF files of Llama have them, to two halves, as Hugging Face has them.
fn to_halves<B: Backend>(b: Tensor<B, 2>, heads: Option<usize>) -> Tensor<B, 2> {
    let ([rank, columns], Some(heads)) = (b.dims(), heads) else { return b };
    b.reshape([rank, heads, columns / heads / 2, 2]).swap_dims(2, 3).reshape([rank, columns])
}

/// The reverse of [`to_halves`].
fn to_pairs<B: Backend>(b: Tensor<B, 2>, heads: Option<usize>) -> Tensor<B, 2> {
    let ([rank, columns], Some(heads)) = (b.dims(), heads) else { return b };
    b.reshape([rank, heads, 2, columns / heads / 2]).swap_dims(2, 3).reshape([rank, columns])
}
