use crate::Tensor;
use crate::TensorError;
use crate::check::{check, together};
use burn_backend::{Backend, ConvArgs, ConvGradArgs, ConvOptions, Convolution, HasSpec, Operation, Shape};
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
        let (x, weight, bias) = (self.into_handle(), weight.into_handle(), bias.map(Tensor::into_handle));
        let specs = ConvArgs {
            x: x.spec(),
            weight: weight.spec(),
            bias: bias.as_ref().map(HasSpec::spec),
            options: options.clone(),
        };
        check(&Operation::Convolution(Convolution::Conv(specs.into())))?;
        together::<B>("conv", &x, &[&weight])?;
        bias.iter().try_for_each(|bias| together::<B>("conv", &x, &[bias]))?;
        Ok(Self::from_handle(B::conv(ConvArgs { x, weight, bias, options })))
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
