use super::LanguageModel;
use crate::LmError;
use burn_core::tensor::{Backend, Int, Tensor};
use burn_nn::loss::{CrossEntropyLossConfig, LinearCrossEntropyLoss};

impl<B: Backend> LanguageModel<B> {
    /// Computes the mean cross-entropy loss, shape `[1]`, of the token after each position: `tokens` and
    /// `next` are `[batch, length]`.
    ///
    /// The logits of all positions are in memory only where the projection to logits has a bias or an
    /// adapter, or logits have a soft cap.
    ///
    /// ```
    /// use burn::backend::{Autodiff, NdArray};
    /// use burn::lm::LanguageModelConfig;
    /// use burn::nn::loss::LinearCrossEntropyLossConfig;
    /// use burn::tensor::{Int, Tensor};
    ///
    /// type B = Autodiff<NdArray>;
    /// let device = Default::default();
    /// let model = LanguageModelConfig::new(100, 16, 2, 4, 32).init::<B>(&device)?;
    /// let tokens = Tensor::<B, 2, Int>::from_data([[1, 7, 9, 4]], &device);
    /// let loss = LinearCrossEntropyLossConfig::new().init();
    /// let loss = model.loss(tokens.clone().narrow(1, 0, 3), tokens.narrow(1, 1, 3), &loss)?;
    /// assert!(model.embedding.weight.val().grad(&loss.backward()).is_some());
    /// # Ok::<(), burn::lm::LmError>(())
    /// ```
    ///
    /// # Errors
    /// The sequences are longer than the context, `next` has another shape, or a tensor operation fails.
    pub fn loss(
        &self,
        tokens: Tensor<B, 2, Int>,
        next: Tensor<B, 2, Int>,
        loss: &LinearCrossEntropyLoss,
    ) -> Result<Tensor<B, 1>, LmError> {
        let (shape, found) = (tokens.dims(), next.dims());
        if shape != found {
            return Err(LmError::argument("next", format!("the shape of the tokens, {shape:?}"), found));
        }
        let hidden = self.hidden_states(tokens)?;
        let next = next.flatten::<1>(0, 1);
        let weight = match &self.head {
            _ if self.config.logit_soft_cap.is_some() => None,
            Some(head) if head.bias.is_some() || head.lora.adapter().is_some() => None,
            Some(head) => Some(head.weight.val()),
            None => Some(self.embedding.weight.val().transpose()),
        };
        Ok(match weight {
            Some(weight) => loss.try_forward(hidden, weight, next)?,
            None => {
                let unfused = CrossEntropyLossConfig::new()
                    .with_pad_tokens(loss.pad_tokens.clone())
                    .with_smoothing(Some(loss.smoothing));
                unfused.init(&hidden.device()).try_forward(self.logits(hidden), next)?
            }
        })
    }
}
