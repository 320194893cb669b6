use crate::check::{check, check_one, together};
use crate::conv_epilogue::ConvEpilogue;
use crate::{Tensor, TensorError};
use burn_backend::{
    Backend, ConvArgs, ConvGradArgs, ConvOptions, Convolution, HasSpec, Operation, Shape, TensorSpec,
};
use burn_derive::fallible;

#[fallible]
/// # Convolution of signals, of Float tensors
impl<B: Backend, const D: usize> Tensor<B, D> {
    /// Computes a convolution (cross-correlation) over the `D - 2` last dimensions.
    ///
    /// `self: [batch, channels_in, ..]`, `weight: [channels_out, channels_in / groups, ..]`. PyTorch:
    /// `torch.nn.functional.conv1d`, `conv2d`, `conv3d`.
    ///
    /// # Errors
    /// When channels or ranks do not fit, or the kernel is larger than the padded input.
    pub fn try_conv(
        self,
        weight: Self,
        bias: Option<Tensor<B, 1>>,
        options: ConvOptions,
    ) -> Result<Self, TensorError> {
        let args = self.conv_args(weight, bias, options);
        check(&Operation::Convolution(Convolution::Conv(specs(&args).into())))?;
        on_one_device::<B>(&args)?;
        Ok(Self::from_handle(B::conv(args)))
    }

    /// [`Tensor::conv`], then the operations of an epilogue, which the kernels of a backend may apply before
    /// the result is stored. PyTorch has no counterpart.
    ///
    /// # Errors
    /// Those of [`Tensor::try_conv`], and when a tensor that is added has another shape or dtype than the
    /// result.
    pub fn try_conv_with(
        self,
        weight: Self,
        bias: Option<Tensor<B, 1>>,
        options: ConvOptions,
        epilogue: ConvEpilogue<B, D>,
    ) -> Result<Self, TensorError> {
        let args = self.conv_args(weight, bias, options);
        let spec = check_one(&Operation::Convolution(Convolution::Conv(specs(&args).into())))?;
        on_one_device::<B>(&args)?;
        epilogue.run(args, spec).map(Self::from_handle)
    }

    /// Computes a transposed convolution: the gradient of [`Tensor::conv`] by its input, which has the shape
    /// `target`. PyTorch: `torch.nn.functional.conv_transpose2d` and the like.
    ///
    /// # Errors
    /// When a convolution of `target` with `weight` does not give the shape of `self`.
    pub fn try_conv_transpose(
        self,
        weight: Self,
        target: impl Into<Shape>,
        options: ConvOptions,
    ) -> Result<Self, TensorError> {
        let target = target.into();
        let (grad, other) = (self.into_handle(), weight.into_handle());
        let (target_of, options_of) = (target.clone(), options.clone());
        let specs =
            ConvGradArgs { grad: grad.spec(), other: other.spec(), target: target_of, options: options_of };
        check(&Operation::Convolution(Convolution::ConvTranspose(specs.into())))?;
        together::<B>("conv_transpose", &grad, &[&other])?;
        Ok(Self::from_handle(B::conv_transpose(ConvGradArgs { grad, other, target, options })))
    }
}

impl<B: Backend, const D: usize> Tensor<B, D> {
    fn conv_args(
        self,
        weight: Self,
        bias: Option<Tensor<B, 1>>,
        options: ConvOptions,
    ) -> ConvArgs<B::Tensor> {
        let (x, weight, bias) = (self.into_handle(), weight.into_handle(), bias.map(Tensor::into_handle));
        ConvArgs { x, weight, bias, options }
    }
}

fn specs<T: HasSpec>(args: &ConvArgs<T>) -> ConvArgs<&TensorSpec> {
    let ConvArgs { x, weight, bias, options } = args;
    let bias = bias.as_ref().map(HasSpec::spec);
    ConvArgs { x: x.spec(), weight: weight.spec(), bias, options: options.clone() }
}

#[track_caller]
fn on_one_device<B: Backend>(args: &ConvArgs<B::Tensor>) -> Result<(), TensorError> {
    together::<B>("conv", &args.x, &[&args.weight])?;
    args.bias.iter().try_for_each(|bias| together::<B>("conv", &args.x, &[bias]))
}
