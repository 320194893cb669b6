use super::calls::{Named, calls};
use crate::finish::Finish;
use burn_tensor::module;

/// The functions under modules that take tensors of one rank.
pub fn calls() -> &'static [Named] {
    calls! { a;
        "embedding" module::try_embedding(a.float(), a.int());
        "conv1d" module::try_conv1d(a.float(), a.float(), a.maybe(), a.conv(1));
        "conv2d" module::try_conv2d(a.float(), a.float(), a.maybe(), a.conv(2));
        "conv3d" module::try_conv3d(a.float(), a.float(), a.maybe(), a.conv(3));
        "conv_transpose1d" module::try_conv_transpose1d(a.float(), a.float(), a.maybe(), a.conv_transpose(1));
        "conv_transpose2d" module::try_conv_transpose2d(a.float(), a.float(), a.maybe(), a.conv_transpose(2));
        "conv_transpose3d" module::try_conv_transpose3d(a.float(), a.float(), a.maybe(), a.conv_transpose(3));
        "deform_conv2d" module::try_deform_conv2d(a.float(), a.float(), a.float(), a.maybe(), a.maybe(), a.conv(2));
        "max_pool1d" module::try_max_pool1d(a.float(), a.small(), a.small(), a.size(), a.small());
        "max_pool2d" module::try_max_pool2d(a.float(), a.sizes(), a.sizes(), a.sizes(), a.sizes());
        "max_pool3d" module::try_max_pool3d(a.float(), a.sizes(), a.sizes(), a.sizes(), a.sizes());
        "max_pool1d_with_indices" module::try_max_pool1d_with_indices(a.float(), a.small(), a.small(), a.size(), a.small());
        "max_pool2d_with_indices" module::try_max_pool2d_with_indices(a.float(), a.sizes(), a.sizes(), a.sizes(), a.sizes());
        "max_pool3d_with_indices" module::try_max_pool3d_with_indices(a.float(), a.sizes(), a.sizes(), a.sizes(), a.sizes());
        "avg_pool1d" module::try_avg_pool1d(a.float(), a.small(), a.small(), a.size(), a.flag());
        "avg_pool2d" module::try_avg_pool2d(a.float(), a.sizes(), a.sizes(), a.sizes(), a.flag());
        "avg_pool3d" module::try_avg_pool3d(a.float(), a.sizes(), a.sizes(), a.sizes(), a.flag());
        "adaptive_avg_pool1d" module::try_adaptive_avg_pool1d(a.float(), a.size());
        "adaptive_avg_pool2d" module::try_adaptive_avg_pool2d(a.float(), a.sizes());
        "adaptive_avg_pool3d" module::try_adaptive_avg_pool3d(a.float(), a.sizes());
        "adaptive_max_pool1d" module::try_adaptive_max_pool1d(a.float(), a.size());
        "adaptive_max_pool2d" module::try_adaptive_max_pool2d(a.float(), a.sizes());
        "adaptive_max_pool3d" module::try_adaptive_max_pool3d(a.float(), a.sizes());
        "adaptive_max_pool1d_with_indices" module::try_adaptive_max_pool1d_with_indices(a.float(), a.size());
        "adaptive_max_pool2d_with_indices" module::try_adaptive_max_pool2d_with_indices(a.float(), a.sizes());
        "adaptive_max_pool3d_with_indices" module::try_adaptive_max_pool3d_with_indices(a.float(), a.sizes());
        "max_unpool" module::try_max_unpool::<_, 3, 1>(a.float(), a.int(), a.sizes());
        "max_unpool" module::try_max_unpool::<_, 4, 2>(a.float(), a.int(), a.sizes());
        "interpolate1d" module::try_interpolate1d(a.float(), a.sizes(), a.interpolate());
        "interpolate1d" module::try_interpolate1d(a.float(), [a.fraction()], a.interpolate());
        "interpolate2d" module::try_interpolate2d(a.float(), a.sizes(), a.interpolate());
        "interpolate2d" module::try_interpolate2d(a.float(), [a.fraction(), a.fraction()], a.interpolate());
        "interpolate3d" module::try_interpolate3d(a.float(), a.sizes(), a.interpolate());
        "interpolate3d" module::try_interpolate3d(a.float(), [a.fraction(), a.fraction(), a.fraction()], a.interpolate());
        "grid_sample_2d" module::try_grid_sample_2d(a.float(), a.float(), a.grid());
        "affine_grid" module::try_affine_grid(a.float(), a.sizes(), a.flag());
        "attention" module::try_attention(a.float(), a.float(), a.float(), None, a.attention());
        "attention" module::try_attention(a.float(), a.float(), a.float(), Some(a.bool::<4>().into()), a.attention());
        "attention" module::try_attention(a.float(), a.float(), a.float(), Some(a.float::<4>().into()), a.attention());
        "recurrent" module::try_recurrent(a.float(), a.float(), a.maybe(), module::RecurrentState { hidden: a.float(), cell: a.maybe() }, a.recurrent());
    }
}
