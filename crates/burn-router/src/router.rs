use std::marker::PhantomData;

/// Runs each call on the backend its tensors live on: `Router<(A, B)>`, up to six.
///
/// The same backend may occur more than once. Default element types are those of the first.
#[derive(Clone, Copy, Debug, Default)]
pub struct Router<T>(PhantomData<T>);
