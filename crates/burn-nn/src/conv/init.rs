//! Parameters of convolution layers.

use crate::size_limits::check_weight;
use alloc::format;
use alloc::vec::Vec;
use burn_core::config::{ConfigError, FieldCheck};
use burn_core::module::{Initializer, Param};
use burn_core::tensor::{Backend, Shape, Tensor};

/// Refuses channels of size 0, and groups that do not divide them.
pub fn check_channels(
    check: FieldCheck,
    channels: [usize; 2],
    field: &str,
    groups: usize,
) -> Result<(), ConfigError> {
    check.all_at_least("channels", &channels, 1)?;
    let divides = groups > 0 && channels.iter().all(|count| count % groups == 0);
    check.ensure(divides, field, &groups, &format!("a divisor of the channels {channels:?}"))
}

/// Weight and bias of a convolution.
pub struct WeightAndBias<B: Backend, const D: usize> {
    pub weight: Param<Tensor<B, D>>,
    pub bias: Option<Param<Tensor<B, 1>>>,
}

impl<B: Backend, const D: usize> WeightAndBias<B, D> {
    /// Initializes a weight `[first, second, kernel_size..]`, and a bias of the size `bias` with the fans of
    /// the weight.
    ///
    /// # Errors
    /// The weight has more elements than can be addressed, or the initializer is wrong or not defined for it.
    pub fn try_new(
        check: FieldCheck,
        [first, second]: [usize; 2],
        kernel_size: &[usize],
        bias: Option<usize>,
        initializer: &Initializer,
        device: &B::Device,
    ) -> Result<Self, ConfigError> {
        let sizes: Vec<usize> = [first, second].into_iter().chain(kernel_size.iter().copied()).collect();
        let field = |index| if index < 2 { "channels" } else { "kernel_size" };
        let fields: Vec<_> = sizes.iter().enumerate().map(|(index, &size)| (field(index), size)).collect();
        check_weight(check, &fields, initializer)?;
        let kernel: usize = kernel_size.iter().product();
        let (fan_in, fan_out) = (second * kernel, first * kernel);
        let bias = bias.map(|size| initializer.init_with([size], Some(fan_in), Some(fan_out), device));
        Ok(WeightAndBias { weight: initializer.init(Shape::from(sizes), device), bias })
    }
}
