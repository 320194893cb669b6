use crate::check::{ensure, together};
use crate::{Tensor, TensorError};
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use burn_backend::{
    Backend, BinaryOp, Block, BlockHead, BlockStep, ConvArgs, Elementwise, Register, Scalar, TensorSpec,
    UnaryOp,
};

/// Elementwise operations on the result of a convolution, in the order of the calls.
///
/// They are one block with the convolution (decision 38): where the kernels of a backend can, they apply
/// them in registers before the result is stored, and otherwise the backend runs one operation after the
/// other. The result and the gradients are those of the calls by themselves.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::conv::{Conv1d, Conv1dConfig};
/// use burn::tensor::Tensor;
/// use burn::tensor::ops::ConvEpilogue;
///
/// let device = Default::default();
/// let conv: Conv1d<NdArray> = Conv1dConfig::new([2, 2], 1).init(&device);
/// let x = Tensor::ones([1, 2, 4], &device);
/// let y = conv.forward_with(x.clone(), ConvEpilogue::new().residual(x.clone()).relu());
/// assert_eq!(y.into_data(), (conv.forward(x.clone()) + x).relu().into_data());
/// ```
#[derive(Clone, Debug)]
pub struct ConvEpilogue<B: Backend, const D: usize> {
    /// Tensors that are added.
    inputs: Vec<Tensor<B, D>>,
    /// Operations on registers: 0 is the result so far, and those after it are the inputs.
    steps: Vec<BlockStep<Register>>,
}

impl<B: Backend, const D: usize> Default for ConvEpilogue<B, D> {
    fn default() -> Self {
        Self::new()
    }
}

impl<B: Backend, const D: usize> ConvEpilogue<B, D> {
    /// Creates an epilogue without operations.
    pub fn new() -> Self {
        ConvEpilogue { inputs: Vec::new(), steps: Vec::new() }
    }

    /// Adds a tensor of the shape and dtype of the result, such as the input of a residual block.
    #[must_use]
    pub fn residual(mut self, residual: Tensor<B, D>) -> Self {
        self.inputs.push(residual);
        let rhs = register(self.inputs.len());
        self.with(Elementwise::Binary { op: BinaryOp::Add, lhs: 0, rhs })
    }

    /// Applies the rectified linear unit, `max(x, 0)`.
    #[must_use]
    pub fn relu(self) -> Self {
        self.with(Elementwise::Unary { op: UnaryOp::Relu, x: 0 })
    }

    /// Clamps to a range, `min(max(x, min), max)`; `clamp(0, 6)` is ReLU6.
    #[must_use]
    pub fn clamp(self, min: impl Into<Scalar>, max: impl Into<Scalar>) -> Self {
        self.with(Elementwise::Clamp { x: 0, min: Some(min.into()), max: Some(max.into()) })
    }

    fn with(mut self, step: Elementwise<Register>) -> Self {
        self.steps.push(BlockStep::Elementwise(step));
        self
    }

    /// Computes a convolution whose result has the `spec`, and this.
    #[track_caller]
    pub(crate) fn run(self, args: ConvArgs<B::Tensor>, spec: TensorSpec) -> Result<B::Tensor, TensorError> {
        if self.steps.is_empty() {
            return Ok(B::conv(args));
        }
        self.inputs.iter().try_for_each(|input| check_residual(input.spec(), &spec))?;
        let inputs: Vec<B::Tensor> = self.inputs.into_iter().map(Tensor::into_handle).collect();
        together::<B>("conv_with", &args.x, &inputs.iter().collect::<Vec<_>>())?;
        let head = Some(BlockHead::Convolution(Box::new(args)));
        let steps = numbered(self.steps, inputs.len());
        let (specs, last) = (vec![spec.clone(); steps.len()], inputs.len() + steps.len());
        let outputs = vec![register(last)];
        let block = Block { shape: spec.shape, folded: 0, head, inputs, steps, specs, outputs };
        Ok(B::run_block(block).remove(0))
    }
}

/// Refuses a tensor that is not of the spec of the result to which it is added.
#[track_caller]
fn check_residual(residual: &TensorSpec, result: &TensorSpec) -> Result<(), TensorError> {
    let [expected, got] = [result, residual].map(|spec| (spec.dtype, &spec.shape));
    ensure!(
        expected == got,
        "conv_with",
        "the tensor that is added differs from the result; expected {} {:?}, got {} {:?}",
        expected.0,
        expected.1,
        got.0,
        got.1
    );
    Ok(())
}

fn register(index: usize) -> Register {
    Register::try_from(index).expect("an epilogue is short")
}

/// The steps with the registers of a block: its inputs, its head, then the result of each step.
fn numbered(steps: Vec<BlockStep<Register>>, inputs: usize) -> Vec<BlockStep<Register>> {
    let steps = steps.into_iter().enumerate();
    let number = |place, taken: Register| match taken {
        0 => register(inputs + place),
        input => input - 1,
    };
    steps.map(|(place, step)| step.map(|taken| number(place, taken))).collect()
}
