//! The small models in candle.

use super::kernels::{below, normal, timed};
use super::training::{parameters, steps};
use candle_core::{Result, Tensor};
use candle_nn::loss::cross_entropy;
use candle_nn::rnn::{LSTMConfig, RNN, lstm};
use candle_nn::{Conv2d, Dropout, Linear, Module, VarBuilder, conv2d, linear};

pub(super) fn mlp_step() -> Result<Box<dyn FnMut()>> {
    let (map, builder) = parameters();
    let sizes = [(784, 512), (512, 512), (512, 10)];
    let layers =
        sizes.iter().enumerate().map(|(at, &(inputs, outputs))| linear(inputs, outputs, builder.pp(at)));
    let layers = layers.collect::<Result<Vec<_>>>()?;
    let (x, targets) = (normal(&[64, 784]), below(10.0, &[64]));
    steps(&map, move || {
        let x = layers[1].forward(&layers[0].forward(&x)?.relu()?)?.relu()?;
        cross_entropy(&layers[2].forward(&x)?, &targets)
    })
}

/// The network of the book's guide.
struct Guide {
    conv1: Conv2d,
    conv2: Conv2d,
    dropout: Dropout,
    linear1: Linear,
    linear2: Linear,
    train: bool,
}

impl Guide {
    fn new(builder: &VarBuilder<'_>, train: bool) -> Result<Self> {
        Ok(Guide {
            conv1: conv2d(1, 8, 3, Default::default(), builder.pp("conv1"))?,
            conv2: conv2d(8, 16, 3, Default::default(), builder.pp("conv2"))?,
            dropout: Dropout::new(0.5),
            linear1: linear(1024, 512, builder.pp("linear1"))?,
            linear2: linear(512, 10, builder.pp("linear2"))?,
            train,
        })
    }

    fn forward(&self, images: &Tensor) -> Result<Tensor> {
        let dropout = |x: Tensor| self.dropout.forward(&x, self.train);
        let x = dropout(self.conv1.forward(&images.unsqueeze(1)?)?)?;
        let x = dropout(self.conv2.forward(&x)?)?.relu()?;
        // From 24 x 24 to 8 x 8.
        let x = x.avg_pool2d(3)?.flatten_from(1)?;
        self.linear2.forward(&dropout(self.linear1.forward(&x)?)?.relu()?)
    }
}

pub(super) fn guide_step() -> Result<Box<dyn FnMut()>> {
    let (map, builder) = parameters();
    let model = Guide::new(&builder, true)?;
    steps(&map, move || cross_entropy(&model.forward(&normal(&[64, 28, 28]))?, &below(10.0, &[64])))
}

pub(super) fn guide_inference() -> Result<Box<dyn FnMut()>> {
    let (model, images) = (Guide::new(&parameters().1, false)?, normal(&[64, 28, 28]));
    Ok(timed(move || model.forward(&images)))
}

/// Forward and backward, the gradients by all parameters.
pub(super) fn lstm_step() -> Result<Box<dyn FnMut()>> {
    let (_, builder) = parameters();
    let (model, x) = (lstm(128, 256, LSTMConfig::default(), builder)?, normal(&[32, 64, 128]));
    Ok(timed(move || model.states_to_tensor(&model.seq(&x)?)?.sum_all()?.backward()))
}
