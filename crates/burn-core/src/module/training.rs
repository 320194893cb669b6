use super::{
    AutodiffModule, ConstantRecord, Content, Loader, Module, ModuleDisplay, ModuleDisplayDefault,
    ParamMapper, ParamVisitor,
};
use crate::tensor::{AutodiffBackend, Backend};
use alloc::string::ToString;

/// Phase of a layer that behaves differently in training, such as dropout: a field of it.
///
/// The layer is in training on a backend that tracks gradients, until [`valid`](AutodiffModule::valid) is
/// called. Tracking alone is not enough: the inner module of one on `Autodiff<Autodiff<B>>` is for
/// validation, and its backend tracks.
///
/// ```
/// use burn::backend::Autodiff;
/// use burn::backend::NdArray;
/// use burn::module::{AutodiffModule, Training};
///
/// type Once = Autodiff<NdArray>;
/// let (training, device) = (Training::default(), Default::default());
/// assert!(training.is_on::<Once>(&device));
/// assert!(!training.is_on::<NdArray>(&device));
/// let valid = AutodiffModule::<Autodiff<Once>>::valid(&training);
/// assert!(!valid.is_on::<Once>(&device));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Training(bool);

impl Training {
    /// Phase of a module for validation and inference.
    pub const OFF: Training = Training(false);

    /// Returns whether a layer on `device` is in training.
    pub fn is_on<B: Backend>(self, device: &B::Device) -> bool {
        self.0 && B::tracks_gradients(device)
    }
}

impl Default for Training {
    fn default() -> Self {
        Training(true)
    }
}

impl<B: Backend> Module<B> for Training {
    type Record = ConstantRecord;

    fn visit_params(&self, _visitor: &mut dyn ParamVisitor<B>) {}
    fn map_params(&mut self, _mapper: &mut dyn ParamMapper<B>) {}
    fn into_record(self) -> ConstantRecord {
        ConstantRecord
    }
    fn read_record(&mut self, _record: ConstantRecord, _loader: &mut Loader) {}
}

impl<B: AutodiffBackend> AutodiffModule<B> for Training {
    type InnerModule = Self;

    fn valid(&self) -> Self {
        Training::OFF
    }
}

impl ModuleDisplay for Training {}
impl ModuleDisplayDefault for Training {
    fn content(&self, content: Content) -> Option<Content> {
        Some(content.set_text(self.0.to_string()))
    }
}
