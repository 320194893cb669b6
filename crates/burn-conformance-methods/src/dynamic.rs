use super::calls::{Named, calls};
use crate::arguments::T;
use crate::finish::Finish;
use burn_backend::dynamic::Dynamic;
use burn_tensor::{Bool, DynTensor, Float, Int, Numeric};

type Any<K = Float> = DynTensor<Dynamic, K>;

/// Calls of numeric methods on tensors of dynamic rank.
pub fn calls<K: Numeric>() -> &'static [Named] {
    calls! { a;
        "add" a.any::<K>().try_add(a.any());
        "add_scalar" a.any::<K>().try_add_scalar(a.scalar());
        "sub" a.any::<K>().try_sub(a.any());
        "sub_scalar" a.any::<K>().try_sub_scalar(a.scalar());
        "mul" a.any::<K>().try_mul(a.any());
        "mul_scalar" a.any::<K>().try_mul_scalar(a.scalar());
        "div" a.any::<K>().try_div(a.any());
        "div_scalar" a.any::<K>().try_div_scalar(a.scalar());
        "remainder" a.any::<K>().try_remainder(a.any());
        "remainder_scalar" a.any::<K>().try_remainder_scalar(a.scalar());
        "greater" a.any::<K>().try_greater(a.any());
        "greater_equal" a.any::<K>().try_greater_equal(a.any());
        "lower" a.any::<K>().try_lower(a.any());
        "lower_equal" a.any::<K>().try_lower_equal(a.any());
        "sum_dims" a.any::<K>().try_sum_dims(&a.dims(), a.flag());
        "prod_dims" a.any::<K>().try_prod_dims(&a.dims(), a.flag());
        "max_dims" a.any::<K>().try_max_dims(&a.dims(), a.flag());
        "min_dims" a.any::<K>().try_min_dims(&a.dims(), a.flag());
        "bool" a.any::<K>().try_bool();
        "to_device" a.any::<K>().try_to_device(a.device);
        "cast" a.any::<K>().try_cast(a.random.dtype());
        "zeros" Any::<K>::try_zeros(a.sizes::<2>(), a.device);
        "ones" Any::<K>::try_ones(a.sizes::<1>(), a.device);
        "from_data" Any::<K>::try_from_data([[1.0, 2.0]], a.device);
        "elementwise" a.any::<K>().try_elementwise(|x| x.abs());
        "elementwise" a.any::<K>().try_elementwise(|x| x.sum());
    }
}

/// Calls of methods for any element kind on tensors of dynamic rank.
pub fn of_all() -> &'static [Named] {
    calls! { a;
        "int" a.any::<Float>().try_int();
        "int" a.any::<Bool>().try_int();
        "float" a.any::<Int>().try_float();
        "float" a.any::<Bool>().try_float();
        "mean_dims" a.any::<Float>().try_mean_dims(&a.dims(), a.flag());
        "matmul" a.any::<Float>().try_matmul(a.any());
        "mask_fill" a.any::<Float>().try_mask_fill(a.any(), a.scalar());
        "mask_fill" a.any::<Bool>().try_mask_fill(a.any(), a.scalar());
        "equal" a.any::<Bool>().try_equal(a.any());
        "not_equal" a.any::<Float>().try_not_equal(a.any());
        "any_dims" a.any::<Bool>().try_any_dims(&a.dims(), a.flag());
        "all_dims" a.any::<Bool>().try_all_dims(&a.dims(), a.flag());
        "into_rank" a.any::<Float>().try_into_rank::<2>();
        "full" Any::<Bool>::try_full(a.sizes::<3>(), a.scalar(), a.device);
        "into_data" a.any::<Bool>().try_into_data();
        "to_data" a.any::<Float>().try_to_data();
        "reshape" a.any::<Float>().try_reshape(&a.dims());
        "permute" a.any::<Float>().try_permute(&a.dims());
        "swap_dims" a.any::<Bool>().try_swap_dims(a.dim(), a.dim());
        "flip" a.any::<Float>().try_flip(&a.dims());
        "unsqueeze_dim" a.any::<Float>().try_unsqueeze_dim(a.dim());
        "squeeze" a.any::<Float>().try_squeeze();
        "squeeze_dim" a.any::<Float>().try_squeeze_dim(a.dim());
        "expand" a.any::<Float>().try_expand(a.sizes::<3>());
        "slice" a.any::<Float>().try_slice(a.items());
        "select" a.any::<Float>().try_select(a.dim(), a.int());
        "cat" Any::<Float>::try_cat(vec![a.any(), a.any()], a.dim());
        "cat" Any::<Float>::try_cat(a.several::<2, Float>().into_iter().map(T::into_dyn).collect(), a.dim());
        "stack" Any::<Bool>::try_stack(vec![a.any(), a.any()], a.dim());
    }
}
