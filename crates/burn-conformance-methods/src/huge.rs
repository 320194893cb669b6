use super::calls::{Named, calls};
use crate::arguments::{Arguments, T};
use crate::finish::Finish;
use burn_backend::TensorData;
use burn_backend::dynamic::Dynamic;
use burn_tensor::{Bool, Int, MeshIndexing, signal, try_meshgrid};

/// Calls whose results no machine has memory for: all of them are refused, and the program goes on.
pub fn calls() -> &'static [Named] {
    calls! { a;
        "zeros" T::<1>::try_zeros([a.huge()], a.device);
        "zeros" T::<2, Int>::try_zeros([1 << 20, 1 << 24], a.device);
        "ones" T::<2>::try_ones([a.huge(), 2], a.device);
        "full" T::<1, Bool>::try_full([a.huge()], true, a.device);
        "empty" T::<1>::try_empty([a.huge()], a.device);
        "random" T::<1>::try_random([a.huge()], a.distribution(), a.device);
        "random_exponential" T::<1>::try_random_exponential([a.huge()], 1.0, a.device);
        "randperm" T::<1, Int>::try_randperm(a.huge(), a.device);
        "arange" T::<1, Int>::try_arange(0..1 << 40, a.device);
        "arange_step" T::<1, Int>::try_arange_step(0..i64::MAX, 1 + a.small(), a.device);
        "cartesian_grid" T::<3, Int>::try_cartesian_grid([1 << 20, 1 << 20], a.device);
        "eye" T::<2>::try_eye(1 << 20, a.device);
        "linspace" T::<1>::try_linspace(0.0, 1.0, a.huge(), a.device);
        "logspace" T::<1>::try_logspace(0.0, 1.0, a.huge(), 2.0, a.device);
        "one_hot" T::<1>::try_one_hot(a.size(), a.huge(), a.device);
        "one_hot" a.int::<1>().try_one_hot::<2>(a.huge());
        "one_hot_fill" a.float::<1>().try_one_hot_fill::<2>(a.huge(), 1, 0, 0);
        "tril_mask" T::<2, Bool>::try_tril_mask([1 << 33, 1 << 33], 0, a.device);
        "triu_mask" T::<2, Bool>::try_triu_mask([1 << 20, 1 << 24], 0, a.device);
        "diag_mask" T::<2, Bool>::try_diag_mask([a.huge(), 2], 0, a.device);
        "hann_window" signal::try_hann_window::<Dynamic>(a.huge(), a.flag(), a.device);
        "hamming_window" signal::try_hamming_window::<Dynamic>(a.huge(), a.flag(), a.device);
        "blackman_window" signal::try_blackman_window::<Dynamic>(a.huge(), a.flag(), a.device);
        "fftfreq" signal::try_fftfreq::<Dynamic>(a.huge(), 1.0, a.device);
        "rfftfreq" signal::try_rfftfreq::<Dynamic>(a.huge(), 1.0, a.device);
        "rfft" signal::try_rfft(a.float::<1>(), 0, Some(a.huge()));
        "matmul" column(a).try_matmul(column(a).transpose());
        "add" column(a).try_add(column(a).transpose());
        "greater" column(a).try_greater(column(a).transpose());
        "mask_where" column(a).try_mask_where(T::<2, Bool>::ones([1, 1], a.device), column(a).transpose());
        "repeat" a.float::<1>().try_repeat(&[a.huge()]);
        "repeat_dim" T::<1>::ones([3], a.device).try_repeat_dim(0, 1 << 40);
        "pad" a.float::<1>().try_pad([(a.huge(), 0)], 0);
        "multinomial" T::<1>::ones([3], a.device).try_multinomial(a.huge(), true);
        "categorical" T::<1>::ones([3], a.device).try_categorical(a.huge());
        "meshgrid" try_meshgrid(&[line(a), line(a)], MeshIndexing::Matrix)
            .and_then(|[x, y]| x.try_add(y).map_err(|error| error.in_operation("meshgrid")));
        "to_data" T::<1>::ones([1], a.device).expand([1_usize << 40]).try_to_data();
        "into_data" T::<1>::from_data(TensorData::from([1.0_f32]), a.device).expand([1_usize << 40]).try_into_data();
        "sort" T::<1>::ones([1], a.device).expand([1_usize << 40]).try_sort(0);
        "cumsum" T::<1>::ones([1], a.device).expand([1_usize << 40]).try_cumsum(0);
        "interpolate1d" burn_tensor::module::try_interpolate1d(T::<3>::ones([1, 1, 2], a.device), [1 << 40], a.interpolate());
        "adaptive_avg_pool1d" burn_tensor::module::try_adaptive_avg_pool1d(T::<3>::ones([1, 1, 2], a.device), 1 << 40);
    }
}

/// `2^20` rows: a product with its transpose has `2^40` elements.
fn column(a: &Arguments<'_>) -> T<2> {
    T::<2>::ones([1, 1], a.device).expand([1 << 20, 1])
}

fn line(a: &Arguments<'_>) -> T<1> {
    T::<1>::ones([1], a.device).expand([1 << 20])
}
