use crate::{Bool, Tensor, TensorError, TensorKind};
use burn_backend::{Backend, DataError, Elementwise, Operation, Shape, block_on};
use burn_derive::fallible;

/// Elements and mask, each as one line.
type Lines<B, K> = (Tensor<B, 1, K>, Tensor<B, 1, Bool>);

#[fallible]
/// # Masks: selection
impl<B: Backend, const D: usize, K: TensorKind> Tensor<B, D, K> {
    /// Selects the elements where the mask is true, in row-major order; tensor and mask broadcast; reads the
    /// device. PyTorch: `torch.masked_select`.
    ///
    /// ```
    /// use burn::tensor::{Tensor, backend::Backend};
    /// fn positive<B: Backend>(x: Tensor<B, 2>) -> Tensor<B, 1> {
    ///     let mask = x.clone().greater_elem(0);
    ///     x.mask_select(mask)
    /// }
    /// ```
    ///
    /// # Errors
    /// When the shapes do not broadcast, or the device failed or this platform cannot wait: see
    /// [`Tensor::mask_select_async`].
    pub fn try_mask_select(self, mask: Tensor<B, D, Bool>) -> Result<Tensor<B, 1, K>, TensorError> {
        let (x, mask) = self.beside(mask)?;
        match block_on(picked(x, mask)) {
            Ok(Ok(values)) => Ok(values),
            Ok(Err(error)) => Err(TensorError::data("mask_select", &error)),
            Err(_pending) => Err(TensorError::argument(
                "mask_select",
                format_args!("this platform cannot wait for the device; use mask_select_async"),
            )),
        }
    }

    /// Flattens both after broadcasting them to a common shape.
    #[track_caller]
    fn beside(self, mask: Tensor<B, D, Bool>) -> Result<Lines<B, K>, TensorError> {
        let (on, off) = (self.spec(), self.spec());
        let operation = Operation::Elementwise(Elementwise::MaskWhere { mask: mask.spec(), on, off });
        let shape = match burn_backend::output_specs(&operation) {
            Ok(outputs) => outputs.one().shape,
            Err(error) => {
                return Err(TensorError::from(burn_backend::OpError { op: "mask_select", ..error }));
            }
        };
        let line = Shape::from([shape.num_elements()]);
        Ok((
            self.try_expand::<D>(shape.clone())?.reshaped(line.clone())?,
            mask.try_expand::<D>(shape)?.reshaped(line)?,
        ))
    }
}

/// # Masks: selection
impl<B: Backend, const D: usize, K: TensorKind> Tensor<B, D, K> {
    /// [`Tensor::mask_select`] where a thread cannot wait. PyTorch: `torch.masked_select`.
    ///
    /// # Errors
    /// When the shapes do not broadcast, or the device failed.
    #[doc(alias = "masked_select")]
    pub async fn mask_select_async(self, mask: Tensor<B, D, Bool>) -> Result<Tensor<B, 1, K>, TensorError> {
        let (x, mask) = self.beside(mask)?;
        picked(x, mask).await.map_err(|error| TensorError::data("mask_select", &error))
    }
}

async fn picked<B: Backend, K: TensorKind>(
    x: Tensor<B, 1, K>,
    mask: Tensor<B, 1, Bool>,
) -> Result<Tensor<B, 1, K>, DataError> {
    let places = mask.argwhere_async().await?;
    let count = places.dims()[0];
    Ok(x.select(0, places.reshape([count])))
}
