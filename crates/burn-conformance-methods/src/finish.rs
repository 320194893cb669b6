use super::arguments::Done;
use burn_backend::{Backend, TensorData};
use burn_tensor::module::RecurrentState;
use burn_tensor::named::{NamedTensor, Names};
use burn_tensor::{DimIter, DynTensor, Tensor, TensorKind};

/// Elements of a result that is read.
const MOST_ELEMENTS: usize = 1 << 20;

/// A result that is computed to the end.
pub trait Finish {
    fn finish(self) -> Done;
}

impl<B: Backend, const D: usize, K: TensorKind> Finish for Tensor<B, D, K> {
    fn finish(self) -> Done {
        let shape = self.shape();
        assert!(shape.rank() == D, "the result has rank {}, not {D}", shape.rank());
        // A view may be larger than memory.
        let counted = shape.checked_num_elements().expect("elements can be counted");
        if counted <= MOST_ELEMENTS {
            self.try_into_data().map(|data| assert!(data.shape == shape))
        } else {
            Ok(())
        }
    }
}

impl<B: Backend, K: TensorKind> Finish for DynTensor<B, K> {
    fn finish(self) -> Done {
        let shape = self.shape();
        let counted = shape.checked_num_elements().expect("elements can be counted");
        if counted <= MOST_ELEMENTS {
            self.try_into_data().map(|data| assert!(data.shape == shape))
        } else {
            Ok(())
        }
    }
}

impl<B: Backend, N: Names> Finish for NamedTensor<B, N> {
    fn finish(self) -> Done {
        self.shape().checked_num_elements().expect("elements can be counted");
        Ok(())
    }
}

impl<B: Backend, const D: usize, K: TensorKind> Finish for DimIter<B, D, K> {
    fn finish(mut self) -> Done {
        self.next().map_or(Ok(()), Finish::finish)
    }
}

impl<B: Backend> Finish for RecurrentState<B> {
    fn finish(self) -> Done {
        (self.hidden, self.cell).finish()
    }
}

impl<X: Finish, const N: usize> Finish for [X; N] {
    fn finish(self) -> Done {
        self.into_iter().try_for_each(Finish::finish)
    }
}

impl<X: Finish, Y: Finish> Finish for (X, Y) {
    fn finish(self) -> Done {
        self.0.finish()?;
        self.1.finish()
    }
}

impl<X: Finish, Y: Finish, Z: Finish> Finish for (X, Y, Z) {
    fn finish(self) -> Done {
        self.0.finish()?;
        self.1.finish()?;
        self.2.finish()
    }
}

impl<X: Finish> Finish for Option<X> {
    fn finish(self) -> Done {
        self.map_or(Ok(()), Finish::finish)
    }
}

impl<X: Finish> Finish for Vec<X> {
    fn finish(self) -> Done {
        self.into_iter().try_for_each(Finish::finish)
    }
}

macro_rules! plain {
    ($($ty:ty)*) => {$(
        impl Finish for $ty {
            fn finish(self) -> Done {
                Ok(())
            }
        }
    )*};
}
plain!(() f32 i64 bool TensorData);
