use crate::{Float, Tensor, TensorKind};
use alloc::vec::{IntoIter, Vec};
use burn_backend::{AutodiffBackend, Backend};

/// Arguments and results of functions: a tensor, an array of such, or a tuple of up to six.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::tensor::{Int, Tensor, grad::Tensors};
///
/// fn count<X: Tensors>(x: X) -> usize {
///     x.into_handles().len()
/// }
/// type B = NdArray;
/// let device = Default::default();
/// let matrix = Tensor::<B, 2>::zeros([2, 3], &device);
/// let indices = Tensor::<B, 1, Int>::zeros([2], &device);
/// assert_eq!(count((matrix.clone(), [indices.clone(), indices], matrix)), 4);
/// ```
pub trait Tensors: Clone {
    type Backend: Backend;
    /// The same tensors on another backend.
    type On<B: Backend>: Tensors<Backend = B>;

    /// Adds the tensors to a list, in order.
    fn push_handles(self, handles: &mut Vec<<Self::Backend as Backend>::Tensor>);
    /// Takes tensors of these ranks and kinds from a list.
    fn take_handles(handles: &mut IntoIter<<Self::Backend as Backend>::Tensor>) -> Self;

    /// Converts the tensors to a list.
    fn into_handles(self) -> Vec<<Self::Backend as Backend>::Tensor> {
        let mut handles = Vec::new();
        self.push_handles(&mut handles);
        handles
    }

    /// Rebuilds the tensors from a list, the reverse of [`Tensors::into_handles`].
    fn from_handles(handles: Vec<<Self::Backend as Backend>::Tensor>) -> Self {
        Self::take_handles(&mut handles.into_iter())
    }
}

/// [`Tensors`] of real numbers, which have gradients.
pub trait FloatTensors: Tensors {}

/// The backend below.
pub(super) type Below<B> = <B as AutodiffBackend>::InnerBackend;

/// `X` on the backend below that of `X`.
pub type Inner<X> = <X as Tensors>::On<Below<<X as Tensors>::Backend>>;

/// `X` two backends below that of `X`.
pub type Innermost<X> = <X as Tensors>::On<Below<Below<<X as Tensors>::Backend>>>;

impl<B: Backend, const D: usize, K: TensorKind> Tensors for Tensor<B, D, K> {
    type Backend = B;
    type On<B2: Backend> = Tensor<B2, D, K>;

    fn push_handles(self, handles: &mut Vec<B::Tensor>) {
        handles.push(self.into_handle());
    }
    fn take_handles(handles: &mut IntoIter<B::Tensor>) -> Self {
        Tensor::from_handle(handles.next().expect("as many tensors as there were"))
    }
}

impl<B: Backend, const D: usize> FloatTensors for Tensor<B, D, Float> {}

impl<T: Tensors, const N: usize> Tensors for [T; N] {
    type Backend = T::Backend;
    type On<B: Backend> = [T::On<B>; N];

    fn push_handles(self, handles: &mut Vec<<Self::Backend as Backend>::Tensor>) {
        self.into_iter().for_each(|x| x.push_handles(handles));
    }
    fn take_handles(handles: &mut IntoIter<<Self::Backend as Backend>::Tensor>) -> Self {
        core::array::from_fn(|_| T::take_handles(handles))
    }
}

impl<T: FloatTensors, const N: usize> FloatTensors for [T; N] {}

macro_rules! tuples {
    ($(($first:ident $(, $more:ident)*);)*) => {$(
        impl<$first: Tensors, $($more: Tensors<Backend = $first::Backend>),*> Tensors for ($first, $($more,)*) {
            type Backend = $first::Backend;
            type On<Other: Backend> = ($first::On<Other>, $($more::On<Other>,)*);

            #[allow(non_snake_case)]
            fn push_handles(self, handles: &mut Vec<<Self::Backend as Backend>::Tensor>) {
                let ($first, $($more,)*) = self;
                $first.push_handles(handles);
                $($more.push_handles(handles);)*
            }
            fn take_handles(handles: &mut IntoIter<<Self::Backend as Backend>::Tensor>) -> Self {
                ($first::take_handles(handles), $($more::take_handles(handles),)*)
            }
        }
        impl<$first: FloatTensors, $($more: FloatTensors<Backend = $first::Backend>),*> FloatTensors
            for ($first, $($more,)*) {}
    )*};
}

tuples! {
    (T1);
    (T1, T2);
    (T1, T2, T3);
    (T1, T2, T3, T4);
    (T1, T2, T3, T4, T5);
    (T1, T2, T3, T4, T5, T6);
}
