use std::marker::PhantomData;

/// Runs each call on the backend its tensors live on: `Router<(A, B)>`, up to six.
///
/// The same backend may be there more than once. Element types that nobody asks for are those of the first.
#[derive(Clone, Copy, Debug, Default)]
pub struct Router<T>(PhantomData<T>);
