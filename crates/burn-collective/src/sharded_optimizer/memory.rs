/// Parts of a training that ranks split among them, beside the batch.
///
/// ```
/// use burn::collective::Sharding;
///
/// // GPT-2 124M in f32 with AdamW, whose state has two numbers for each parameter, on four GPUs.
/// let bytes = 124_439_808 * 4;
/// let memory = Sharding::StateAndGradients.memory(bytes, 2, 4);
/// assert_eq!(memory.total(), bytes + 3 * bytes / 4);
/// assert_eq!(Sharding::None.memory(bytes, 2, 4).total(), 4 * bytes);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sharding {
    /// Each rank keeps everything: [`DataParallel`](crate::DataParallel) alone.
    None,
    /// Each rank keeps a part of the optimizer's state: ZeRO-1.
    State,
    /// Each rank keeps a part of the optimizer's state and of the gradients: ZeRO-2.
    StateAndGradients,
}

/// Bytes that a rank keeps at a step of the optimizer, without activations and buckets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrainingMemory {
    /// Parameters of the model.
    pub parameters: usize,
    /// Gradients that the optimizer reads.
    pub gradients: usize,
    /// State of the optimizer.
    pub state: usize,
}

impl TrainingMemory {
    /// Returns the sum of the parts.
    pub fn total(&self) -> usize {
        self.parameters.saturating_add(self.gradients).saturating_add(self.state)
    }
}

impl Sharding {
    /// Computes the mean over ranks of the bytes that each keeps, for `parameter_bytes` of parameters and an
    /// optimizer with `state_tensors` numbers for each of them, of the same type: 2 for AdamW, 1 for SGD with
    /// momentum.
    ///
    /// With `p` bytes of parameters, `k` tensors of state and `n` ranks it is `p + p + k p` without sharding,
    /// `p + p + k p / n` for ZeRO-1 and `p + p / n + k p / n` for ZeRO-2. Parameters are split as wholes, so
    /// a rank keeps at most the gradient and state of the largest parameter more than that.
    ///
    /// # Panics
    /// If there are no ranks.
    #[track_caller]
    pub fn memory(self, parameter_bytes: usize, state_tensors: usize, world_size: usize) -> TrainingMemory {
        assert!(world_size > 0, "memory of ranks: wrong world_size; expected one rank at least, got 0");
        let (parts_of_gradients, parts_of_state) = match self {
            Sharding::None => (1, 1),
            Sharding::State => (1, world_size),
            Sharding::StateAndGradients => (world_size, world_size),
        };
        TrainingMemory {
            parameters: parameter_bytes,
            gradients: parameter_bytes / parts_of_gradients,
            state: parameter_bytes.saturating_mul(state_tensors) / parts_of_state,
        }
    }
}
