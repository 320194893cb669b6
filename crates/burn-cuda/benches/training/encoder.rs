//! A transformer's encoder (Vaswani et al. 2017).

use burn_core::module::Module;
use burn_nn::loss::{MseLoss, Reduction};
use burn_nn::{LayerNorm, LayerNormConfig, Linear, LinearConfig, Relu};
use burn_tensor::module::{AttentionOptions, attention};
use burn_tensor::{AutodiffBackend, Backend, Distribution, Tensor};

pub const BATCH: usize = 32;
pub const LENGTH: usize = 512;
pub const WIDTH: usize = 1024;
pub const HEADS: usize = 16;
pub const HIDDEN: usize = 4096;
pub const LAYERS: usize = 12;

/// A layer as `torch.nn.TransformerEncoderLayer` is, without dropout.
#[derive(Module, Debug)]
struct Layer<B: Backend> {
    /// Queries, keys and values beside each other.
    project: Linear<B>,
    attended: Linear<B>,
    norm_attended: LayerNorm<B>,
    hidden: Linear<B>,
    activation: Relu,
    out: Linear<B>,
    norm_out: LayerNorm<B>,
}

impl<B: Backend> Layer<B> {
    fn new(device: &B::Device) -> Self {
        Layer {
            project: LinearConfig::new(WIDTH, 3 * WIDTH).init(device),
            attended: LinearConfig::new(WIDTH, WIDTH).init(device),
            norm_attended: LayerNormConfig::new(WIDTH).init(device),
            hidden: LinearConfig::new(WIDTH, HIDDEN).init(device),
            activation: Relu::new(),
            out: LinearConfig::new(HIDDEN, WIDTH).init(device),
            norm_out: LayerNormConfig::new(WIDTH).init(device),
        }
    }

    fn forward(&self, x: Tensor<B, 3>) -> Tensor<B, 3> {
        let x = self.norm_attended.forward(x.clone() + self.attend(x));
        let hidden = self.activation.forward(self.hidden.forward(x.clone()));
        self.norm_out.forward(x + self.out.forward(hidden))
    }

    fn attend(&self, x: Tensor<B, 3>) -> Tensor<B, 3> {
        let [batch, length, _] = x.dims();
        let parts = self.project.forward(x).chunk(3, 2).into_iter();
        let mut heads = parts.map(|part| part.reshape([batch, length, HEADS, WIDTH / HEADS]).swap_dims(1, 2));
        let [query, key, value] = [0, 1, 2].map(|_| heads.next().expect("three parts"));
        let attended = attention(query, key, value, None, AttentionOptions::default());
        self.attended.forward(attended.swap_dims(1, 2).reshape([batch, length, WIDTH]))
    }
}

#[derive(Module, Debug)]
struct Encoder<B: Backend> {
    layers: Vec<Layer<B>>,
}

/// Steps toward random targets.
pub fn steps<B: AutodiffBackend>() -> impl Fn() {
    let device = B::Device::default();
    let normal = || Tensor::<B, 3>::random([BATCH, LENGTH, WIDTH], Distribution::Normal(0.0, 1.0), &device);
    let (x, targets) = (normal(), normal());
    let model = Encoder { layers: (0..LAYERS).map(|_| Layer::new(&device)).collect() };
    super::steps(model, move |model: &Encoder<B>| {
        let y = model.layers.iter().fold(x.clone(), |x, layer| layer.forward(x));
        MseLoss::new().forward(y, targets.clone(), Reduction::Mean)
    })
}
