use std::marker::PhantomData;

/// Router over several backends, which runs each call on the backend of its tensors: `Router<(A, B)>`, up to
/// six.
///
/// The same backend may occur more than once. Default element types are those of the first.
#[derive(Clone, Copy, Debug, Default)]
pub struct Router<T>(PhantomData<T>);
