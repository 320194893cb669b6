use burn_backend::Element;

/// Element type of [`NdArray`](crate::NdArray), for bounds: `NdArray<E>` is a backend for every `E:
/// NdArrayElement`.
///
/// ```
/// use burn_backend::Backend;
/// use burn_ndarray::{NdArray, NdArrayElement};
///
/// fn float_type<E: NdArrayElement>() -> &'static str {
///     <NdArray<E> as Backend>::FloatElem::DTYPE.name()
/// }
/// # use burn_backend::Element;
/// assert_eq!(float_type::<f64>(), "f64");
/// ```
pub trait NdArrayElement: Element {
    /// Returns the Rust name of the type.
    fn type_name() -> &'static str {
        Self::DTYPE.name()
    }
}

impl<E: Element> NdArrayElement for E {}
