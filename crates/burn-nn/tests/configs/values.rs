//! Values that a field of a config can be given by mistake or by a hostile file.

use burn_nn::interpolate::InterpolateMode;
use burn_nn::transformer::FeedForwardActivation;
use burn_nn::{
    ActivationConfig, BatchNormConfig, EluConfig, EmbeddingBagMode, GeluApproximation, Initializer,
    LayerNormConfig, NormalizationConfig, PReluConfig, PaddingConfig1d, PaddingConfig2d, PaddingConfig3d,
    PaddingMode, RmsNormConfig, RnnNonlinearity, SwiGluConfig, WeightNormDim,
};

/// A type of a field, with right and wrong values.
pub trait FieldValues: Clone + 'static {
    fn values() -> Vec<Self>;
}

/// Sizes: small ones, and those whose sums and products leave 32 or 64 bits. None of them alone makes a layer
/// that is slow to create.
const SIZES: [usize; 17] = [
    0,
    1,
    2,
    3,
    4,
    7,
    64,
    1000,
    1 << 31,
    (1 << 31) + 1,
    1 << 32,
    (1 << 32) + 2,
    1 << 40,
    1 << 62,
    1 << 63,
    usize::MAX - 1,
    usize::MAX,
];

const NUMBERS: [f64; 14] = [
    0.0,
    -0.0,
    0.5,
    1.0,
    -1.0,
    2.0,
    1e-300,
    5e-324,
    1e300,
    f64::MAX,
    f64::MIN,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
];

impl FieldValues for usize {
    fn values() -> Vec<Self> {
        SIZES.to_vec()
    }
}

impl FieldValues for f64 {
    fn values() -> Vec<Self> {
        NUMBERS.to_vec()
    }
}

impl FieldValues for i64 {
    fn values() -> Vec<Self> {
        vec![0, 1, -1, i64::MIN, i64::MAX]
    }
}

impl FieldValues for isize {
    fn values() -> Vec<Self> {
        vec![0, 1, -1, isize::MIN, isize::MAX]
    }
}

impl FieldValues for bool {
    fn values() -> Vec<Self> {
        vec![false, true]
    }
}

impl FieldValues for String {
    fn values() -> Vec<Self> {
        vec![String::new(), "weight".into(), ".".into()]
    }
}

impl<T: FieldValues> FieldValues for Option<T> {
    fn values() -> Vec<Self> {
        std::iter::once(None).chain(T::values().into_iter().map(Some)).collect()
    }
}

impl<T: FieldValues> FieldValues for Vec<T> {
    fn values() -> Vec<Self> {
        let mut all = vec![Vec::new()];
        for value in T::values() {
            all.extend([vec![value.clone()], vec![value.clone(); 2], vec![value; 3]]);
        }
        all
    }
}

/// All elements alike, or one of them unlike the others.
impl<T: FieldValues, const N: usize> FieldValues for [T; N] {
    fn values() -> Vec<Self> {
        let one = T::values()[1].clone();
        let mut all = Vec::new();
        for value in T::values() {
            all.push(std::array::from_fn(|_| value.clone()));
            all.extend((0..N).map(|place| {
                std::array::from_fn(|index| if index == place { value.clone() } else { one.clone() })
            }));
        }
        all
    }
}

/// Numbers of elements before and after a dimension.
impl FieldValues for (usize, usize) {
    fn values() -> Vec<Self> {
        SIZES.into_iter().flat_map(|size| [(size, 1), (0, size)]).collect()
    }
}

