use crate::Tensor;
use crate::TensorError;
use crate::check::{check, together};
use burn_backend::{Backend, ConvArgs, ConvGradArgs, ConvOptions, HasSpec, Operation, Shape};
use burn_derive::fallible;

#[fallible]
impl<B: Backend, const D: usize> Tensor<B, D> {
    /// Convolution (cross-correlation) over the `D - 2` last dimensions.
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
        let specs = ConvArgs {
            x: self.handle.spec(),
            weight: weight.handle.spec(),
            bias: bias.as_ref().map(|bias| bias.handle.spec()),
            options: options.clone(),
        };
        check(&Operation::Conv(specs.into()))?;
        together::<B>("conv", &self.handle, &[&weight.handle])?;
        let bias = bias.map(|bias| bias.handle);
        bias.iter().try_for_each(|bias| together::<B>("conv", &self.handle, &[bias]))?;
        Ok(Self::from_handle(B::conv(ConvArgs { x: self.handle, weight: weight.handle, bias, options })))
    }

    /// The gradient of [`Tensor::conv`] by its input, which has the shape `target`; a transposed convolution.
    /// PyTorch: `torch.nn.functional.conv_transpose2d` and the like.
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
        let (grad, other) = (self.handle.spec(), weight.handle.spec());
        let specs = ConvGradArgs { grad, other, target: target.clone(), options: options.clone() };
        check(&Operation::ConvTranspose(specs.into()))?;
        together::<B>("conv_transpose", &self.handle, &[&weight.handle])?;
        Ok(Self::from_handle(B::conv_transpose(ConvGradArgs {
            grad: self.handle,
            other: weight.handle,
            target,
            options,
        })))
    }
}
