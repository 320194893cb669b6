use super::calls::{Named, calls};
use crate::arguments::T;
use crate::finish::Finish;
use burn_tensor::{Numeric, module};

/// Lists methods of float and int tensors along dimensions.
pub fn along_dimensions<const D: usize, K: Numeric>() -> &'static [Named] {
    calls! { a;
        "contains_nan" a.of::<D, K>().try_contains_nan();
        "sum" a.of::<D, K>().try_sum();
        "prod" a.of::<D, K>().try_prod();
        "sum_dim" a.of::<D, K>().try_sum_dim(a.dim());
        "sum_dims" a.of::<D, K>().try_sum_dims(&a.dims());
        "sum_dims_squeeze" a.of::<D, K>().try_sum_dims_squeeze::<1>(&a.dims());
        "sum_dims_squeeze" a.of::<D, K>().try_sum_dims_squeeze::<2>(&a.dims());
        "prod_dim" a.of::<D, K>().try_prod_dim(a.dim());
        "prod_dims" a.of::<D, K>().try_prod_dims(&a.dims());
        "mean" a.of::<D, K>().try_mean();
        "mean_dim" a.of::<D, K>().try_mean_dim(a.dim());
        "mean_dims" a.of::<D, K>().try_mean_dims(&a.dims());
        "max" a.of::<D, K>().try_max();
        "max_dim" a.of::<D, K>().try_max_dim(a.dim());
        "max_dims" a.of::<D, K>().try_max_dims(&a.dims());
        "max_abs" a.of::<D, K>().try_max_abs();
        "max_abs_dim" a.of::<D, K>().try_max_abs_dim(a.dim());
        "max_abs_dims" a.of::<D, K>().try_max_abs_dims(&a.dims());
        "min" a.of::<D, K>().try_min();
        "min_dim" a.of::<D, K>().try_min_dim(a.dim());
        "min_dims" a.of::<D, K>().try_min_dims(&a.dims());
        "cumsum" a.of::<D, K>().try_cumsum(a.dim());
        "cumprod" a.of::<D, K>().try_cumprod(a.dim());
        "cummin" a.of::<D, K>().try_cummin(a.dim());
        "cummax" a.of::<D, K>().try_cummax(a.dim());
        "argmax" a.of::<D, K>().try_argmax(a.dim());
        "argmin" a.of::<D, K>().try_argmin(a.dim());
        "max_dim_with_indices" a.of::<D, K>().try_max_dim_with_indices(a.dim());
        "min_dim_with_indices" a.of::<D, K>().try_min_dim_with_indices(a.dim());
        "sort" a.of::<D, K>().try_sort(a.dim());
        "sort_descending" a.of::<D, K>().try_sort_descending(a.dim());
        "sort_with_indices" a.of::<D, K>().try_sort_with_indices(a.dim());
        "sort_descending_with_indices" a.of::<D, K>().try_sort_descending_with_indices(a.dim());
        "argsort" a.of::<D, K>().try_argsort(a.dim());
        "argsort_descending" a.of::<D, K>().try_argsort_descending(a.dim());
        "topk" a.of::<D, K>().try_topk(a.size(), a.dim());
        "topk_with_indices" a.of::<D, K>().try_topk_with_indices(a.size(), a.dim());
        "argtopk" a.of::<D, K>().try_argtopk(a.size(), a.dim());
        "kthvalue" a.of::<D, K>().try_kthvalue(a.size(), a.dim());
        "median" a.of::<D, K>().try_median(a.dim());
        "median_with_indices" a.of::<D, K>().try_median_with_indices(a.dim());
    }
}

/// Lists arithmetic and comparisons of float and int tensors.
pub fn arithmetic<const D: usize, K: Numeric>() -> &'static [Named] {
    calls! { a;
        "add" a.of::<D, K>().try_add(a.of());
        "add_scalar" a.of::<D, K>().try_add_scalar(a.scalar());
        "sub" a.of::<D, K>().try_sub(a.of());
        "sub_scalar" a.of::<D, K>().try_sub_scalar(a.scalar());
        "mul" a.of::<D, K>().try_mul(a.of());
        "mul_scalar" a.of::<D, K>().try_mul_scalar(a.scalar());
        "div" a.of::<D, K>().try_div(a.of());
        "div_scalar" a.of::<D, K>().try_div_scalar(a.scalar());
        "remainder" a.of::<D, K>().try_remainder(a.of());
        "rem" a.of::<D, K>().try_rem(a.of());
        "remainder_scalar" a.of::<D, K>().try_remainder_scalar(a.scalar());
        "fmod" a.of::<D, K>().try_fmod(a.of());
        "fmod_scalar" a.of::<D, K>().try_fmod_scalar(a.scalar());
        "max_pair" a.of::<D, K>().try_max_pair(a.of());
        "min_pair" a.of::<D, K>().try_min_pair(a.of());
        "clamp" a.of::<D, K>().try_clamp(a.scalar(), a.scalar());
        "clamp_min" a.of::<D, K>().try_clamp_min(a.scalar());
        "clamp_max" a.of::<D, K>().try_clamp_max(a.scalar());
        "powf_scalar" a.of::<D, K>().try_powf_scalar(a.scalar());
        "powi_scalar" a.of::<D, K>().try_powi_scalar(a.scalar());
        "greater" a.of::<D, K>().try_greater(a.of());
        "greater_equal" a.of::<D, K>().try_greater_equal(a.of());
        "lower" a.of::<D, K>().try_lower(a.of());
        "lower_equal" a.of::<D, K>().try_lower_equal(a.of());
        "is_close" a.of::<D, K>().try_is_close(a.of(), None, Some(0.1));
        "all_close" a.of::<D, K>().try_all_close(a.of(), Some(0.1), None);
    }
}

/// Lists methods that lay out or create float and int tensors.
pub fn layouts<const D: usize, K: Numeric>() -> &'static [Named] {
    calls! { a;
        "pad" a.of::<D, K>().try_pad((a.size(), a.size(), a.size(), a.size()), a.pad());
        "pad" a.of::<D, K>().try_pad([(a.size(), a.size())], a.pad());
        "pad" a.of::<D, K>().try_pad(vec![(a.small(), a.size()), (0, a.small()), (a.size(), 1)], a.pad());
        "triu" a.of::<D, K>().try_triu(a.offset());
        "tril" a.of::<D, K>().try_tril(a.offset());
        "cross" a.of::<D, K>().try_cross(a.of(), a.dim());
        "one_hot_fill" a.of::<D, K>().try_one_hot_fill::<2>(a.size(), a.scalar(), a.scalar(), a.dim());
        "one_hot_fill" a.of::<D, K>().try_one_hot_fill::<4>(a.small(), a.scalar(), a.scalar(), a.dim());
        "cast" a.of::<D, K>().try_cast(a.random.dtype());
        "random" T::<D, K>::try_random(a.shape::<D>(), a.distribution(), a.device);
        "full_like" a.of::<D, K>().try_full_like(a.scalar());
        "zeros" T::<D, K>::try_zeros([a.size(), a.size()], a.device);
        "ones" T::<D, K>::try_ones([a.size()], a.device);
        "unfold4d" module::try_unfold4d(a.of::<4, K>(), a.places());
        "fold4d" module::try_fold4d(a.of::<3, K>(), a.sizes(), a.places());
    }
}
