use super::Random;
use super::arguments::{Arguments, Done, Finish, T};
use crate::subject::message;
use burn_backend::TensorData;
use burn_backend::dynamic::{Dynamic, DynamicDevice};
use burn_tensor::{Bool, Int, activation, linalg, module, signal};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Calls by number, each with the name of the method.
macro_rules! calls {
    ($which:expr, $a:ident; $($name:literal $call:expr;)*) => {{
        const NAMES: &[&str] = &[$($name),*];
        let calls: &[fn(&mut Arguments<'_>) -> Done] = &[$(|$a| ($call)?.finish()),*];
        let which = $which % NAMES.len();
        (NAMES[which], calls[which])
    }};
}

type Named = (&'static str, fn(&mut Arguments<'_>) -> Done);

fn of_float<const D: usize>(which: usize) -> Named {
    calls! { which, a;
        "sum_dim" a.float::<D>().try_sum_dim(a.dim());
        "prod_dim" a.float::<D>().try_prod_dim(a.dim());
        "mean" a.float::<D>().try_mean();
        "mean_dim" a.float::<D>().try_mean_dim(a.dim());
        "max" a.float::<D>().try_max();
        "max_dim" a.float::<D>().try_max_dim(a.dim());
        "min" a.float::<D>().try_min();
        "min_dim" a.float::<D>().try_min_dim(a.dim());
        "var" a.float::<D>().try_var(a.dim());
        "var_bias" a.float::<D>().try_var_bias(a.dim());
        "var_mean" a.float::<D>().try_var_mean(a.dim());
        "var_mean_bias" a.float::<D>().try_var_mean_bias(a.dim());
        "gather" a.float::<D>().try_gather(a.dim(), a.int());
        "select" a.float::<D>().try_select(a.dim(), a.int());
        "mask_fill" a.float::<D>().try_mask_fill(a.bool(), a.scalar());
        "mask_where" a.float::<D>().try_mask_where(a.bool(), a.float());
        "scatter" a.float::<D>().try_scatter(a.dim(), a.int(), a.float());
        "select_assign" a.float::<D>().try_select_assign(a.dim(), a.int(), a.float());
        "triu" a.float::<D>().try_triu(a.offset());
        "tril" a.float::<D>().try_tril(a.offset());
        "argmax" a.float::<D>().try_argmax(a.dim());
        "argmin" a.float::<D>().try_argmin(a.dim());
        "max_dim_with_indices" a.float::<D>().try_max_dim_with_indices(a.dim());
        "min_dim_with_indices" a.float::<D>().try_min_dim_with_indices(a.dim());
        "sort" a.float::<D>().try_sort(a.dim());
        "sort_descending" a.float::<D>().try_sort_descending(a.dim());
        "sort_with_indices" a.float::<D>().try_sort_with_indices(a.dim());
        "sort_descending_with_indices" a.float::<D>().try_sort_descending_with_indices(a.dim());
        "argsort" a.float::<D>().try_argsort(a.dim());
        "argsort_descending" a.float::<D>().try_argsort_descending(a.dim());
        "topk" a.float::<D>().try_topk(a.size(), a.dim());
        "topk_with_indices" a.float::<D>().try_topk_with_indices(a.size(), a.dim());
        "max_pool" a.float::<D>().try_max_pool(a.windows(D.saturating_sub(2)));
        "max_pool_with_indices" a.float::<D>().try_max_pool_with_indices(a.windows(D.saturating_sub(2)));
        "avg_pool" a.float::<D>().try_avg_pool(a.windows(D.saturating_sub(2)), true);
        "avg_pool" a.float::<D>().try_avg_pool(a.windows(D.saturating_sub(2)), false);
        "adaptive_avg_pool" a.float::<D>().try_adaptive_avg_pool(a.sizes::<2>());
        "adaptive_avg_pool" a.float::<D>().try_adaptive_avg_pool(a.sizes::<1>());
        "conv" a.float::<D>().try_conv(a.float(), None, a.conv(D.saturating_sub(2)));
        "conv" a.float::<D>().try_conv(a.float(), Some(a.float()), a.conv(D.saturating_sub(2)));
        "conv_transpose" a.float::<D>().try_conv_transpose(a.float(), a.shape::<D>(), a.conv(D.saturating_sub(2)));
        "matmul" a.float::<D>().try_matmul(a.float());
        "add" a.float::<D>().try_add(a.float());
        "sub" a.float::<D>().try_sub(a.float());
        "mul" a.float::<D>().try_mul(a.float());
        "div" a.float::<D>().try_div(a.float());
        "max_pair" a.float::<D>().try_max_pair(a.float());
        "min_pair" a.float::<D>().try_min_pair(a.float());
        "clamp" a.float::<D>().try_clamp(a.scalar(), a.scalar());
        "clamp_min" a.float::<D>().try_clamp_min(a.scalar());
        "clamp_max" a.float::<D>().try_clamp_max(a.scalar());
        "powf_scalar" a.float::<D>().try_powf_scalar(a.scalar());
        "powi_scalar" a.float::<D>().try_powi_scalar(a.scalar());
        "powf" a.float::<D>().try_powf(a.float());
        "powi" a.float::<D>().try_powi(a.int());
        "atan2" a.float::<D>().try_atan2(a.float());
        "equal" a.float::<D>().try_equal(a.float());
        "not_equal" a.float::<D>().try_not_equal(a.float());
        "is_close" a.float::<D>().try_is_close(a.float(), None, Some(0.1));
        "all_close" a.float::<D>().try_all_close(a.float(), Some(0.1), None);
        "pad" a.float::<D>().try_pad((a.size(), a.size(), a.size(), a.size()), a.pad());
        "pad" a.float::<D>().try_pad([(a.size(), a.size())], a.pad());
        "cast" a.float::<D>().try_cast(a.random.dtype());
        "prelu" activation::try_prelu(a.float::<D>(), a.float());
        "softmax" activation::try_softmax(a.float::<D>(), a.dim());
        "softmin" activation::try_softmin(a.float::<D>(), a.dim());
        "log_softmax" activation::try_log_softmax(a.float::<D>(), a.dim());
        "quiet_softmax" activation::try_quiet_softmax(a.float::<D>(), a.dim());
        "linear" module::try_linear(a.float::<D>(), a.float(), Some(a.float()));
        "linear" module::try_linear(a.float::<D>(), a.float(), None);
        "fft" signal::try_fft(a.float::<D>(), a.float(), a.dim(), Some(a.size()));
        "fft" signal::try_fft(a.float::<D>(), a.float(), a.dim(), None);
        "ifft" signal::try_ifft(a.float::<D>(), a.float(), a.dim(), Some(a.size()));
        "rfft" signal::try_rfft(a.float::<D>(), a.dim(), Some(a.size()));
        "rfft" signal::try_rfft(a.float::<D>(), a.dim(), None);
        "irfft" signal::try_irfft(a.float::<D>(), a.float(), a.dim(), Some(a.size()));
        "irfft" signal::try_irfft(a.float::<D>(), a.float(), a.dim(), None);
        "fft2" signal::try_fft2(a.float::<D>(), a.float(), Some(a.sizes()));
        "ifft2" signal::try_ifft2(a.float::<D>(), a.float(), None);
        "fftshift" signal::try_fftshift(a.float::<D>(), &a.dims());
        "ifftshift" signal::try_ifftshift(a.float::<D>(), &a.dims());
        "random" T::<D>::try_random(a.shape::<D>(), a.distribution(), a.device);
        "full" T::<D>::try_full(a.shape::<3>(), a.scalar(), a.device);
        "zeros" T::<D>::try_zeros([a.size(), a.size()], a.device);
        "ones" T::<D>::try_ones([a.size()], a.device);
        "empty" T::<D>::try_empty([a.size(), a.size(), a.size()], a.device);
        "from_data" T::<D>::try_from_data(TensorData::from([[1.0, 2.0]]), a.device);
        "into_scalar" a.float::<D>().try_into_scalar();
        "to_data" a.float::<D>().try_to_data();
        "cat" T::<D>::try_cat(a.floats(), a.dim());
        "stack" T::<D>::try_stack::<2>(a.floats(), a.dim());
        "stack" T::<D>::try_stack::<3>(a.floats(), a.dim());
        "stack" T::<D>::try_stack::<4>(a.floats(), a.dim());
    }
}

fn of_int<const D: usize>(which: usize) -> Named {
    calls! { which, a;
        "sum_dim" a.int::<D>().try_sum_dim(a.dim());
        "prod_dim" a.int::<D>().try_prod_dim(a.dim());
        "mean" a.int::<D>().try_mean();
        "mean_dim" a.int::<D>().try_mean_dim(a.dim());
        "max" a.int::<D>().try_max();
        "max_dim" a.int::<D>().try_max_dim(a.dim());
        "gather" a.int::<D>().try_gather(a.dim(), a.int());
        "select" a.int::<D>().try_select(a.dim(), a.int());
        "scatter" a.int::<D>().try_scatter(a.dim(), a.int(), a.int());
        "select_assign" a.int::<D>().try_select_assign(a.dim(), a.int(), a.int());
        "sort_with_indices" a.int::<D>().try_sort_with_indices(a.dim());
        "topk" a.int::<D>().try_topk(a.size(), a.dim());
        "add" a.int::<D>().try_add(a.int());
        "div" a.int::<D>().try_div(a.int());
        "max_pair" a.int::<D>().try_max_pair(a.int());
        "clamp" a.int::<D>().try_clamp(a.scalar(), a.scalar());
        "powi" a.int::<D>().try_powi(a.int());
        "powi_scalar" a.int::<D>().try_powi_scalar(a.scalar());
        "mask_fill" a.int::<D>().try_mask_fill(a.bool(), a.scalar());
        "one_hot" a.int::<D>().try_one_hot::<2>(a.size());
        "one_hot" a.int::<D>().try_one_hot::<3>(a.small());
        "random" T::<D, Int>::try_random(a.shape::<D>(), a.distribution(), a.device);
        "int_random" T::<D, Int>::try_int_random(a.shape::<D>(), a.distribution(), a.device);
        "cast" a.int::<D>().try_cast(a.random.dtype());
        "full" T::<D, Int>::try_full(a.shape::<D>(), a.scalar(), a.device);
        "pad" a.int::<D>().try_pad([(a.size(), a.size())], a.pad());
        "bool_and" a.bool::<D>().try_bool_and(a.bool());
        "bool_or" a.bool::<D>().try_bool_or(a.bool());
        "bool_xor" a.bool::<D>().try_bool_xor(a.bool());
        "any_dim" a.bool::<D>().try_any_dim(a.dim());
        "all_dim" a.bool::<D>().try_all_dim(a.dim());
        "argwhere" a.bool::<D>().try_argwhere();
        "nonzero" a.bool::<D>().try_nonzero();
        "tril_mask" T::<D, Bool>::try_tril_mask(a.shape::<D>(), a.offset(), a.device);
        "triu_mask" T::<D, Bool>::try_triu_mask(a.shape::<D>(), a.offset(), a.device);
        "diag_mask" T::<D, Bool>::try_diag_mask(a.shape::<D>(), a.offset(), a.device);
        "gather" a.bool::<D>().try_gather(a.dim(), a.int());
        "flip" a.bool::<D>().try_flip([a.dim()]);
        "equal" a.bool::<D>().try_equal(a.bool());
        "into_scalar" a.bool::<D>().try_into_scalar();
    }
}

fn of_layout<const D: usize>(which: usize) -> Named {
    calls! { which, a;
        "reshape" a.float::<D>().try_reshape([a.dim(), a.dim()]);
        "reshape" a.float::<D>().try_reshape([a.dim(), -1, a.dim()]);
        "reshape" a.float::<D>().try_reshape([-1]);
        "flatten" a.float::<D>().try_flatten::<1>(a.dim(), a.dim());
        "flatten" a.float::<D>().try_flatten::<2>(a.dim(), a.dim());
        "squeeze" a.float::<D>().try_squeeze::<1>();
        "squeeze" a.float::<D>().try_squeeze::<3>();
        "squeeze_dim" a.float::<D>().try_squeeze_dim::<1>(a.dim());
        "squeeze_dim" a.float::<D>().try_squeeze_dim::<2>(a.dim());
        "squeeze_dims" a.float::<D>().try_squeeze_dims::<2>(&a.dims());
        "unsqueeze" a.float::<D>().try_unsqueeze::<3>();
        "unsqueeze_dim" a.float::<D>().try_unsqueeze_dim::<3>(a.dim());
        "unsqueeze_dim" a.float::<D>().try_unsqueeze_dim::<2>(a.dim());
        "unsqueeze_dims" a.float::<D>().try_unsqueeze_dims::<4>(&a.dims());
        "expand" a.float::<D>().try_expand([a.size() as isize, a.dim()]);
        "expand" a.float::<D>().try_expand([-1, a.small() as isize, -1]);
        "permute" a.float::<D>().try_permute(core::array::from_fn::<isize, D, _>(|_| a.dim()));
        "movedim" a.float::<D>().try_movedim(a.dim(), a.dim());
        "swap_dims" a.float::<D>().try_swap_dims(a.dim(), a.dim());
        "transpose" a.float::<D>().try_transpose();
        "flip" a.float::<D>().try_flip([a.dim(), a.dim()]);
        "repeat_dim" a.float::<D>().try_repeat_dim(a.dim(), a.size());
        "repeat" a.float::<D>().try_repeat(&[a.small(), a.small()]);
        "slice" a.float::<D>().try_slice(a.items());
        "slice" a.int::<D>().try_slice([a.item()]);
        "slice_assign" a.float::<D>().try_slice_assign(a.items(), a.float());
        "narrow" a.float::<D>().try_narrow(a.dim(), a.size(), a.size());
        "chunk" a.float::<D>().try_chunk(a.size(), a.dim());
        "split" a.float::<D>().try_split(a.size(), a.dim());
    }
}

fn of_matrices<const D: usize, const E: usize>(which: usize) -> Named {
    calls! { which, a;
        "cholesky" linalg::try_cholesky(a.float::<D>());
        "cholesky_unchecked" linalg::try_cholesky_unchecked(a.float::<D>());
        "qr" linalg::try_qr(a.float::<D>());
        "svd" linalg::try_svd::<_, D, E>(a.float());
        "svdvals" linalg::try_svdvals::<_, D, E>(a.float());
        "eigh" linalg::try_eigh::<_, D, E>(a.float());
        "eigvalsh" linalg::try_eigvalsh::<_, D, E>(a.float());
        "lu" linalg::try_lu(a.float::<D>());
        "lu_factor" linalg::try_lu_factor::<_, D, E>(a.float());
        "matrix_rank" linalg::try_matrix_rank::<_, D, E>(a.float(), Some(0.1));
        "inverse" linalg::try_inverse(a.float::<D>());
        "inverse_unchecked" linalg::try_inverse_unchecked(a.float::<D>());
        "lstsq" linalg::try_lstsq(a.float::<D>(), a.float());
        "pinv" linalg::try_pinv(a.float::<D>(), None);
        "solve" linalg::try_solve(a.float::<D>(), a.float());
        "solve_unchecked" linalg::try_solve_unchecked(a.float::<D>(), a.float());
        "solve_triangular" linalg::try_solve_triangular(a.float::<D>(), a.float(), true, false);
        "det" linalg::try_det::<_, D, E>(a.float());
        "slogdet" linalg::try_slogdet::<_, D, E>(a.float());
        "diag" linalg::try_diag::<_, D, E, _>(a.float());
        "diag" linalg::try_diag::<_, D, E, _>(a.bool());
        "trace" linalg::try_trace::<_, D, E, _>(a.float());
        "trace" linalg::try_trace::<_, D, E, _>(a.int());
        "outer" linalg::try_outer::<_, D, E, _>(a.float(), a.float());
        "outer" linalg::try_outer::<_, D, E, _>(a.int(), a.int());
        "matvec" linalg::try_matvec::<_, D, E, _>(a.float(), a.float());
        "cosine_similarity" linalg::try_cosine_similarity(a.float::<D>(), a.float(), a.dim(), None);
        "vector_normalize" linalg::try_vector_normalize(a.float::<D>(), a.norm(), a.dim(), 1e-3);
        "norm" linalg::try_norm(a.float::<D>(), a.norm(), a.dim());
        "norm_dims" linalg::try_norm_dims(a.float::<D>(), a.norm(), &a.dims());
        "matrix_norm" linalg::try_matrix_norm(a.float::<D>(), a.matrix_norm());
        "matrix_exp" linalg::try_matrix_exp(a.float::<D>());
        "matrix_power" linalg::try_matrix_power(a.float::<D>(), a.random.below(9) as i32 - 4);
        "cross" a.float::<D>().try_cross(a.float(), a.dim());
        "rfft2" signal::try_rfft2(a.float::<D>(), Some(a.sizes()));
        "irfft2" signal::try_irfft2(a.float::<D>(), a.float(), Some(a.sizes()));
        "irfft2" signal::try_irfft2(a.float::<D>(), a.float(), None);
        "stft" signal::try_stft(a.float(), None, &a.frames());
        "stft" signal::try_stft(a.float(), Some(a.float()), &a.frames());
        "istft" signal::try_istft(a.float(), a.float(), None, &a.frames(), None);
        "istft" signal::try_istft(a.float(), a.float(), Some(a.float()), &a.frames(), Some(a.size()));
    }
}

fn of_modules(which: usize) -> Named {
    calls! { which, a;
        "embedding" module::try_embedding(a.float(), a.int());
        "conv1d" module::try_conv1d(a.float(), a.float(), Some(a.float()), a.conv(1));
        "conv2d" module::try_conv2d(a.float(), a.float(), None, a.conv(2));
        "max_pool1d" module::try_max_pool1d(a.float(), a.small(), a.small(), a.size(), a.small());
        "max_pool2d" module::try_max_pool2d(a.float(), a.sizes(), a.sizes(), a.sizes(), a.sizes());
        "avg_pool1d" module::try_avg_pool1d(a.float(), a.small(), a.small(), a.size(), true);
        "avg_pool2d" module::try_avg_pool2d(a.float(), a.sizes(), a.sizes(), a.sizes(), false);
        "adaptive_avg_pool1d" module::try_adaptive_avg_pool1d(a.float(), a.size());
        "adaptive_avg_pool2d" module::try_adaptive_avg_pool2d(a.float(), a.sizes());
        "hann_window" signal::try_hann_window::<Dynamic>(a.size(), true, a.device);
        "hamming_window" signal::try_hamming_window::<Dynamic>(a.size(), false, a.device);
        "blackman_window" signal::try_blackman_window::<Dynamic>(a.size(), true, a.device);
        "fftfreq" signal::try_fftfreq::<Dynamic>(a.size(), 0.5, a.device);
        "rfftfreq" signal::try_rfftfreq::<Dynamic>(a.size(), 0.0, a.device);
        "arange_step" T::<1, Int>::try_arange_step(a.random.below(9) as i64 - 4..a.random.below(9) as i64, a.size(), a.device);
        "cartesian_grid" T::<2, Int>::try_cartesian_grid(a.shape::<2>(), a.device);
        "one_hot" T::<1>::try_one_hot(a.size(), a.size(), a.device);
        "from_floats" T::<2>::try_from_floats([1.0, 2.0], a.device);
        "from_ints" T::<2, Int>::try_from_ints([[1], [2]], a.device);
    }
}

/// How many numbers [`check_method`] tells apart.
pub const METHODS: usize = 2000;

fn method(number: usize) -> Named {
    let (group, which) = (number % 17, number / 17);
    match group {
        0 => of_float::<1>(which),
        1 => of_float::<2>(which),
        2 => of_float::<3>(which),
        3 => of_float::<4>(which),
        4 => of_int::<1>(which),
        5 => of_int::<2>(which),
        6 => of_int::<3>(which),
        7 => of_int::<4>(which),
        8 => of_layout::<1>(which),
        9 => of_layout::<2>(which),
        10 => of_layout::<3>(which),
        11 => of_layout::<4>(which),
        12 => of_matrices::<2, 1>(which),
        13 => of_matrices::<3, 2>(which),
        14 => of_matrices::<4, 3>(which),
        15 => of_matrices::<1, 2>(which),
        _ => of_modules(which),
    }
}

/// Calls one of the methods that give an error as a value: it gives one in words that name an operation, at the line of
/// the call, or a result.
///
/// # Errors
/// What happened instead.
pub fn check_method(number: usize, random: &mut Random, device: &DynamicDevice) -> Result<(), String> {
    let (name, call) = method(number);
    let before = random.clone();
    let outcome = catch_unwind(AssertUnwindSafe(|| call(&mut Arguments { random, device, last: None })));
    let outcome = match outcome {
        Err(panic) => Err(message(&*panic)),
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => {
            let text = error.to_string();
            if error.location().file() != file!() {
                Err(format!("the line is not that of the caller: {text}"))
            } else if text.len() < error.operation().len() + 10 {
                Err(format!("the error is no help: {text}"))
            } else {
                Ok(())
            }
        }
    };
    outcome.map_err(|error| format!("{name} (method {number}, {before:?}): {error}"))
}
