use super::calls::{Named, calls};
use crate::finish::Finish;
use burn_backend::IndexUpdate;
use burn_tensor::{Float, try_einsum};

/// Calls whose result has another rank than the operand.
pub fn calls<const D: usize, const E: usize>() -> &'static [Named] {
    calls! { a;
        "select_dim" a.float::<D>().try_select_dim::<E>(a.dim(), a.dim());
        "unfold" a.float::<D>().try_unfold::<3>(a.dim(), a.size(), a.size());
        "unfold" a.int::<D>().try_unfold::<4>(a.dim(), a.small(), a.small());
        "take" a.float::<D>().try_take::<1, D>(a.dim(), a.int());
        "take" a.bool::<D>().try_take::<E, 3>(a.dim(), a.int());
        "gather_nd" a.float::<D>().try_gather_nd::<2, E>(a.int());
        "gather_nd" a.float::<D>().try_gather_nd::<E, D>(a.int());
        "scatter_nd" a.float::<D>().try_scatter_nd::<2, E>(a.int(), a.float(), IndexUpdate::Add);
        "scatter_nd_assign" a.float::<D>().try_scatter_nd_assign::<2, E>(a.int(), a.float());
        "scatter_nd_add" a.float::<D>().try_scatter_nd_add::<2, D>(a.int(), a.float());
        "scatter_nd_multiply" a.int::<D>().try_scatter_nd_multiply::<E, D>(a.int(), a.int());
        "scatter_nd_min" a.float::<D>().try_scatter_nd_min::<2, E>(a.int(), a.float());
        "scatter_nd_max" a.float::<D>().try_scatter_nd_max::<1, E>(a.int(), a.float());
        "tensordot" a.float::<D>().try_tensordot::<E, 1>(a.float(), &a.dims(), &a.dims());
        "tensordot" a.float::<D>().try_tensordot::<D, 2>(a.float(), &[a.dim()], &[a.dim()]);
        "tensordot" a.int::<D>().try_tensordot::<E, 3>(a.int(), &a.dims(), &a.dims());
        "einsum" try_einsum::<_, E, Float>(a.equation(), (a.float::<D>(), a.float::<E>()));
        "einsum" try_einsum::<_, D, Float>(a.equation(), [a.float::<D>(), a.float()]);
        "einsum" try_einsum::<_, E, Float>(a.equation(), (a.float::<D>(),));
        "einsum" try_einsum::<_, 2, Float>(a.equation(), (a.float::<2>(), a.float::<2>(), a.float::<D>()));
    }
}
