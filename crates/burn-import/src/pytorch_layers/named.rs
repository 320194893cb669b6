use burn_core::tensor::TensorData;

/// A tensor and its name within a layer.
pub type Named = (String, TensorData);
