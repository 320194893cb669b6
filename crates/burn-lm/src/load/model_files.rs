use super::file_layers::FileLayers;
use super::names::NameStyle;
use crate::LmError;
use crate::config::LanguageModelConfig;
use crate::model::LanguageModel;
use burn_core::tensor::Backend;
use burn_core::weights::Weights;
use burn_import::gguf::GgufFile;
use burn_import::safetensors::SafetensorsFile;
use std::path::{Path, PathBuf};
use std::sync::Arc;

impl<B: Backend> LanguageModel<B> {
    /// Loads the model of a GGUF file. Quantized matrices stay in the blocks of the file, which is mapped
    /// into memory; no gradient flows to them.
    ///
    /// # Errors
    /// The file cannot be read or is damaged, its architecture is not supported, or it lacks weights of it.
    pub fn from_gguf(path: impl AsRef<Path>, device: &B::Device) -> Result<Self, LmError> {
        Self::from_gguf_file(Arc::new(GgufFile::open(path.as_ref())?), device)
    }

    /// Loads the model of a GGUF file with all weights dequantized to `f32`, which can be trained.
    ///
    /// # Errors
    /// As [`from_gguf`](Self::from_gguf).
    pub fn from_gguf_dequantized(path: impl AsRef<Path>, device: &B::Device) -> Result<Self, LmError> {
        let file = Arc::new(GgufFile::open(path.as_ref())?);
        let config = LanguageModelConfig::from_gguf(&file)?;
        Self::load(&Weights::shared(file), NameStyle::Gguf, &config, device)
    }

    pub(crate) fn from_gguf_file(file: Arc<GgufFile>, device: &B::Device) -> Result<Self, LmError> {
        let config = LanguageModelConfig::from_gguf(&file)?;
        let weights = Weights::shared(file).keep_quantized();
        Self::load(&weights, NameStyle::Gguf, &config, device)
    }

    /// Loads the model of a folder with `config.json` and `model.safetensors`, or the index of several such
    /// files, as Hugging Face's `save_pretrained` writes it.
    ///
    /// # Errors
    /// A file cannot be read or is damaged, the type of the model is not supported, or weights of it are
    /// missing.
    pub fn from_folder(path: impl AsRef<Path>, device: &B::Device) -> Result<Self, LmError> {
        let folder = path.as_ref();
        let config = LanguageModelConfig::from_hugging_face(folder.join("config.json"))?;
        let file = SafetensorsFile::open(&weights_file(folder)?)?;
        let weights = Weights::new(file);
        let name = |end: &str| {
            let names = weights.tensors().iter().map(|tensor| tensor.name());
            names.filter_map(|name| name.strip_suffix(end)).min_by_key(|prefix| prefix.len())
        };
        let Some(prefix) = name("embed_tokens.weight").or(name("wte.weight")) else {
            let cause = "missing; expected the embeddings of the tokens".to_string();
            return Err(LmError::Weight {
                file: weights.source_name(),
                name: "embed_tokens.weight".into(),
                cause,
            });
        };
        let style = NameStyle::HuggingFace { prefix: prefix.to_string() };
        Self::load(&weights, style, &config, device)
    }

    fn load(
        weights: &Weights,
        style: NameStyle,
        config: &LanguageModelConfig,
        device: &B::Device,
    ) -> Result<Self, LmError> {
        let mut layers = FileLayers::new(weights, style, config, device);
        let model = config.build(&mut layers)?;
        layers.finish()?;
        Ok(model)
    }
}

fn weights_file(folder: &Path) -> Result<PathBuf, LmError> {
    let names = ["model.safetensors", "model.safetensors.index.json"];
    let paths = names.iter().map(|name| folder.join(name));
    paths.into_iter().find(|path| path.is_file()).ok_or_else(|| LmError::File {
        path: folder.display().to_string(),
        cause: format!("neither `{}` nor `{}` is there", names[0], names[1]),
    })
}
