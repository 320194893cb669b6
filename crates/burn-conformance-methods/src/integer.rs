use super::calls::{Named, calls};
use crate::arguments::T;
use crate::finish::Finish;
use burn_tensor::{Bool, Int};

/// Lists methods of int and bool tensors.
pub fn calls<const D: usize>() -> &'static [Named] {
    calls! { a;
        "scatter" a.float::<D>().try_scatter(a.dim(), a.int(), a.float());
        "select_assign" a.float::<D>().try_select_assign(a.dim(), a.int(), a.float());
        "scatter" a.int::<D>().try_scatter(a.dim(), a.int(), a.int());
        "scatter" a.bool::<D>().try_scatter(a.dim(), a.int(), a.bool());
        "select_assign" a.int::<D>().try_select_assign(a.dim(), a.int(), a.int());
        "select_assign" a.bool::<D>().try_select_assign(a.dim(), a.int(), a.bool());
        "matmul" a.int::<D>().try_matmul(a.int());
        "powi" a.int::<D>().try_powi(a.int());
        "bitwise_and" a.int::<D>().try_bitwise_and(a.int());
        "bitwise_and_scalar" a.int::<D>().try_bitwise_and_scalar(a.scalar());
        "bitwise_or" a.int::<D>().try_bitwise_or(a.int());
        "bitwise_or_scalar" a.int::<D>().try_bitwise_or_scalar(a.scalar());
        "bitwise_xor" a.int::<D>().try_bitwise_xor(a.int());
        "bitwise_xor_scalar" a.int::<D>().try_bitwise_xor_scalar(a.scalar());
        "bitwise_left_shift" a.int::<D>().try_bitwise_left_shift(a.int());
        "bitwise_left_shift_scalar" a.int::<D>().try_bitwise_left_shift_scalar(a.scalar());
        "bitwise_right_shift" a.int::<D>().try_bitwise_right_shift(a.int());
        "bitwise_right_shift_scalar" a.int::<D>().try_bitwise_right_shift_scalar(a.scalar());
        "one_hot" a.int::<D>().try_one_hot::<2>(a.size());
        "one_hot" a.int::<D>().try_one_hot::<3>(a.small());
        "int_random" T::<D, Int>::try_int_random(a.shape::<D>(), a.distribution(), a.device);
        "from_ints" T::<D, Int>::try_from_ints([[1], [2]], a.device);
        "from_bool" T::<D, Bool>::try_from_bool([[true], [false]], a.device);
        "zeros" T::<D, Bool>::try_zeros(a.shape::<D>(), a.device);
        "ones" T::<D, Bool>::try_ones(a.shape::<D>(), a.device);
        "cartesian_grid" T::<D, Int>::try_cartesian_grid(a.shape::<2>(), a.device);
        "into_scalar" a.int::<D>().try_into_scalar();
        "bool_and" a.bool::<D>().try_bool_and(a.bool());
        "bool_or" a.bool::<D>().try_bool_or(a.bool());
        "bool_xor" a.bool::<D>().try_bool_xor(a.bool());
        "argwhere" a.bool::<D>().try_argwhere();
        "nonzero" a.bool::<D>().try_nonzero();
        "tril_mask" T::<D, Bool>::try_tril_mask(a.shape::<D>(), a.offset(), a.device);
        "triu_mask" T::<D, Bool>::try_triu_mask(a.shape::<D>(), a.offset(), a.device);
        "diag_mask" T::<D, Bool>::try_diag_mask(a.shape::<D>(), a.offset(), a.device);
        "into_scalar" a.bool::<D>().try_into_scalar();
    }
}
