use std::marker::PhantomData;

/// The leaf over candle. `F` and `I` are the default element types; tensors may have others.
#[derive(Clone, Copy, Debug, Default)]
pub struct Candle<F = f32, I = i64>(PhantomData<(F, I)>);

/// The leaf that compositions are made on: kernels know no default element types.
pub type Leaf = Candle<f32, i64>;
