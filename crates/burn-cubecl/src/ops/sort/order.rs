use super::fetch::fetched;
use super::key::Keyed;
use super::radix::sorted;
use super::tile::{LARGEST, first_of_tiles};
use crate::launch::tensor::CubeTensor;
use burn_backend::*;

/// How many are chosen tile by tile at most, so that lines become much shorter each time.
const FEW: usize = LARGEST / 8;

pub fn sort_with_indices(
    x: &CubeTensor,
    dim: usize,
    descending: bool,
    index: DType,
) -> (CubeTensor, CubeTensor) {
    first(x, x.spec().shape[dim], dim, descending, index)
}

pub fn topk(x: &CubeTensor, k: usize, dim: usize, largest: bool, index: DType) -> (CubeTensor, CubeTensor) {
    first(x, k, dim, largest, index)
}

/// The first `k` along `dim` in order, the earlier one first among equals; and their indices.
fn first(x: &CubeTensor, k: usize, dim: usize, descending: bool, index: DType) -> (CubeTensor, CubeTensor) {
    let shape = x.shape().with(dim, k);
    if shape.num_elements() == 0 {
        let empty = |dtype| CubeTensor::empty(TensorSpec::new(shape.clone(), dtype), x.engine());
        return (empty(x.dtype()), empty(index));
    }
    let mut lines = Keyed::new(x, dim, descending);
    if lines.terms > LARGEST && k > FEW {
        lines = sorted(lines);
    } else {
        while lines.terms > LARGEST {
            lines = first_of_tiles(&lines, k);
        }
        lines = first_of_tiles(&lines, k);
    }
    fetched(x, dim, &lines, k, index)
}
