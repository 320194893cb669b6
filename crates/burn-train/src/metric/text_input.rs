/// Texts that a model made and the texts that are right, of one batch.
///
/// Input of [`WerMetric`](super::WerMetric) and [`CerMetric`](super::CerMetric).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextInput {
    /// The texts of the model.
    pub predictions: Vec<String>,
    /// The texts that are right, one for each prediction.
    pub references: Vec<String>,
}

impl TextInput {
    /// Pairs texts of a model with the texts that are right.
    ///
    /// # Panics
    /// If there are not as many references as predictions.
    #[track_caller]
    pub fn new<S: Into<String>>(
        predictions: impl IntoIterator<Item = S>,
        references: impl IntoIterator<Item = S>,
    ) -> Self {
        let predictions: Vec<String> = predictions.into_iter().map(S::into).collect();
        let references: Vec<String> = references.into_iter().map(S::into).collect();
        assert!(
            predictions.len() == references.len(),
            "text metric: expected a reference for each of {} predictions, got {}",
            predictions.len(),
            references.len()
        );
        Self { predictions, references }
    }
}
