//! ResNet-18 in candle.

use super::kernels::{normal, timed};
use super::training::parameters;
use candle_core::{D, Result, Tensor};
use candle_nn::{
    BatchNorm, Conv2d, Conv2dConfig, Linear, Module, ModuleT, VarBuilder, batch_norm, conv2d_no_bias, linear,
};

struct Normed {
    conv: Conv2d,
    norm: BatchNorm,
}

impl Normed {
    fn new(
        [inputs, outputs]: [usize; 2],
        kernel: usize,
        stride: usize,
        builder: &VarBuilder<'_>,
    ) -> Result<Self> {
        let config = Conv2dConfig { padding: kernel / 2, stride, ..Default::default() };
        let conv = conv2d_no_bias(inputs, outputs, kernel, config, builder.pp("conv"))?;
        Ok(Normed { conv, norm: batch_norm(outputs, 1e-5, builder.pp("norm"))? })
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.norm.forward_t(&self.conv.forward(x)?, false)
    }
}

struct Block {
    first: Normed,
    second: Normed,
    around: Option<Normed>,
}

impl Block {
    fn new([inputs, outputs]: [usize; 2], stride: usize, builder: &VarBuilder<'_>) -> Result<Self> {
        let changes = stride != 1 || inputs != outputs;
        let around = changes.then(|| Normed::new([inputs, outputs], 1, stride, &builder.pp("around")));
        Ok(Block {
            first: Normed::new([inputs, outputs], 3, stride, &builder.pp("first"))?,
            second: Normed::new([outputs, outputs], 3, 1, &builder.pp("second"))?,
            around: around.transpose()?,
        })
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let y = self.second.forward(&self.first.forward(x)?.relu()?)?;
        match &self.around {
            Some(around) => (y + around.forward(x)?)?.relu(),
            None => (y + x)?.relu(),
        }
    }
}

struct ResNet {
    stem: Normed,
    blocks: Vec<Block>,
    out: Linear,
}

impl ResNet {
    fn new(builder: &VarBuilder<'_>) -> Result<Self> {
        let mut blocks = Vec::new();
        for (channels, stride) in [([64, 64], 1), ([64, 128], 2), ([128, 256], 2), ([256, 512], 2)] {
            blocks.push(Block::new(channels, stride, &builder.pp(blocks.len()))?);
            blocks.push(Block::new([channels[1]; 2], 1, &builder.pp(blocks.len()))?);
        }
        let stem = Normed::new([3, 64], 7, 2, &builder.pp("stem"))?;
        Ok(ResNet { stem, blocks, out: linear(512, 1000, builder.pp("out"))? })
    }

    fn forward(&self, images: &Tensor) -> Result<Tensor> {
        let x = self.stem.forward(images)?.relu()?;
        // Candle's pools have no padding; after a relu zeros are as good as minus infinity.
        let x = x.pad_with_zeros(D::Minus1, 1, 1)?.pad_with_zeros(D::Minus2, 1, 1)?;
        let x = x.max_pool2d_with_stride(3, 2)?;
        let x = self.blocks.iter().try_fold(x, |x, block| block.forward(&x))?;
        self.out.forward(&x.mean((2, 3))?)
    }
}

pub(super) fn inference() -> Result<Box<dyn FnMut()>> {
    let (model, x) = (ResNet::new(&parameters().1)?, normal(&[1, 3, 224, 224]));
    Ok(timed(move || model.forward(&x)))
}
