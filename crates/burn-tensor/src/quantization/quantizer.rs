use super::{MinMaxCalibration, QuantizationScheme};

/// Quantizer of the weights of a module, for `Module::quantize_weights`: a calibration and a scheme.
///
/// Weights are float parameters of two and more dimensions. What has fewer, such as a bias or the factors of
/// a normalization, has few numbers that count much, and stays as it is; so does what the scheme does not
/// fit, because it has no such dimension or its last one is no whole number of blocks, and what is quantized
/// already.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantizer<C = MinMaxCalibration> {
    pub calibration: C,
    pub scheme: QuantizationScheme,
}