impl FieldValues for Initializer {
    fn values() -> Vec<Self> {
        let mut all = vec![Initializer::Ones, Initializer::Zeros, Initializer::Identity];
        all.extend([0, 1, 3, usize::MAX].map(|groups| Initializer::Dirac { groups }));
        for number in NUMBERS {
            all.extend([
                Initializer::Constant { value: number },
                Initializer::Uniform { min: number, max: 1.0 },
                Initializer::Uniform { min: 0.0, max: number },
                Initializer::Normal { mean: number, std: 1.0 },
                Initializer::Normal { mean: 0.0, std: number },
                Initializer::TruncatedNormal { mean: number, std: 1.0, min: -1.0, max: 1.0 },
                Initializer::TruncatedNormal { mean: 0.0, std: number, min: -1.0, max: 1.0 },
                Initializer::TruncatedNormal { mean: 0.0, std: 1.0, min: number, max: 1.0 },
                Initializer::TruncatedNormal { mean: 0.0, std: 1.0, min: -1.0, max: number },
                Initializer::KaimingUniform { gain: number, fan_out_only: false },
                Initializer::KaimingNormal { gain: number, fan_out_only: true },
                Initializer::XavierUniform { gain: number },
                Initializer::XavierNormal { gain: number },
                Initializer::Orthogonal { gain: number },
                Initializer::Sparse { sparsity: number, std: 1.0 },
                Initializer::Sparse { sparsity: 0.5, std: number },
            ]);
        }
        all
    }
}

impl FieldValues for PaddingConfig1d {
    fn values() -> Vec<Self> {
        let mut all = vec![PaddingConfig1d::Valid, PaddingConfig1d::Same];
        all.extend(SIZES.map(PaddingConfig1d::Explicit));
        all.extend(SIZES.map(|size| PaddingConfig1d::Asymmetric(size, 1)));
        all
    }
}

impl FieldValues for PaddingConfig2d {
    fn values() -> Vec<Self> {
        let mut all = vec![PaddingConfig2d::Valid, PaddingConfig2d::Same];
        all.extend(SIZES.map(|size| PaddingConfig2d::Explicit(size, 1)));
        all.extend(SIZES.map(|size| PaddingConfig2d::Asymmetric((1, 1), (0, size))));
        all
    }
}

impl FieldValues for PaddingConfig3d {
    fn values() -> Vec<Self> {
        let mut all = vec![PaddingConfig3d::Valid, PaddingConfig3d::Same];
        all.extend(SIZES.map(|size| PaddingConfig3d::Explicit(size, 0, size)));
        all.extend(SIZES.map(|size| PaddingConfig3d::Asymmetric((1, 1), (0, size), (0, 0))));
        all
    }
}

impl FieldValues for WeightNormDim {
    fn values() -> Vec<Self> {
        let mut all = vec![WeightNormDim::Output, WeightNormDim::Whole];
        all.extend(SIZES.map(WeightNormDim::Dim));
        all
    }
}

impl FieldValues for ActivationConfig {
    fn values() -> Vec<Self> {
        let mut all = vec![ActivationConfig::Relu];
        all.extend(NUMBERS.map(|alpha| ActivationConfig::Elu(EluConfig::new().with_alpha(alpha))));
        all.extend(SIZES.map(|size| ActivationConfig::PRelu(PReluConfig::new().with_num_parameters(size))));
        all.extend(SIZES.map(|size| ActivationConfig::SwiGlu(SwiGluConfig::new(size, 4))));
        all
    }
}

impl FieldValues for NormalizationConfig {
    fn values() -> Vec<Self> {
        let mut all = Vec::from(SIZES.map(|size| NormalizationConfig::from(BatchNormConfig::new(size))));
        all.extend(SIZES.map(|size| NormalizationConfig::from(LayerNormConfig::new(size))));
        all.extend(
            NUMBERS.map(|epsilon| NormalizationConfig::from(RmsNormConfig::new(4).with_epsilon(epsilon))),
        );
        all
    }
}

macro_rules! choices {
    ($($choice:ty: [$($variant:ident),*];)*) => {$(
        impl FieldValues for $choice {
            fn values() -> Vec<Self> {
                vec![$(<$choice>::$variant),*]
            }
        }
    )*};
}

choices! {
    EmbeddingBagMode: [Sum, Mean, Max];
    FeedForwardActivation: [Relu, Gelu, GeluTanh, Silu, Sigmoid];
    GeluApproximation: [None, Tanh];
    InterpolateMode: [Nearest, NearestExact, Linear, Cubic, Lanczos];
    PaddingMode: [Zeros, Reflect, Replicate, Circular];
    RnnNonlinearity: [Tanh, Relu];
}
