//! Calls that operators often make together: tensors of one rank, of another element type, squeezed
//! reductions.

use super::Builder;
use crate::error::{Outcome, fail};
use crate::value::{Expr, OnnxValue, Tensor};
use burn_ir::DType;

impl Builder {
    /// Aligns the ranks of two tensors: the smaller gets dimensions of size 1 in front.
    ///
    /// # Errors
    /// When the backend fails.
    pub fn aligned(&mut self, x: &Tensor, y: &Tensor) -> Outcome<(Tensor, Tensor)> {
        let rank = x.held_dims().len().max(y.held_dims().len());
        Ok((self.widened(x, rank)?, self.widened(y, rank)?))
    }

    /// Prepends dimensions of size 1, up to a rank.
    ///
    /// # Errors
    /// When the backend fails.
    pub fn widened(&mut self, x: &Tensor, rank: usize) -> Outcome<Tensor> {
        let missing = rank.saturating_sub(x.held_dims().len());
        if missing == 0 {
            return Ok(x.clone());
        }
        let front: Vec<usize> = (0..missing).collect();
        self.unsqueeze_dims(x, &front)
    }

    /// Converts the tensor to another element type, of any kind.
    ///
    /// # Errors
    /// When the device has no such elements.
    pub fn convert(&mut self, x: &Tensor, dtype: DType) -> Outcome<Tensor> {
        let (from, to) = (kind(x.dtype()), kind(dtype));
        if x.dtype() == dtype {
            return Ok(x.clone());
        }
        match (from, to) {
            (Kind::Float, Kind::Float) | (Kind::Int, Kind::Int) => self.cast(x, dtype),
            (Kind::Float, Kind::Int) => self.float_to_int(x, dtype),
            (Kind::Bool, Kind::Int) => self.bool_to_int(x, dtype),
            (Kind::Int, Kind::Float) => self.int_to_float(x, dtype),
            (Kind::Bool, Kind::Float) => self.bool_to_float(x, dtype),
            (_, Kind::Bool) => self.to_bool(x),
        }
    }

    /// Removes dimensions of size 1, given in ascending order; without any left, the result is a scalar.
    ///
    /// # Errors
    /// When the backend fails.
    pub fn squeezed(&mut self, x: &Tensor, axes: &[usize]) -> Outcome<Tensor> {
        if axes.is_empty() {
            return Ok(x.clone());
        }
        if axes.len() < x.held_dims().len() {
            return self.squeeze_dims(x, axes);
        }
        let one = if axes.len() == 1 { x.clone() } else { self.squeeze_dims(x, &axes[1..])? };
        Ok(one.as_scalar(true))
    }

    /// Reshapes to the dimensions that ONNX counts: none makes it a scalar.
    ///
    /// # Errors
    /// When the elements do not fill them.
    pub fn reshaped(&mut self, x: &Tensor, dims: &[Expr]) -> Outcome<Tensor> {
        if x.dims() == dims {
            return Ok(x.clone());
        }
        if dims.is_empty() {
            return Ok(self.reshape(x, &[Expr::Int(1)])?.as_scalar(true));
        }
        self.reshape(x, dims)
    }

    /// Permutes the dimensions.
    ///
    /// # Errors
    /// When the backend fails.
    pub fn permuted(&mut self, x: &Tensor, axes: &[usize]) -> Outcome<Tensor> {
        if axes.iter().copied().eq(0..axes.len()) { Ok(x.clone()) } else { self.permute(x, axes) }
    }

    /// Converts the values to tensors.
    ///
    /// # Errors
    /// When the value is none that a device holds.
    pub fn all_tensors(&mut self, values: &[Option<OnnxValue>]) -> Outcome<Vec<Tensor>> {
        values
            .iter()
            .map(|value| match value {
                Some(value) => self.tensor(value),
                None => fail!("an input is missing"),
            })
            .collect()
    }
}

enum Kind {
    Float,
    Int,
    Bool,
}

fn kind(dtype: DType) -> Kind {
    if dtype.is_float() {
        Kind::Float
    } else if dtype.is_int() {
        Kind::Int
    } else {
        Kind::Bool
    }
}
