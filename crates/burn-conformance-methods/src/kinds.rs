use super::calls::{Named, calls};
use crate::arguments::T;
use crate::finish::Finish;
use burn_backend::TensorData;
use burn_tensor::{MeshIndexing, TensorKind, try_meshgrid};

/// Lists methods of tensors of every kind.
pub fn calls<const D: usize, K: TensorKind>() -> &'static [Named] {
    calls! { a;
        "any" a.of::<D, K>().try_any();
        "all" a.of::<D, K>().try_all();
        "to_device" a.of::<D, K>().try_to_device(a.device);
        "gather" a.of::<D, K>().try_gather(a.dim(), a.int());
        "select" a.of::<D, K>().try_select(a.dim(), a.int());
        "mask_fill" a.of::<D, K>().try_mask_fill(a.bool(), a.scalar());
        "mask_where" a.of::<D, K>().try_mask_where(a.bool(), a.of());
        "mask_select" a.of::<D, K>().try_mask_select(a.bool());
        "equal" a.of::<D, K>().try_equal(a.of());
        "not_equal" a.of::<D, K>().try_not_equal(a.of());
        "any_dim" a.of::<D, K>().try_any_dim(a.dim());
        "all_dim" a.of::<D, K>().try_all_dim(a.dim());
        "any_dims" a.of::<D, K>().try_any_dims(&a.dims());
        "all_dims" a.of::<D, K>().try_all_dims(&a.dims());
        "scatter_add" a.of::<D, K>().try_scatter_add(a.dim(), a.int(), a.of());
        "scatter_assign" a.of::<D, K>().try_scatter_assign(a.dim(), a.int(), a.of());
        "scatter_multiply" a.of::<D, K>().try_scatter_multiply(a.dim(), a.int(), a.of());
        "scatter_min" a.of::<D, K>().try_scatter_min(a.dim(), a.int(), a.of());
        "scatter_max" a.of::<D, K>().try_scatter_max(a.dim(), a.int(), a.of());
        "select_add" a.of::<D, K>().try_select_add(a.dim(), a.int(), a.of());
        "select_replace" a.of::<D, K>().try_select_replace(a.dim(), a.int(), a.of());
        "select_multiply" a.of::<D, K>().try_select_multiply(a.dim(), a.int(), a.of());
        "select_min" a.of::<D, K>().try_select_min(a.dim(), a.int(), a.of());
        "select_max" a.of::<D, K>().try_select_max(a.dim(), a.int(), a.of());
        "full" T::<D, K>::try_full(a.shape::<3>(), a.scalar(), a.device);
        "empty" T::<D, K>::try_empty([a.size(), a.size(), a.size()], a.device);
        "from_data" T::<D, K>::try_from_data(TensorData::from([[1.0, 2.0]]), a.device);
        "to_data" a.of::<D, K>().try_to_data();
        "into_data" a.of::<D, K>().try_into_data();
        "cat" T::<D, K>::try_cat(a.several(), a.dim());
        "stack" T::<D, K>::try_stack::<2>(a.several(), a.dim());
        "stack" T::<D, K>::try_stack::<3>(a.several(), a.dim());
        "stack" T::<D, K>::try_stack::<4>(a.several(), a.dim());
        "chunk" a.of::<D, K>().try_chunk(a.size(), a.dim());
        "split" a.of::<D, K>().try_split(a.size(), a.dim());
        "split_with_sizes" a.of::<D, K>().try_split_with_sizes(&a.sizes::<2>(), a.dim());
        "iter_dim" a.of::<D, K>().try_iter_dim(a.dim());
        "shuffle" a.of::<D, K>().try_shuffle(a.dim());
        "meshgrid" try_meshgrid(&[a.of::<1, K>(), a.of(), a.of()], MeshIndexing::Cartesian);
    }
}
