//! An operation of the user's own on LibTorch, with its gradient on `Autodiff<LibTorch>`.

use burn::backend::autodiff::{Backward, Checkpointer, Gradients, NoCheckpointing, NodeID, Ops, OpsKind};
use burn::backend::libtorch::{TchTensor, tch};
use burn::backend::{Autodiff, LibTorch};
use burn::tensor::ops::{FloatTensor, TypedCalls};
use burn::tensor::{Tensor, TensorPrimitive, backend};

// ANCHOR: trait
/// The operation that this program needs of a backend, on top of the usual ones.
pub trait Backend: backend::Backend {
    /// `log(sum(exp(x)))` of each row.
    fn log_sum_exp(x: FloatTensor<Self>) -> FloatTensor<Self>;
}

/// The operation for users of tensors.
pub fn log_sum_exp<B: Backend>(x: Tensor<B, 2>) -> Tensor<B, 2> {
    let result = B::log_sum_exp(x.into_primitive().tensor());
    Tensor::from_primitive(TensorPrimitive::Float(result))
}
// ANCHOR_END: trait

// ANCHOR: leaf
impl Backend for LibTorch {
    fn log_sum_exp(x: TchTensor) -> TchTensor {
        TchTensor::from_tch(x.into_tch().logsumexp(1, true)).expect("a float tensor stays one")
    }
}
// ANCHOR_END: leaf

// ANCHOR: gradient
/// The gradient: that of each row is shared out by the softmax of the row.
#[derive(Debug)]
struct LogSumExp;

impl Backward<LibTorch, 1> for LogSumExp {
    /// The operand, and the result.
    type State = (NodeID, TchTensor);

    fn backward(self, ops: Ops<Self::State, 1>, grads: &mut Gradients, checkpointer: &mut Checkpointer) {
        let (x, result) = ops.state;
        let x: TchTensor = checkpointer.retrieve_node_output(x);
        let grad = grads.consume::<LibTorch>(&ops.node);
        if let [Some(node)] = ops.parents {
            let softmax = LibTorch::<f32>::float_exp(LibTorch::<f32>::float_sub(x, result));
            grads.register::<LibTorch>(node.id, LibTorch::<f32>::float_mul(grad, softmax));
        }
    }
}

impl Backend for Autodiff<LibTorch> {
    fn log_sum_exp(x: FloatTensor<Self>) -> FloatTensor<Self> {
        match LogSumExp.prepare::<NoCheckpointing>([x.node.clone()]).compute_bound().stateful() {
            OpsKind::Tracked(mut prep) => {
                let state = prep.checkpoint(&x);
                let result = LibTorch::log_sum_exp(x.primitive);
                prep.finish((state, result.clone()), result)
            }
            OpsKind::UnTracked(prep) => prep.finish(LibTorch::log_sum_exp(x.primitive)),
        }
    }
}
// ANCHOR_END: gradient

#[test]
fn bk_014_an_extension_runs_on_libtorch_and_on_autodiff_of_it() {
    const X: [[f64; 3]; 2] = [[1.0, -2.0, 0.5], [0.25, 3.0, -1.0]];
    let sums = X.map(|row| row.map(f64::exp).iter().sum::<f64>());
    let near = |found: Vec<f64>, expected: &[f64]| {
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6, "{found}, expected {expected}");
        }
    };
    let plain = log_sum_exp(Tensor::<LibTorch, 2>::from_data(X, &Default::default()));
    near(plain.into_data().to_f64(), &sums.map(f64::ln));

    let x = Tensor::<Autodiff<LibTorch>, 2>::from_data(X, &Default::default()).require_grad();
    let result = log_sum_exp(x.clone());
    near(result.to_data().to_f64(), &sums.map(f64::ln));
    let gradients = (result * 2).sum().backward();
    let grad = x.grad(&gradients).expect("it is tracked");
    let expected = [0, 1].map(|row| X[row].map(|x| 2.0 * x.exp() / sums[row]));
    near(grad.into_data().to_f64(), &expected.concat());
}

/// LibTorch's own tape is not ours: a tensor of it comes without its history.
#[test]
fn gradients_that_libtorch_recorded_stay_there() {
    let theirs = tch::Tensor::from_slice(&[1.0_f32, 2.0]).set_requires_grad(true);
    let ours = TchTensor::from_tch(theirs.square()).expect("floats");
    assert!(!ours.into_tch().requires_grad());
}
