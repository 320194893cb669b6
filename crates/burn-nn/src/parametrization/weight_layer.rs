use crate::conv::{Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d};
use crate::{Embedding, Linear};
use burn_core::module::{Module, Param};
use burn_core::tensor::{Backend, Tensor};

/// Layer with a weight of rank `D` that can be computed: by [`WeightNorm`](super::WeightNorm),
/// [`SpectralNorm`](super::SpectralNorm), or a parametrization of your own.
pub trait WeightLayer<B: Backend, const D: usize>: Module<B> {
    /// Dimension of the weight that counts the outputs of the layer.
    const OUTPUT_DIM: usize;

    /// Returns the weight.
    fn weight(&self) -> &Param<Tensor<B, D>>;

    /// Returns the place of the weight; [`Param::computed`] puts a computed one there.
    fn weight_mut(&mut self) -> &mut Param<Tensor<B, D>>;
}

macro_rules! weight_layers {
    ($($layer:ident: rank $rank:literal, outputs $output_dim:literal;)*) => {$(
        impl<B: Backend> WeightLayer<B, $rank> for $layer<B> {
            const OUTPUT_DIM: usize = $output_dim;

            fn weight(&self) -> &Param<Tensor<B, $rank>> {
                &self.weight
            }
            fn weight_mut(&mut self) -> &mut Param<Tensor<B, $rank>> {
                &mut self.weight
            }
        }
    )*};
}

weight_layers! {
    Conv1d: rank 3, outputs 0;
    Conv2d: rank 4, outputs 0;
    Conv3d: rank 5, outputs 0;
    ConvTranspose1d: rank 3, outputs 1;
    ConvTranspose2d: rank 4, outputs 1;
    ConvTranspose3d: rank 5, outputs 1;
    Embedding: rank 2, outputs 0;
    Linear: rank 2, outputs 1;
}
