//! Modules that are exported, with inputs and the outputs of their own forward pass: for the tests here, and
//! for onnxruntime (`scripts/onnx_export_check.py`).

mod attention;
mod convolution;
mod elementwise;
mod indexing;
mod linear;
mod recurrent;
mod reduction;
mod signal;

use burn::backend::{Capture, NdArray};
use burn::module::Module;
use burn::tensor::grad::Tensors;
use burn::tensor::{Backend, Bool, Int, Tensor, TensorData};
use burn_onnx::export::{ExportError, OnnxExport};

/// The backend that records.
pub type C = Capture<NdArray>;

/// An exported model, and what it shall compute.
#[derive(Debug)]
pub struct Case {
    pub name: &'static str,
    pub model: Result<Vec<u8>, ExportError>,
    /// Inputs and outputs, some with other sizes than the sample.
    pub runs: Vec<(Vec<TensorData>, Vec<TensorData>)>,
}

/// Returns all cases.
pub fn all() -> Vec<Case> {
    [
        linear::cases(),
        convolution::cases(),
        attention::cases(),
        recurrent::cases(),
        elementwise::cases(),
        reduction::cases(),
        indexing::cases(),
        signal::cases(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Exports a forward pass with the first input as the sample, and computes the outputs of every input.
pub fn case<M, X, Y>(
    name: &'static str,
    export: OnnxExport,
    module: &M,
    inputs: Vec<X>,
    forward: impl Fn(&M, X) -> Y,
) -> Case
where
    M: Module<C>,
    X: Tensors<Backend = C>,
    Y: Tensors<Backend = C>,
{
    let model = export.to_bytes(module, inputs[0].clone(), &forward);
    let run = |x: X| (data(x.clone()), data(forward(module, x)));
    Case { name, model, runs: inputs.into_iter().map(run).collect() }
}

/// Returns the values of tensors.
pub fn data<X: Tensors<Backend = C>>(tensors: X) -> Vec<TensorData> {
    let read = |handle| burn_backend::block_on(<C as Backend>::into_data(handle));
    tensors.into_handles().into_iter().map(|handle| read(handle).unwrap().unwrap()).collect()
}

/// Creates numbers between -1 and 1 without a pattern that could hide a mistake.
pub fn numbers<const D: usize>(shape: [usize; D]) -> Tensor<C, D> {
    let count: usize = shape.iter().product();
    let values: Vec<f32> = (0..count).map(|at| ((at * at + 3 * at) as f32 * 0.37 + 0.5).sin()).collect();
    Tensor::from_data(TensorData::new(values, shape), &Default::default())
}

/// Creates integers from 0 to `below - 1`.
pub fn whole<const D: usize>(shape: [usize; D], below: usize) -> Tensor<C, D, Int> {
    let count: usize = shape.iter().product();
    let values: Vec<i64> = (0..count).map(|at| ((at * 7 + at / 3) % below) as i64).collect();
    Tensor::from_data(TensorData::new(values, shape), &Default::default())
}

/// Creates a mask that is true in the last elements of the rows.
pub fn padding(batch: usize, length: usize) -> Tensor<C, 2, Bool> {
    let values: Vec<bool> = (0..batch * length).map(|at| at % length + at / length >= length).collect();
    Tensor::from_data(TensorData::new(values, [batch, length]), &Default::default())
}
