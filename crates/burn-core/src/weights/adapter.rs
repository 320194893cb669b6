use super::NamedTensor;
use crate::tensor::TensorData;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Debug;

/// Translation between the names and layouts of another framework and those of the layers of this one.
///
/// A layer is named by the path of its type, `burn_nn::linear::Linear`, so that a type of a program that has
/// the same name as a layer is left alone. Layers within layers are translated one after the other, the outer
/// ones first.
pub trait LayerAdapter: Debug + Send + Sync {
    /// Adds the tensors of `layer` that are made of `tensor` to `out`: one under its own name if there is
    /// nothing to translate, several where the layer keeps apart what the other framework has in one tensor,
    /// and none if the layer needs no such tensor.
    fn adapt(&self, layer: &str, tensor: NamedTensor, out: &mut Vec<NamedTensor>);

    /// Converts the tensors of `layer` to the other framework's form: the inverse of [`adapt`](Self::adapt).
    fn restore(&self, layer: &str, tensors: Vec<(String, TensorData)>) -> Vec<(String, TensorData)>;
}
