//! Normalizations.

use super::declare::calls;
use super::{Count, Fixed, Maybe, Real, Same, rules};
#[cfg(feature = "run")]
use burn_tensor::module;

calls! {
    /// Normalization over the last dimension.
    float ranked fn layer_norm(x: Same, weight: Maybe<Fixed<1>>, bias: Maybe<Fixed<1>>, epsilon: Real) -> one rules::first
        => module::try_layer_norm(x, weight, bias, epsilon)?;
    /// Division by the root of the mean square over the last dimension.
    float ranked fn rms_norm(x: Same, weight: Maybe<Fixed<1>>, epsilon: Real) -> one rules::first
        => module::try_rms_norm(x, weight, epsilon)?;
    /// Normalization of groups of channels.
    float ranked fn group_norm(x: Same, groups: Count, weight: Maybe<Fixed<1>>, bias: Maybe<Fixed<1>>, epsilon: Real) -> one rules::first
        => module::try_group_norm(x, groups, weight, bias, epsilon)?;
    /// Normalization of each channel of each item.
    float ranked fn instance_norm(x: Same, weight: Maybe<Fixed<1>>, bias: Maybe<Fixed<1>>, epsilon: Real) -> one rules::first
        => module::try_instance_norm(x, weight, bias, epsilon)?;
    /// Normalization of channels with given means and variances.
    float ranked fn batch_norm(x: Same, mean: Fixed<1>, variance: Fixed<1>, weight: Maybe<Fixed<1>>, bias: Maybe<Fixed<1>>, epsilon: Real) -> one rules::first
        => module::try_batch_norm(x, mean, variance, weight, bias, epsilon)?;
    /// Normalization by the sum of squares over neighbouring channels.
    float ranked fn local_response_norm(x: Same, size: Count, alpha: Real, beta: Real, k: Real) -> one rules::first
        => module::try_local_response_norm(x, size, alpha, beta, k)?;
}
