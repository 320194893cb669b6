//! Linear algebra: products, norms, factorisations, systems of equations.
//!
//! Matrices are the last two dimensions; the dimensions before them are a batch. Everything differentiable
//! has gradients of any order. Whether a matrix has an inverse, or a Cholesky factor, only its values say:
//! functions that promise one read from the device whether it is so, and their forms `_unchecked` do not read
//! and give NaN for the matrices that have none.

mod diagonal;
mod factor;
mod failure;
mod function;
mod norm;
mod product;
mod size;
mod system;
mod vector;
mod vector_norm;

pub use diagonal::{det, diag, slogdet, trace, try_det, try_diag, try_slogdet, try_trace};
pub use factor::{
    cholesky, cholesky_unchecked, eigh, eigvalsh, lu, lu_decomposition, lu_factor, matrix_rank, qr,
    qr_complete, svd, svdvals, try_cholesky, try_cholesky_unchecked, try_eigh, try_eigvalsh, try_lu,
    try_lu_decomposition, try_lu_factor, try_matrix_rank, try_qr, try_qr_complete, try_svd, try_svdvals,
};
pub use function::{matrix_exp, matrix_power, try_matrix_exp, try_matrix_power};
pub(crate) use norm::root;
pub use norm::{MatrixNorm, Norm, matrix_norm, norm, norm_dims, try_matrix_norm, try_norm, try_norm_dims};
pub use system::{
    inverse, inverse_unchecked, lstsq, pinv, solve, solve_triangular, solve_unchecked, try_inverse,
    try_inverse_unchecked, try_lstsq, try_pinv, try_solve, try_solve_triangular, try_solve_unchecked,
};
pub use vector::{
    cosine_similarity, matvec, outer, outer_dim, try_cosine_similarity, try_matvec, try_outer, try_outer_dim,
    try_vector_normalize, vector_normalize,
};
pub use vector_norm::{
    l0_norm, l1_norm, l2_norm, lp_norm, max_abs_norm, min_abs_norm, try_l0_norm, try_l1_norm, try_l2_norm,
    try_lp_norm, try_max_abs_norm, try_min_abs_norm, try_vector_norm, vector_norm,
};
