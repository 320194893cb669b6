//! Parameters of convolution layers.

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
    /// Initializes a weight `[first, second, kernel_size..]`, and a bias of the size `bias` with the fans of the weight.
    pub fn new(
        [first, second]: [usize; 2],
        kernel_size: &[usize],
        bias: Option<usize>,
        initializer: &Initializer,
        device: &B::Device,
    ) -> Self {
        let kernel = kernel_size.iter().fold(1usize, |count, &size| count.saturating_mul(size));
        let (fan_in, fan_out) = (second.saturating_mul(kernel), first.saturating_mul(kernel));
        let sizes: Vec<usize> = [first, second].into_iter().chain(kernel_size.iter().copied()).collect();
        let bias = bias.map(|size| initializer.init_with([size], Some(fan_in), Some(fan_out), device));
        WeightAndBias { weight: initializer.init(Shape::from(sizes), device), bias }
    }
}
