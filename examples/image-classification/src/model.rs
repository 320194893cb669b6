use burn::module::{Module, Param};
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::{BatchNorm, BatchNormConfig, Linear, LinearConfig, PaddingConfig2d};
use burn::tensor::{Backend, Tensor};

/// Stages of blocks: their number, the kernel size, the stride of the first, the factor of the expansion, and
/// the channels after them.
const STAGES: [(usize, usize, usize, usize, usize); 7] = [
    (1, 3, 1, 1, 16),
    (2, 3, 2, 6, 24),
    (2, 5, 2, 6, 40),
    (3, 3, 2, 6, 80),
    (3, 5, 1, 6, 112),
    (4, 5, 2, 6, 192),
    (1, 3, 1, 6, 320),
];

/// EfficientNet-Lite0: EfficientNet (Tan and Le 2019) without squeeze-and-excitation, and with ReLU6.
#[derive(Module, Debug)]
pub struct EfficientNetLite0<B: Backend> {
    stem: ConvNorm<B>,
    blocks: Vec<Block<B>>,
    head: ConvNorm<B>,
    classifier: Linear<B>,
}

impl<B: Backend> EfficientNetLite0<B> {
    /// Returns the network for 1,000 classes, on `device`.
    pub fn new(device: &B::Device) -> Self {
        let (mut blocks, mut channels) = (Vec::new(), 32);
        for (count, kernel, stride, expansion, out) in STAGES {
            for index in 0..count {
                let stride = if index == 0 { stride } else { 1 };
                blocks.push(Block::new([channels, out], kernel, stride, expansion, device));
                channels = out;
            }
        }
        EfficientNetLite0 {
            stem: ConvNorm::new([3, 32], 3, 2, 1, device),
            blocks,
            head: ConvNorm::new([channels, 1280], 1, 1, 1, device),
            classifier: LinearConfig::new(1280, 1000).init(device),
        }
    }

    /// Folds each batch norm, with the statistics of its training, into the convolution before it: inference
    /// takes less time, and the network can no longer be trained.
    pub fn fold_batch_norm(self) -> Self {
        let EfficientNetLite0 { stem, blocks, head, classifier } = self;
        let blocks = blocks.into_iter().map(Block::fold_batch_norm).collect();
        EfficientNetLite0 { stem: stem.fold_batch_norm(), blocks, head: head.fold_batch_norm(), classifier }
    }

    /// Computes the logits, `[batch, 1000]`, of images, `[batch, 3, 224, 224]`, with values from -1 to 1.
    pub fn forward(&self, images: Tensor<B, 4>) -> Tensor<B, 2> {
        let x = relu6(self.stem.forward(images));
        let x = self.blocks.iter().fold(x, |x, block| block.forward(x));
        let x = relu6(self.head.forward(x));
        self.classifier.forward(x.mean_dim(3).mean_dim(2).flatten(1, 3))
    }
}

/// Inverted residual block (Sandler et al. 2018).
#[derive(Module, Debug)]
struct Block<B: Backend> {
    expand: Option<ConvNorm<B>>,
    depthwise: ConvNorm<B>,
    project: ConvNorm<B>,
    is_residual: bool,
}

impl<B: Backend> Block<B> {
    fn new(channels: [usize; 2], kernel: usize, stride: usize, expansion: usize, device: &B::Device) -> Self {
        let [input, output] = channels;
        let hidden = expansion * input;
        Block {
            expand: (expansion > 1).then(|| ConvNorm::new([input, hidden], 1, 1, 1, device)),
            depthwise: ConvNorm::new([hidden, hidden], kernel, stride, hidden, device),
            project: ConvNorm::new([hidden, output], 1, 1, 1, device),
            is_residual: stride == 1 && input == output,
        }
    }

    fn fold_batch_norm(self) -> Self {
        let Block { expand, depthwise, project, is_residual } = self;
        Block {
            expand: expand.map(ConvNorm::fold_batch_norm),
            depthwise: depthwise.fold_batch_norm(),
            project: project.fold_batch_norm(),
            is_residual,
        }
    }

    fn forward(&self, input: Tensor<B, 4>) -> Tensor<B, 4> {
        let x = match &self.expand {
            Some(expand) => relu6(expand.forward(input.clone())),
            None => input.clone(),
        };
        let x = self.project.forward(relu6(self.depthwise.forward(x)));
        if self.is_residual { x + input } else { x }
    }
}

/// Convolution without a bias and a batch norm, or with a bias instead of it.
#[derive(Module, Debug)]
struct ConvNorm<B: Backend> {
    conv: Conv2d<B>,
    norm: Option<BatchNorm<B>>,
}

impl<B: Backend> ConvNorm<B> {
    fn new(channels: [usize; 2], kernel: usize, stride: usize, groups: usize, device: &B::Device) -> Self {
        let conv = Conv2dConfig::new(channels, [kernel, kernel])
            .with_stride([stride, stride])
            .with_groups(groups)
            .with_padding(PaddingConfig2d::Same)
            .with_bias(false);
        let norm = BatchNormConfig::new(channels[1]).with_epsilon(1e-3);
        ConvNorm { conv: conv.init(device), norm: Some(norm.init(device)) }
    }

    /// `(conv(x) - mean) * scale + beta`, with the scale `gamma / sqrt(variance + epsilon)`, is a convolution
    /// whose kernels are scaled.
    fn fold_batch_norm(self) -> Self {
        let ConvNorm { mut conv, norm } = self;
        if let Some(norm) = norm {
            let scale = norm.gamma.val() / (norm.running_var.value() + norm.epsilon).sqrt();
            let bias = norm.beta.val() - norm.running_mean.value() * scale.clone();
            let kernels = [scale.dims()[0], 1, 1, 1];
            conv.weight = conv.weight.map(|weight| weight * scale.reshape(kernels));
            conv.bias = Some(Param::from_tensor(bias));
        }
        ConvNorm { conv, norm: None }
    }

    fn forward(&self, x: Tensor<B, 4>) -> Tensor<B, 4> {
        let x = self.conv.forward(x);
        match &self.norm {
            Some(norm) => norm.forward(x),
            None => x,
        }
    }
}

fn relu6<B: Backend>(x: Tensor<B, 4>) -> Tensor<B, 4> {
    x.clamp(0.0, 6.0)
}
