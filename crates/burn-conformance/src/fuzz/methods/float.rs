use super::calls::{Named, calls};
use crate::fuzz::arguments::T;
use crate::fuzz::finish::Finish;
use burn_tensor::{activation, module};

/// Of real numbers.
pub fn calls<const D: usize>() -> &'static [Named] {
    calls! { a;
        "var" a.float::<D>().try_var(a.dim());
        "var_bias" a.float::<D>().try_var_bias(a.dim());
        "var_mean" a.float::<D>().try_var_mean(a.dim());
        "var_mean_bias" a.float::<D>().try_var_mean_bias(a.dim());
        "std" a.float::<D>().try_std(a.dim());
        "std_bias" a.float::<D>().try_std_bias(a.dim());
        "logsumexp" a.float::<D>().try_logsumexp(a.dim());
        "logcumsumexp" a.float::<D>().try_logcumsumexp(a.dim());
        "quantile" a.float::<D>().try_quantile(a.fraction(), a.dim());
        "log_add_exp" a.float::<D>().try_log_add_exp(a.float());
        "lerp" a.float::<D>().try_lerp(a.float(), a.fraction());
        "lerp_tensor" a.float::<D>().try_lerp_tensor(a.float(), a.float());
        "powf" a.float::<D>().try_powf(a.float());
        "powi" a.float::<D>().try_powi(a.int());
        "atan2" a.float::<D>().try_atan2(a.float());
        "hypot" a.float::<D>().try_hypot(a.float());
        "max_pool" a.float::<D>().try_max_pool(a.windows(D.saturating_sub(2)));
        "max_pool_with_indices" a.float::<D>().try_max_pool_with_indices(a.windows(D.saturating_sub(2)));
        "max_pool_ceil" module::try_max_pool_ceil(a.float::<D>(), a.windows(D.saturating_sub(2)));
        "avg_pool" a.float::<D>().try_avg_pool(a.windows(D.saturating_sub(2)), a.flag());
        "max_pool_ceil_with_indices" module::try_max_pool_ceil_with_indices(a.float::<D>(), a.windows(D.saturating_sub(2)));
        "sum_pool" module::try_sum_pool(a.float::<D>(), a.windows(D.saturating_sub(2)), a.flag());
        "lp_pool" module::try_lp_pool(a.float::<D>(), a.fraction(), a.windows(D.saturating_sub(2)), a.flag());
        "avg_pool_ceil" module::try_avg_pool_ceil(a.float::<D>(), a.windows(D.saturating_sub(2)), a.flag());
        "adaptive_avg_pool" a.float::<D>().try_adaptive_avg_pool(a.sizes::<2>());
        "adaptive_avg_pool" a.float::<D>().try_adaptive_avg_pool(a.sizes::<1>());
        "conv" a.float::<D>().try_conv(a.float(), a.maybe(), a.conv(D.saturating_sub(2)));
        "conv_transpose" a.float::<D>().try_conv_transpose(a.float(), a.shape::<D>(), a.conv(D.saturating_sub(2)));
        "matmul" a.float::<D>().try_matmul(a.float());
        "random_like" a.float::<D>().try_random_like(a.distribution());
        "random_exponential" T::<D>::try_random_exponential(a.shape::<D>(), a.fraction(), a.device);
        "bernoulli" a.float::<D>().try_bernoulli();
        "multinomial" a.float::<D>().try_multinomial(a.size(), a.flag());
        "categorical" a.float::<D>().try_categorical(a.size());
        "prelu" activation::try_prelu(a.float::<D>(), a.float());
        "glu" activation::try_glu(a.float::<D>(), a.dim());
        "softmax" activation::try_softmax(a.float::<D>(), a.dim());
        "softmin" activation::try_softmin(a.float::<D>(), a.dim());
        "log_softmax" activation::try_log_softmax(a.float::<D>(), a.dim());
        "quiet_softmax" activation::try_quiet_softmax(a.float::<D>(), a.dim());
        "linear" module::try_linear(a.float::<D>(), a.float(), a.maybe());
        "layer_norm" module::try_layer_norm(a.float::<D>(), a.maybe(), a.maybe(), a.fraction());
        "rms_norm" module::try_rms_norm(a.float::<D>(), a.maybe(), a.fraction());
        "group_norm" module::try_group_norm(a.float::<D>(), a.size(), a.maybe(), a.maybe(), a.fraction());
        "instance_norm" module::try_instance_norm(a.float::<D>(), a.maybe(), a.maybe(), a.fraction());
        "batch_norm" module::try_batch_norm(a.float::<D>(), a.float(), a.float(), a.maybe(), a.maybe(), a.fraction());
        "local_response_norm" module::try_local_response_norm(a.float::<D>(), a.size(), a.fraction(), a.fraction(), a.fraction());
        "into_scalar" a.float::<D>().try_into_scalar();
        "from_floats" T::<D>::try_from_floats([1.0, 2.0], a.device);
    }
}
