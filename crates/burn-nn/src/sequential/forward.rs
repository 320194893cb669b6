use alloc::boxed::Box;
use alloc::vec::Vec;

/// Layer as a function of one input, so that layers can be composed. [`Sequential`](super::Sequential) is a
/// list of them.
///
/// Layers have the same `forward` as a method of their own, and programs that call a layer need no trait. A
/// layer of your own takes part in compositions when it implements this:
///
/// ```
/// use burn::backend::NdArray;
/// use burn::module::Module;
/// use burn::nn::{Forward, Relu, Sequential};
/// use burn::tensor::{Tensor, backend::Backend};
///
/// #[derive(Module, Clone, Debug)]
/// struct Double;
///
/// impl<B: Backend> Forward<Tensor<B, 1>> for Double {
///     type Output = Tensor<B, 1>;
///
///     fn forward(&self, input: Tensor<B, 1>) -> Tensor<B, 1> {
///         input * 2.0
///     }
/// }
///
/// let layers = Sequential::new((Double, Relu::new()));
/// let y = layers.forward(Tensor::<NdArray, 1>::from_data([-1.0, 3.0], &Default::default()));
/// assert_eq!(y.into_data().to_f64(), [0.0, 6.0]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no layer for the input `{Input}`",
    note = "the output of each layer of a composition must be an input of the next one; layers of your own implement `Forward`"
)]
pub trait Forward<Input> {
    /// Output of the layer.
    type Output;

    /// Applies the layer.
    ///
    /// # Panics
    /// The layer refuses the shape of the input.
    #[track_caller]
    fn forward(&self, input: Input) -> Self::Output;
}

/// Layers of one type, one after the other.
impl<T, L: Forward<T, Output = T>> Forward<T> for Vec<L> {
    type Output = T;

    #[track_caller]
    fn forward(&self, input: T) -> T {
        self.as_slice().forward(input)
    }
}

impl<T, L: Forward<T, Output = T>, const N: usize> Forward<T> for [L; N] {
    type Output = T;

    #[track_caller]
    fn forward(&self, input: T) -> T {
        self.as_slice().forward(input)
    }
}

impl<T, L: Forward<T, Output = T>> Forward<T> for [L] {
    type Output = T;

    #[track_caller]
    fn forward(&self, input: T) -> T {
        let mut value = input;
        for layer in self {
            value = layer.forward(value);
        }
        value
    }
}

/// The identity where there is no layer.
impl<T, L: Forward<T, Output = T>> Forward<T> for Option<L> {
    type Output = T;

    #[track_caller]
    fn forward(&self, input: T) -> T {
        match self {
            Some(layer) => layer.forward(input),
            None => input,
        }
    }
}

impl<Input, L: Forward<Input>> Forward<Input> for Box<L> {
    type Output = L::Output;

    #[track_caller]
    fn forward(&self, input: Input) -> L::Output {
        L::forward(self, input)
    }
}

/// Layers of any types, one after the other.
macro_rules! chains {
    ($($first:ident 0 $(-> $layer:ident $index:tt of $previous:ident)*, $last:ident;)*) => {$(
        impl<Input, $first: Forward<Input>, $($layer: Forward<$previous::Output>),*> Forward<Input>
            for ($first, $($layer,)*)
        {
            type Output = $last::Output;

            #[track_caller]
            fn forward(&self, input: Input) -> Self::Output {
                let value = self.0.forward(input);
                $(let value = self.$index.forward(value);)*
                value
            }
        }
    )*};
}

chains! {
    L0 0, L0;
    L0 0 -> L1 1 of L0, L1;
    L0 0 -> L1 1 of L0 -> L2 2 of L1, L2;
    L0 0 -> L1 1 of L0 -> L2 2 of L1 -> L3 3 of L2, L3;
    L0 0 -> L1 1 of L0 -> L2 2 of L1 -> L3 3 of L2 -> L4 4 of L3, L4;
    L0 0 -> L1 1 of L0 -> L2 2 of L1 -> L3 3 of L2 -> L4 4 of L3 -> L5 5 of L4, L5;
    L0 0 -> L1 1 of L0 -> L2 2 of L1 -> L3 3 of L2 -> L4 4 of L3 -> L5 5 of L4 -> L6 6 of L5, L6;
    L0 0 -> L1 1 of L0 -> L2 2 of L1 -> L3 3 of L2 -> L4 4 of L3 -> L5 5 of L4 -> L6 6 of L5 -> L7 7 of L6, L7;
    L0 0 -> L1 1 of L0 -> L2 2 of L1 -> L3 3 of L2 -> L4 4 of L3 -> L5 5 of L4 -> L6 6 of L5 -> L7 7 of L6
        -> L8 8 of L7, L8;
    L0 0 -> L1 1 of L0 -> L2 2 of L1 -> L3 3 of L2 -> L4 4 of L3 -> L5 5 of L4 -> L6 6 of L5 -> L7 7 of L6
        -> L8 8 of L7 -> L9 9 of L8, L9;
    L0 0 -> L1 1 of L0 -> L2 2 of L1 -> L3 3 of L2 -> L4 4 of L3 -> L5 5 of L4 -> L6 6 of L5 -> L7 7 of L6
        -> L8 8 of L7 -> L9 9 of L8 -> L10 10 of L9, L10;
    L0 0 -> L1 1 of L0 -> L2 2 of L1 -> L3 3 of L2 -> L4 4 of L3 -> L5 5 of L4 -> L6 6 of L5 -> L7 7 of L6
        -> L8 8 of L7 -> L9 9 of L8 -> L10 10 of L9 -> L11 11 of L10, L11;
}
