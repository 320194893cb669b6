use super::calls::{Named, calls};
use crate::finish::Finish;
use burn_tensor::linalg;

/// Calls of linear algebra; `E` is one less than `D`, or not.
pub fn calls<const D: usize, const E: usize>() -> &'static [Named] {
    calls! { a;
        "cholesky" linalg::try_cholesky(a.float::<D>());
        "cholesky_unchecked" linalg::try_cholesky_unchecked(a.float::<D>());
        "qr" linalg::try_qr(a.float::<D>());
        "qr_complete" linalg::try_qr_complete(a.float::<D>());
        "svd" linalg::try_svd::<_, D, E>(a.float());
        "svdvals" linalg::try_svdvals::<_, D, E>(a.float());
        "eigh" linalg::try_eigh::<_, D, E>(a.float());
        "eigvalsh" linalg::try_eigvalsh::<_, D, E>(a.float());
        "lu" linalg::try_lu(a.float::<D>());
        "lu_decomposition" linalg::try_lu_decomposition(a.float());
        "lu_factor" linalg::try_lu_factor::<_, D, E>(a.float());
        "matrix_rank" linalg::try_matrix_rank::<_, D, E>(a.float(), Some(0.1));
        "inverse" linalg::try_inverse(a.float::<D>());
        "inverse_unchecked" linalg::try_inverse_unchecked(a.float::<D>());
        "lstsq" linalg::try_lstsq(a.float::<D>(), a.float());
        "pinv" linalg::try_pinv(a.float::<D>(), None);
        "solve" linalg::try_solve(a.float::<D>(), a.float());
        "solve_unchecked" linalg::try_solve_unchecked(a.float::<D>(), a.float());
        "solve_triangular" linalg::try_solve_triangular(a.float::<D>(), a.float(), a.flag(), a.flag());
        "det" linalg::try_det::<_, D, E>(a.float());
        "slogdet" linalg::try_slogdet::<_, D, E>(a.float());
        "diag" linalg::try_diag::<_, D, E, _>(a.float());
        "diag" linalg::try_diag::<_, D, E, _>(a.bool());
        "trace" linalg::try_trace::<_, D, E, _>(a.float());
        "trace" linalg::try_trace::<_, D, E, _>(a.int());
        "outer" linalg::try_outer::<_, D, E, _>(a.float(), a.float());
        "outer" linalg::try_outer::<_, D, E, _>(a.int(), a.int());
        "outer_dim" linalg::try_outer_dim::<_, D, E, _>(a.float(), a.float(), a.dim());
        "outer_dim" linalg::try_outer_dim::<_, E, D, _>(a.int(), a.int(), a.dim());
        "matvec" linalg::try_matvec::<_, D, E, _>(a.float(), a.float());
        "cosine_similarity" linalg::try_cosine_similarity(a.float::<D>(), a.float(), a.dim(), None);
        "vector_normalize" linalg::try_vector_normalize(a.float::<D>(), a.norm(), a.dim(), 1e-3);
        "norm" linalg::try_norm(a.float::<D>(), a.norm(), a.dim());
        "vector_norm" linalg::try_vector_norm(a.float::<D>(), a.norm(), a.dim());
        "l0_norm" linalg::try_l0_norm(a.int::<D>(), a.dim());
        "l1_norm" linalg::try_l1_norm(a.int::<D>(), a.dim());
        "l2_norm" linalg::try_l2_norm(a.float::<D>(), a.dim());
        "lp_norm" linalg::try_lp_norm(a.float::<D>(), a.fraction(), a.dim());
        "max_abs_norm" linalg::try_max_abs_norm(a.float::<D>(), a.dim());
        "min_abs_norm" linalg::try_min_abs_norm(a.int::<D>(), a.dim());
        "cov" a.float::<D>().try_cov(a.dim(), a.small());
        "norm_dims" linalg::try_norm_dims(a.float::<D>(), a.norm(), &a.dims());
        "matrix_norm" linalg::try_matrix_norm(a.float::<D>(), a.matrix_norm());
        "matrix_exp" linalg::try_matrix_exp(a.float::<D>());
        "matrix_power" linalg::try_matrix_power(a.float::<D>(), a.random.below(9) as i32 - 4);
    }
}
