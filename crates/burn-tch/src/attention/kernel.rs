use super::cuda::Functions;
use super::operands::Operands;
use crate::LibTorchDevice;
use crate::dispatcher::{Argument, call};
use burn_backend::kernels;
use tch::{Kind, TchError, Tensor};

type Result<T> = std::result::Result<T, TchError>;

/// The elements of a row that the kernels of a GPU read at once.
const ROW: i64 = 8;

/// A kernel of LibTorch for attention. All of them give the logarithms of the sums in the same form, so that
/// the backward pass of one may follow the forward pass of another.
#[derive(Clone, Copy)]
pub enum Kernel {
    /// Computes `f32` and `f64` on the processor.
    Processor,
    /// Computes halves on a GPU: FlashAttention-2 (Dao, 2023).
    Flash(Functions),
    /// Computes floats on a GPU, also with a mask: memory-efficient attention (Rabe and Staats, 2021).
    Efficient,
    /// Computes halves on a GPU: the fused attention of cuDNN.
    Cudnn(Functions),
}

impl Kernel {
    /// The kernel that PyTorch takes where gradients are asked for, `None` where it has none for these
    /// operands.
    ///
    /// # Errors
    /// When LibTorch can't say.
    pub fn of(operands: &Operands, device: LibTorchDevice) -> Result<Option<Self>> {
        if device == LibTorchDevice::Cpu {
            return Ok(Some(Kernel::Processor));
        }
        let Operands { query, key, value, bias, causal, scale, .. } = operands;
        let shares_heads = operands.shares_heads();
        let choice = tch::with_grad(|| {
            let query = query.f_detach()?.f_set_requires_grad(true)?;
            let bias = bias.as_ref();
            Tensor::f_internal_fused_sdp_choice(&query, key, value, bias, 0.0, *causal, *scale, shares_heads)
        })?;
        let blocks = || (!shares_heads).then_some(Kernel::Efficient);
        // Numbers of LibTorch's `SDPBackend`.
        Ok(match (choice, Functions::find()) {
            (1, Some(functions)) => Some(Kernel::Flash(functions)),
            // cuDNN's gradients of a query that attends to no key would not be zeros, and it takes no heads
            // that are shared.
            (3, Some(functions)) if bias.is_none() && !shares_heads => Some(Kernel::Cudnn(functions)),
            (3, Some(functions)) if bias.is_none() && operands.fits_flash() => Some(Kernel::Flash(functions)),
            (1..=3, _) => blocks(),
            _ => None,
        })
    }

    /// Reports to `Profile` which of several kernels runs.
    pub fn explain(self) {
        match self {
            Kernel::Processor => (),
            Kernel::Flash(_) => kernels::explain(|| "flash".into()),
            Kernel::Efficient => kernels::explain(|| "memory-efficient".into()),
            Kernel::Cudnn(_) => kernels::explain(|| "cuDNN".into()),
        }
    }

    /// The result and the logarithms of the sums.
    ///
    /// # Errors
    /// When the kernel fails.
    pub fn forward(self, operands: &Operands) -> Result<(Tensor, Tensor)> {
        let Operands { query, key, value, bias, causal, scale, .. } = operands;
        match self {
            Kernel::Processor => Tensor::f_internal_scaled_dot_product_flash_attention_for_cpu(
                query,
                key,
                value,
                0.0,
                *causal,
                bias.as_ref(),
                *scale,
            ),
            Kernel::Flash(functions) => {
                let [query, key, value] = [padded(query)?, padded(key)?, padded(value)?];
                let (output, sums) = functions.flash([&query, &key, &value], *causal, *scale)?;
                Ok((unpadded(&output, operands.value_size())?, sums))
            }
            Kernel::Efficient => {
                let (output, sums, _, _) = Tensor::f_internal_scaled_dot_product_efficient_attention(
                    query,
                    key,
                    value,
                    bias.as_ref(),
                    true,
                    0.0,
                    *causal,
                    *scale,
                )?;
                // The sums of a head have rows after the last query.
                Ok((output, sums.f_narrow(2, 0, operands.queries())?))
            }
            Kernel::Cudnn(functions) => {
                let (output, sums) = functions.cudnn([query, key, value], *causal, *scale)?;
                Ok((output, sums.f_squeeze_dim(3)?))
            }
        }
    }

