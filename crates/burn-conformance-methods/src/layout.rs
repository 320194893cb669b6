use super::calls::{Named, calls};
use crate::finish::Finish;
use burn_tensor::{TensorKind, module};

/// Calls of methods that change the shape.
pub fn calls<const D: usize, K: TensorKind>() -> &'static [Named] {
    calls! { a;
        "reshape" a.of::<D, K>().try_reshape([a.dim(), a.dim()]);
        "reshape" a.of::<D, K>().try_reshape([a.dim(), -1, a.dim()]);
        "reshape" a.of::<D, K>().try_reshape([-1]);
        "flatten" a.of::<D, K>().try_flatten::<1>(a.dim(), a.dim());
        "flatten" a.of::<D, K>().try_flatten::<2>(a.dim(), a.dim());
        "squeeze" a.of::<D, K>().try_squeeze::<1>();
        "squeeze" a.of::<D, K>().try_squeeze::<3>();
        "squeeze_dim" a.of::<D, K>().try_squeeze_dim::<1>(a.dim());
        "squeeze_dim" a.of::<D, K>().try_squeeze_dim::<2>(a.dim());
        "squeeze_dims" a.of::<D, K>().try_squeeze_dims::<2>(&a.dims());
        "unsqueeze" a.of::<D, K>().try_unsqueeze::<3>();
        "unsqueeze_dim" a.of::<D, K>().try_unsqueeze_dim::<3>(a.dim());
        "unsqueeze_dim" a.of::<D, K>().try_unsqueeze_dim::<2>(a.dim());
        "unsqueeze_dims" a.of::<D, K>().try_unsqueeze_dims::<4>(&a.dims());
        "expand" a.of::<D, K>().try_expand([a.size() as isize, a.dim()]);
        "expand" a.of::<D, K>().try_expand([-1, a.small() as isize, -1]);
        "permute" a.of::<D, K>().try_permute(core::array::from_fn::<isize, D, _>(|_| a.dim()));
        "movedim" a.of::<D, K>().try_movedim(a.dim(), a.dim());
        "movedim" a.of::<D, K>().try_movedim([a.dim(), a.dim()], &a.dims()[..]);
        "swap_dims" a.of::<D, K>().try_swap_dims(a.dim(), a.dim());
        "transpose" a.of::<D, K>().try_transpose();
        "pixel_shuffle" module::try_pixel_shuffle(a.of::<D, K>(), a.small());
        "pixel_unshuffle" module::try_pixel_unshuffle(a.of::<D, K>(), a.small());
        "channel_shuffle" module::try_channel_shuffle(a.of::<D, K>(), a.small());
        "flip" a.of::<D, K>().try_flip([a.dim(), a.dim()]);
        "repeat_dim" a.of::<D, K>().try_repeat_dim(a.dim(), a.size());
        "repeat" a.of::<D, K>().try_repeat(&[a.small(), a.small()]);
        "tile" a.of::<D, K>().try_tile(&[a.small(), a.small()]);
        "repeat_interleave" a.of::<D, K>().try_repeat_interleave(a.size(), a.dim());
        "roll" a.of::<D, K>().try_roll(&a.dims(), &a.dims());
        "roll_dim" a.of::<D, K>().try_roll_dim(a.dim(), a.dim());
        "slice" a.of::<D, K>().try_slice(a.items());
        "slice" a.of::<D, K>().try_slice([a.item()]);
        "slice_dim" a.of::<D, K>().try_slice_dim(a.dim(), a.item());
        "slice_assign" a.of::<D, K>().try_slice_assign(a.items(), a.of());
        "slice_fill" a.of::<D, K>().try_slice_fill(a.items(), a.scalar());
        "narrow" a.of::<D, K>().try_narrow(a.dim(), a.size(), a.size());
    }
}
