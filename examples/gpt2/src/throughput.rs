//! Speed of a run.

use burn::lm::LanguageModel;
use burn::module::Module;
use burn::tensor::backend::Backend;

/// Returns the floating-point operations of a training step for each token: six for each weight, the table of
/// positions left out, and `12 n_layers d_model length` of attention (Chowdhery et al. 2022, appendix B).
pub fn flops_per_token<B: Backend>(model: &LanguageModel<B>, length: usize) -> f64 {
    let positions = model.positions.as_ref().map_or(0, Module::num_params);
    let weights = model.num_params() - positions;
    6.0 * weights as f64 + 12.0 * (model.config.n_layers * model.config.d_model * length) as f64
}

/// Returns the median.
pub fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        count if count % 2 == 1 => Some(values[middle]),
        _ => Some((values[middle - 1] + values[middle]) / 2.0),
    }
}
