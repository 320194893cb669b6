//! Networks whose source is generated.

/// The network of `digits.onnx`.
pub mod digits {
    include!(concat!(env!("OUT_DIR"), "/model/digits.rs"));
}