    /// The gradients by query, key and value, for the gradient `grad` of the result `output`.
    ///
    /// # Errors
    /// When the kernel fails.
    pub fn backward(
        self,
        operands: &Operands,
        grad: &Tensor,
        output: &Tensor,
        sums: &Tensor,
    ) -> Result<(Tensor, Tensor, Tensor)> {
        let Operands { query, key, value, bias, causal, scale, .. } = operands;
        let (queries, keys) = (operands.queries(), operands.keys());
        // Nothing is dropped out, so that no state of a generator is read; and all sequences are as long.
        let seed = |size: &[i64]| Tensor::f_zeros(size, (Kind::Int64, query.device()));
        let none = Tensor::new();
        match self {
            Kernel::Processor => Tensor::f_internal_scaled_dot_product_flash_attention_for_cpu_backward(
                grad,
                query,
                key,
                value,
                output,
                sums,
                0.0,
                *causal,
                bias.as_ref(),
                *scale,
            ),
            Kernel::Flash(_) => {
                let seed = seed(&[2])?;
                let (query, key, value) = Tensor::f_internal_scaled_dot_product_flash_attention_backward(
                    &padded(grad)?,
                    &padded(query)?,
                    &padded(key)?,
                    &padded(value)?,
                    &padded(output)?,
                    &sums.f_contiguous()?,
                    &none,
                    &none,
                    queries,
                    keys,
                    0.0,
                    *causal,
                    &seed,
                    &seed,
                    *scale,
                )?;
                let size = operands.value_size();
                Ok((unpadded(&query, size)?, unpadded(&key, size)?, unpadded(&value, size)?))
            }
            Kernel::Efficient => {
                let seed = seed(&[])?;
                // Whole blocks of rows are read: after the last query, nothing comes of infinite sums.
                let behind = (queries + 31) / 32 * 32 - queries;
                let sums = sums.f_pad([0, behind], "constant", f64::INFINITY)?.f_contiguous()?;
                let arguments = [
                    Argument::Tensor(grad),
                    Argument::Tensor(query),
                    Argument::Tensor(key),
                    Argument::Tensor(value),
                    Argument::Tensor(bias.as_ref().unwrap_or(&none)),
                    Argument::Tensor(output),
                    Argument::Tensor(&sums),
                    Argument::Tensor(&seed),
                    Argument::Tensor(&seed),
                    Argument::Float(0.0),
                    Argument::Bools(&[true, true, true, false]),
                    Argument::Bool(*causal),
                    Argument::SomeFloat(*scale),
                ];
                let operator = c"aten::_scaled_dot_product_efficient_attention_backward";
                let [query, key, value, _] = call(operator, &arguments)?;
                Ok((query, key, value))
            }
            Kernel::Cudnn(_) => {
                let seed = seed(&[])?;
                Tensor::f_internal_scaled_dot_product_cudnn_attention_backward(
                    grad,
                    query,
                    key,
                    value,
                    output,
                    &sums.f_contiguous()?.f_unsqueeze(3)?,
                    &seed,
                    &seed,
                    &none,
                    &none,
                    &none,
                    queries,
                    keys,
                    0.0,
                    *causal,
                    *scale,
                )
            }
        }
    }
}

impl Operands {
    fn queries(&self) -> i64 {
        self.query.size()[2]
    }

    fn keys(&self) -> i64 {
        self.key.size()[2]
    }

    fn value_size(&self) -> i64 {
        self.value.size()[3]
    }

    /// Whether FlashAttention takes them: rows of one size up to 256, and no key that `causal` hides from
    /// all.
    fn fits_flash(&self) -> bool {
        let size = self.value_size();
        let squares = !self.causal || self.queries() == self.keys();
        self.query.size()[3] == size && size <= 256 && squares
    }
}

/// Rows filled up with zeros, which change no score, to a size that the kernels read.
fn padded(x: &Tensor) -> Result<Tensor> {
    match x.size().last().map_or(0, |size| size % ROW) {
        0 => Ok(x.shallow_clone()),
        rest => x.f_constant_pad_nd([0, ROW - rest]),
    }
}

fn unpadded(x: &Tensor, size: i64) -> Result<Tensor> {
    x.f_narrow(3, 0, size)
}
