//! Functions of each element that are made of others.

use crate::check::check_binary;
use crate::{Tensor, TensorError};
use burn_backend::{Backend, BinaryOp, DType, TensorSpec, bf16, f16};
use burn_derive::fallible;
use core::f64::consts::{LN_2, LN_10, PI};

#[fallible]
/// # Elementwise functions: exponentials, powers, trigonometry, of Float tensors
impl<B: Backend, const D: usize> Tensor<B, D> {
    /// Computes `1 / sqrt(x)`. PyTorch: `torch.rsqrt`.
    pub fn try_rsqrt(self) -> Result<Self, TensorError> {
        Ok(self.sqrt().recip())
    }

    /// Computes the logarithm to the base 2. PyTorch: `torch.log2`.
    pub fn try_log2(self) -> Result<Self, TensorError> {
        Ok(self.log() / LN_2)
    }

    /// Computes the logarithm to the base 10. PyTorch: `torch.log10`.
    pub fn try_log10(self) -> Result<Self, TensorError> {
        Ok(self.log() / LN_10)
    }

    /// Computes `2^x`, exact for whole `x`. PyTorch: `torch.exp2`.
    pub fn try_exp2(self) -> Result<Self, TensorError> {
        let two = self.full_like(2);
        Ok(Self::from_handle(B::binary(BinaryOp::Pow, two.into_handle(), self.into_handle())))
    }

    /// Degrees as radians, `x * pi / 180`. PyTorch: `torch.deg2rad`.
    pub fn try_deg2rad(self) -> Result<Self, TensorError> {
        Ok(self * (PI / 180.0))
    }

    /// Radians as degrees, `x * 180 / pi`. PyTorch: `torch.rad2deg`.
    pub fn try_rad2deg(self) -> Result<Self, TensorError> {
        Ok(self * (180.0 / PI))
    }

    /// Computes the fractional part `x - trunc(x)`, with the sign of `x`. PyTorch: `torch.frac`.
    pub fn try_frac(self) -> Result<Self, TensorError> {
        Ok(self.clone() - self.trunc())
    }

    /// Computes `sin(pi x) / (pi x)`, and 1 at 0. PyTorch: `torch.sinc`.
    pub fn try_sinc(self) -> Result<Self, TensorError> {
        let x = self * PI;
        let zero = x.clone().equal_elem(0);
        // The gradient of what is replaced is 0 times a finite number.
        let x = x.mask_fill(zero.clone(), 1);
        Ok((x.clone().sin() / x).mask_fill(zero, 1))
    }

    /// Computes `log(x / (1 - x))`, the inverse of the sigmoid, with `x` between `eps` and `1 - eps` if that
    /// is given. PyTorch: `torch.logit`.
    pub fn try_logit(self, eps: Option<f64>) -> Result<Self, TensorError> {
        let x = match eps {
            Some(eps) => self.clamp(eps, 1.0 - eps),
            None => self,
        };
        Ok((x.clone() / (-x + 1)).log())
    }

    /// Replaces NaN by `nan`, and infinities by `positive` and `negative`; the defaults of these are the
    /// largest and the smallest number of the dtype. PyTorch: `torch.nan_to_num`.
    pub fn try_nan_to_num(
        self,
        nan: f64,
        positive: Option<f64>,
        negative: Option<f64>,
    ) -> Result<Self, TensorError> {
        let largest = match self.dtype() {
            DType::F32 => f64::from(f32::MAX),
            DType::F16 => f16::MAX.to_f64(),
            DType::BF16 => bf16::MAX.to_f64(),
            _ => f64::MAX,
        };
        let (high, low) =
            (self.clone().equal_elem(f64::INFINITY), self.clone().equal_elem(f64::NEG_INFINITY));
        let x = self.clone().mask_fill(self.is_nan(), nan);
        Ok(x.mask_fill(high, positive.unwrap_or(largest)).mask_fill(low, negative.unwrap_or(-largest)))
    }

    /// Computes `log(e^x + e^y)` without overflow on the way; shapes broadcast. PyTorch: `torch.logaddexp`.
    ///
    /// # Errors
    /// When the shapes do not broadcast.
    pub fn try_log_add_exp(self, other: Self) -> Result<Self, TensorError> {
        // Equal infinities have no difference.
        let equal = self.clone().try_equal(other.clone())?;
        let difference = self.clone().try_sub(other.clone())?.mask_fill(equal, 0);
        Ok(self.max_pair(other) + (-difference.abs()).exp().log1p())
    }

    /// Interpolates linearly, `x + weight * (end - x)`: `x` at 0, `end` at 1; shapes broadcast. PyTorch:
    /// `torch.lerp`.
    ///
    /// ```
    /// use burn::tensor::{Tensor, backend::Backend};
    /// fn averaged<B: Backend>(average: Tensor<B, 2>, weights: Tensor<B, 2>) -> Tensor<B, 2> {
    ///     average.lerp(weights, 0.01)
    /// }
    /// ```
    ///
    /// # Errors
    /// When the shapes do not broadcast.
    pub fn try_lerp(self, end: Self, weight: f64) -> Result<Self, TensorError> {
        same_places(&self, &end)?;
        let dtype = self.dtype().promote(end.dtype());
        let (start, end) = (self.widened(), end.widened());
        let way = end.clone().try_sub(start.clone())?;
        // From the nearer end, so that both ends are exact.
        let point =
            if weight < 0.5 { start.try_add(way * weight) } else { end.try_sub(way * (1.0 - weight)) };
        Ok(point?.rounded(dtype))
    }

    /// [`Tensor::lerp`] with a weight for each element. PyTorch: `torch.lerp`.
    ///
    /// # Errors
    /// When the shapes do not broadcast.
    pub fn try_lerp_tensor(self, end: Self, weight: Self) -> Result<Self, TensorError> {
        same_places(&self, &end)?;
        let dtype = self.dtype().promote(end.dtype()).promote(weight.dtype());
        let (start, end, weight) = (self.widened(), end.widened(), weight.widened());
        let way = end.try_sub(start.clone())?;
        Ok(start.try_add(way.try_mul(weight)?)?.rounded(dtype))
    }
}

/// Checks that the shapes broadcast, with an error that names `start` first.
fn same_places<B: Backend, const D: usize>(
    start: &Tensor<B, D>,
    end: &Tensor<B, D>,
) -> Result<(), TensorError> {
    let end = TensorSpec { shape: end.shape(), dtype: start.dtype() };
    check_binary(BinaryOp::Sub, start.spec(), &end)
}
