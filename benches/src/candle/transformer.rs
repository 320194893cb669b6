//! The transformer encoder in candle.

use super::kernels::{normal, timed};
use super::training::{parameters, steps};
use candle_core::{D, Result, Tensor};
use candle_nn::loss::mse;
use candle_nn::ops::{layer_norm, layer_norm_slow, softmax, softmax_last_dim};
use candle_nn::{Linear, Module, VarBuilder, linear};

const WIDTH: usize = 256;
const HEADS: usize = 8;

/// A norm of the last dimension. Candle's fast one has no gradient.
struct Norm {
    gamma: Tensor,
    beta: Tensor,
}

impl Norm {
    fn new(builder: &VarBuilder<'_>) -> Result<Self> {
        let one = candle_nn::Init::Const(1.0);
        Ok(Norm {
            gamma: builder.get_with_hints(WIDTH, "gamma", one)?,
            beta: builder.get_with_hints(WIDTH, "beta", candle_nn::Init::Const(0.0))?,
        })
    }

    fn forward(&self, x: &Tensor, train: bool) -> Result<Tensor> {
        let norm = if train { layer_norm_slow } else { layer_norm };
        norm(x, &self.gamma, &self.beta, 1e-5)
    }
}

struct Layer {
    project: Linear,
    attended: Linear,
    norm_attended: Norm,
    hidden: Linear,
    out: Linear,
    norm_out: Norm,
}

impl Layer {
    fn new(builder: &VarBuilder<'_>) -> Result<Self> {
        Ok(Layer {
            project: linear(WIDTH, 3 * WIDTH, builder.pp("project"))?,
            attended: linear(WIDTH, WIDTH, builder.pp("attended"))?,
            norm_attended: Norm::new(&builder.pp("norm_attended"))?,
            hidden: linear(WIDTH, 1024, builder.pp("hidden"))?,
            out: linear(1024, WIDTH, builder.pp("out"))?,
            norm_out: Norm::new(&builder.pp("norm_out"))?,
        })
    }

    fn forward(&self, x: &Tensor, train: bool) -> Result<Tensor> {
        let x = self.norm_attended.forward(&(x + self.attend(x, train)?)?, train)?;
        let hidden = self.hidden.forward(&x)?.relu()?;
        self.norm_out.forward(&(&x + self.out.forward(&hidden)?)?, train)
    }

    fn attend(&self, x: &Tensor, train: bool) -> Result<Tensor> {
        let (batch, length, _) = x.dims3()?;
        let projected = self.project.forward(x)?.reshape((batch, length, 3, HEADS, WIDTH / HEADS))?;
        let part = |at| projected.narrow(2, at, 1)?.squeeze(2)?.transpose(1, 2)?.contiguous();
        let (query, key, value) = (part(0)?, part(1)?, part(2)?);
        let scores = (query.matmul(&key.t()?)? / ((WIDTH / HEADS) as f64).sqrt())?;
        let weights = if train { softmax(&scores, D::Minus1)? } else { softmax_last_dim(&scores)? };
        self.attended.forward(&weights.matmul(&value)?.transpose(1, 2)?.reshape((batch, length, WIDTH))?)
    }
}

fn encoder(builder: &VarBuilder<'_>) -> Result<Vec<Layer>> {
    (0..4).map(|at| Layer::new(&builder.pp(at))).collect()
}

fn forward(layers: &[Layer], x: &Tensor, train: bool) -> Result<Tensor> {
    layers.iter().try_fold(x.clone(), |x, layer| layer.forward(&x, train))
}

pub(super) fn step() -> Result<Box<dyn FnMut()>> {
    let (map, builder) = parameters();
    let layers = encoder(&builder)?;
    let (x, targets) = (normal(&[8, 128, WIDTH]), normal(&[8, 128, WIDTH]));
    steps(&map, move || mse(&forward(&layers, &x, true)?, &targets))
}

pub(super) fn inference() -> Result<Box<dyn FnMut()>> {
    let (layers, x) = (encoder(&parameters().1)?, normal(&[1, 128, WIDTH]));
    Ok(timed(move || forward(&layers, &x, false)))
}
