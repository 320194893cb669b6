//! Losses that are a function of the difference of prediction and target, element by element.

macro_rules! difference_loss {
    ($loss:ident, $name:literal) => {
        #[fallible(layer = $name)]
        impl $loss {
            /// Computes the reduced loss, shape `[1]`, of a prediction and a target whose shapes broadcast.
            ///
            /// # Panics
            /// The shapes do not broadcast.
            pub fn forward<B: Backend, const D: usize>(
                &self,
                prediction: Tensor<B, D>,
                target: Tensor<B, D>,
                reduction: Reduction,
            ) -> Tensor<B, 1> {
                pair_in_f32(prediction, target, |x, y| reduction.reduce(self.losses(x, y)))
            }

            /// Computes the loss per element, without a reduction.
            ///
            /// # Panics
            /// The shapes do not broadcast.
            pub fn forward_no_reduction<B: Backend, const D: usize>(
                &self,
                prediction: Tensor<B, D>,
                target: Tensor<B, D>,
            ) -> Tensor<B, D> {
                pair_in_f32(prediction, target, |x, y| self.losses(x, y))
            }
        }

        impl $loss {
            /// The loss per element, in the type of its arguments.
            #[track_caller]
            fn losses<B: Backend, const D: usize>(
                &self,
                prediction: Tensor<B, D>,
                target: Tensor<B, D>,
            ) -> Tensor<B, D> {
                check_broadcast($name, &prediction.dims(), &target.dims());
                self.of_difference(prediction - target)
            }
        }
    };
}
pub(super) use difference_loss;
