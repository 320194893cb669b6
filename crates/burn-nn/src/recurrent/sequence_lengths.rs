use alloc::vec::Vec;
use burn_core::tensor::{Backend, Int, Tensor, TensorError};

/// Number of steps of each sequence of a padded batch, in any order.
///
/// Made from a slice, an array, a list or an `Int` tensor `[batch]`; the values of a tensor are read, which
/// waits for its device, as PyTorch wants lengths on the CPU.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::SequenceLengths;
/// use burn::tensor::{Int, Tensor};
///
/// let tensor = Tensor::<NdArray, 1, Int>::from_data([3, 5], &Default::default());
/// assert_eq!(SequenceLengths::from(tensor), SequenceLengths::from([3, 5]));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SequenceLengths(Vec<i64>);

impl SequenceLengths {
    /// The lengths of `batch` sequences of at most `time` steps, for the layer of this name.
    #[track_caller]
    pub(super) fn checked(
        self,
        layer: &'static str,
        batch: usize,
        time: usize,
    ) -> Result<Vec<usize>, TensorError> {
        let SequenceLengths(lengths) = self;
        if lengths.len() != batch {
            let message = format_args!(
                "wrong number of `lengths`; expected {batch}, one for each sequence, got {}",
                lengths.len()
            );
            return Err(TensorError::argument(layer, message));
        }
        let mut valid = Vec::with_capacity(batch);
        for (at, length) in lengths.into_iter().enumerate() {
            match usize::try_from(length) {
                Ok(length) if length <= time => valid.push(length),
                Ok(_) | Err(_) => {
                    let message = format_args!(
                        "wrong `lengths`; expected 0 to {time}, the sequence length of the input, got {length} \
                         for sequence {at}"
                    );
                    return Err(TensorError::argument(layer, message));
                }
            }
        }
        Ok(valid)
    }
}

impl From<&[usize]> for SequenceLengths {
    fn from(lengths: &[usize]) -> Self {
        // A length beyond `i64` is longer than every sequence.
        let number = |&length: &usize| i64::try_from(length).unwrap_or(i64::MAX);
        SequenceLengths(lengths.iter().map(number).collect())
    }
}

impl<const N: usize> From<[usize; N]> for SequenceLengths {
    fn from(lengths: [usize; N]) -> Self {
        Self::from(&lengths[..])
    }
}

impl From<Vec<usize>> for SequenceLengths {
    fn from(lengths: Vec<usize>) -> Self {
        Self::from(&lengths[..])
    }
}

impl From<&Vec<usize>> for SequenceLengths {
    fn from(lengths: &Vec<usize>) -> Self {
        Self::from(&lengths[..])
    }
}

impl<B: Backend> From<Tensor<B, 1, Int>> for SequenceLengths {
    #[track_caller]
    fn from(lengths: Tensor<B, 1, Int>) -> Self {
        SequenceLengths(lengths.into_data().iter::<i64>().collect())
    }
}
