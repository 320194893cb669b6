use crate::create::fits;
use crate::{Tensor, TensorError, TensorKind};
use burn_backend::{Backend, Shape};
use burn_derive::fallible;

/// Indexing of a grid: which of its first two dimensions belongs to the first line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MeshIndexing {
    /// Rows, as in matrices: `ij`.
    #[default]
    Matrix,
    /// Columns, as in pictures with `x` before `y`: `xy`.
    Cartesian,
}

/// Returns the coordinates of every point of the grid that `lines` span: `result[n][i, j, ..]` is the `n`-th
/// of `lines[0][i]`, `lines[1][j]`, ... PyTorch: `torch.meshgrid`.
///
/// ```
/// use burn::tensor::{MeshIndexing, Tensor, backend::Backend, meshgrid};
/// fn distances<B: Backend>(x: Tensor<B, 1>, y: Tensor<B, 1>) -> Tensor<B, 2> {
///     let [x, y] = meshgrid(&[x, y], MeshIndexing::Cartesian);
///     x.hypot(y)
/// }
/// ```
///
/// # Errors
/// When the grid has more points than memory can hold.
#[fallible]
pub fn try_meshgrid<B: Backend, const N: usize, K: TensorKind>(
    lines: &[Tensor<B, 1, K>; N],
    indexing: MeshIndexing,
) -> Result<[Tensor<B, N, K>; N], TensorError> {
    let place = |line: usize| match (indexing, line) {
        (MeshIndexing::Cartesian, 0) if N > 1 => 1,
        (MeshIndexing::Cartesian, 1) => 0,
        (MeshIndexing::Cartesian | MeshIndexing::Matrix, line) => line,
    };
    let mut sizes = [1; N];
    for (line, tensor) in lines.iter().enumerate() {
        sizes[place(line)] = tensor.dims()[0];
    }
    let grid = Shape::from(sizes);
    for tensor in lines {
        fits("meshgrid", &grid, N, tensor.dtype())?;
    }
    Ok(core::array::from_fn(|line| {
        let mut along = [1; N];
        along[place(line)] = sizes[place(line)];
        lines[line].clone().reshape(along).expand(sizes)
    }))
}
