use burn_core::config::Config;
use std::f64::consts::PI;

/// Options of rotary position encoding (RoPE; Su et al. 2021).
#[derive(Config, Debug, PartialEq)]
pub struct RopeConfig {
    /// Base of the rotation frequencies.
    #[config(default = 10_000.0)]
    pub theta: f64,
    /// Number of elements of a head that are rotated; by default all of them.
    #[config(default = "None")]
    pub dims: Option<usize>,
    /// Whether the elements `2i` and `2i + 1` are rotated together, as in GGUF files of Llama; with `false`
    /// it is the elements `i` and `i + dims / 2`.
    #[config(default = false)]
    pub interleaved: bool,
    /// Change of the frequencies for contexts longer than those of the training.
    #[config(default = "RopeScaling::None")]
    pub scaling: RopeScaling,
}

/// Change of the frequencies of rotary position encoding for contexts longer than those of the training.
///
/// With `f = theta^(-2i / dims)`, the unscaled frequency of pair `i`:
#[derive(Config, Debug, PartialEq)]
pub enum RopeScaling {
    /// `f`.
    None,
    /// `f / factor` (Chen et al. 2023, position interpolation).
    Linear { factor: f64 },
    /// The base grows by `factor^(dims / (dims - 2))`, at every position.
    Ntk { factor: f64 },
    /// As `Ntk`, at positions `p` from `original_context` on only, with
    /// `factor (p + 1) / original_context - (factor - 1)`.
    DynamicNtk { factor: f64, original_context: usize },
    /// Frequencies with few rotations in the original context are divided by `factor`, those with many are
    /// kept (Peng et al. 2023, YaRN); cosine and sine are multiplied by `attention_factor`.
    Yarn {
        factor: f64,
        original_context: usize,
        beta_fast: f64,
        beta_slow: f64,
        attention_factor: f64,
        truncate: bool,
    },
    /// As YaRN with a linear change over the wavelengths (Llama 3.1).
    Llama3 { factor: f64, low_frequency_factor: f64, high_frequency_factor: f64, original_context: usize },
    /// `f / factors[i]`: the file has the factors, `long` ones for positions from `original_context` on
    /// (LongRoPE); cosine and sine are multiplied by `attention_factor`.
    Factors { short: Vec<f64>, long: Vec<f64>, original_context: usize, attention_factor: f64 },
}

/// Frequencies of all pairs, by position.
#[derive(Clone, Debug)]
pub struct Frequencies {
    near: Vec<f64>,
    /// Those of positions from `far_start` on, where they differ.
    far: Far,
    far_start: usize,
    /// Factor of cosine and sine.
    pub magnitude: f64,
}

#[derive(Clone, Debug)]
enum Far {
    Same,
    Fixed(Vec<f64>),
    Dynamic { theta: f64, factor: f64 },
}

impl RopeConfig {
    /// Returns the number of rotated elements of a head of `d_head`.
    pub fn rotated(&self, d_head: usize) -> usize {
        self.dims.unwrap_or(d_head)
    }

    /// Computes the frequencies for `dims` rotated elements.
    pub(crate) fn frequencies(&self, dims: usize) -> Frequencies {
        let plain = powers(self.theta, dims);
        let same = |near| Frequencies { near, far: Far::Same, far_start: usize::MAX, magnitude: 1.0 };
        match &self.scaling {
            RopeScaling::None => same(plain),
            RopeScaling::Linear { factor } => same(plain.iter().map(|f| f / factor).collect()),
            RopeScaling::Ntk { factor } => same(powers(grown(self.theta, *factor, dims), dims)),
            RopeScaling::DynamicNtk { factor, original_context } => Frequencies {
                near: plain,
                far: Far::Dynamic { theta: self.theta, factor: *factor },
                far_start: *original_context,
                magnitude: 1.0,
            },
            RopeScaling::Yarn { attention_factor, .. } => {
                Frequencies { magnitude: *attention_factor, ..same(self.yarn(&plain, dims)) }
            }
            RopeScaling::Llama3 { .. } => same(plain.iter().map(|f| self.llama3(*f)).collect()),
            RopeScaling::Factors { short, long, original_context, attention_factor } => {
                let divided = |factors: &[f64]| plain.iter().zip(factors).map(|(f, by)| f / by).collect();
                Frequencies {
                    near: divided(short),
                    far: Far::Fixed(divided(long)),
                    far_start: *original_context,
                    magnitude: *attention_factor,
                }
            }
        }
    }

    fn yarn(&self, plain: &[f64], dims: usize) -> Vec<f64> {
        let RopeScaling::Yarn { factor, original_context, beta_fast, beta_slow, truncate, .. } = self.scaling
        else {
            return plain.to_vec();
        };
        // The pair that rotates `rotations` times in the original context.
        let pair = |rotations: f64| {
            dims as f64 * (original_context as f64 / (rotations * 2.0 * PI)).ln() / (2.0 * self.theta.ln())
        };
        let (mut low, mut high) = (pair(beta_fast), pair(beta_slow));
        if truncate {
            (low, high) = (low.floor(), high.ceil());
        }
        let (low, high) = (low.max(0.0), high.min(dims as f64 - 1.0));
        let width = if high == low { 0.001 } else { high - low };
        let scaled = plain.iter().enumerate().map(|(pair, f)| {
            let ramp = ((pair as f64 - low) / width).clamp(0.0, 1.0);
            f / factor * ramp + f * (1.0 - ramp)
        });
        scaled.collect()
    }

    fn llama3(&self, frequency: f64) -> f64 {
        let RopeScaling::Llama3 { factor, low_frequency_factor, high_frequency_factor, original_context } =
            self.scaling
        else {
            return frequency;
        };
        let rotations = original_context as f64 * frequency / (2.0 * PI);
        let smooth = (rotations - low_frequency_factor) / (high_frequency_factor - low_frequency_factor);
        let smooth = smooth.clamp(0.0, 1.0);
        frequency / factor * (1.0 - smooth) + frequency * smooth
    }
}

impl Frequencies {
    /// Returns the number of pairs of elements that are rotated.
    pub fn pairs(&self) -> usize {
        self.near.len()
    }

    /// Returns the angles of `position`.
    pub fn angles(&self, position: usize) -> Vec<f64> {
        let at = |frequencies: &[f64]| frequencies.iter().map(|f| f * position as f64).collect();
        match &self.far {
            _ if position < self.far_start => at(&self.near),
            Far::Same => at(&self.near),
            Far::Fixed(far) => at(far),
            Far::Dynamic { theta, factor } => {
                let dims = self.near.len() * 2;
                let factor = factor * (position as f64 + 1.0) / self.far_start as f64 - (factor - 1.0);
                at(&powers(grown(*theta, factor, dims), dims))
            }
        }
    }
}

fn powers(theta: f64, dims: usize) -> Vec<f64> {
    (0..dims / 2).map(|pair| theta.powf(-2.0 * pair as f64 / dims as f64)).collect()
}

/// The base of NTK-aware scaling, with which the lowest frequency is divided by `factor`.
fn grown(theta: f64, factor: f64, dims: usize) -> f64 {
    if dims <= 2 {
        return theta;
    }
    theta * factor.powf(dims as f64 / (dims as f64 - 2.0))
}
