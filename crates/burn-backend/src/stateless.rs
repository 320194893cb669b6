//! Decorators whose tensors and devices are those of the backend below.

use crate::{Backend, Block, reference};
#[doc(hidden)]
pub use alloc::boxed::Box;
use alloc::format;
#[doc(hidden)]
pub use alloc::string::String;
#[doc(hidden)]
pub use alloc::vec::Vec;
use burn_ir::{Creation, DataError, Operation, Outputs, TensorData};
use core::fmt::Debug;
use core::future::Future;

type D<A> = <<A as Around>::Inner as Backend>::Device;
type T<A> = <<A as Around>::Inner as Backend>::Tensor;

/// Decorator without state per tensor: one function between the program and the backend below.
///
/// [`around!`](crate::around!) makes a backend of whatever implements this, which fuses and has gradients
/// where the backend below does. A decorator that gives tensors a companion implements [`Backend`].
///
/// ```
/// use burn_backend::{Around, Backend, Operation, Outputs, around};
/// use core::marker::PhantomData;
///
/// /// Prints the name of each operation.
/// #[derive(Clone, Copy, Debug, Default)]
/// struct Log<B>(PhantomData<B>);
///
/// impl<B: Backend> Around for Log<B> {
///     type Inner = B;
///     const NAME: &'static str = "log";
///
///     fn interpret(op: Operation<B::Tensor>) -> Outputs<B::Tensor> {
///         println!("{}", op.name());
///         B::execute(op)
///     }
/// }
/// around!(Log<B>);
///
/// fn is_backend<B: Backend>() {}
/// fn with_log<B: Backend>() {
///     is_backend::<Log<Log<B>>>();
/// }
/// ```
pub trait Around: Clone + Debug + Default + Send + Sync + 'static {
    /// The backend below.
    type Inner: Backend;
    /// Prefix of the backend's name, as `"profile"` in `profile<ndarray>`.
    const NAME: &'static str;

    /// Executes one operation; `Self::Inner::execute(op)` passes it to the backend below unchanged.
    #[track_caller]
    fn interpret(op: Operation<T<Self>>) -> Outputs<T<Self>>;

    /// Executes several operations that can run in a single pass. By default each one goes through
    /// [`Around::interpret`], so that none is missed; `Self::Inner::run_block(block)` keeps the single pass.
    #[track_caller]
    fn run_block(block: Block<T<Self>>) -> Vec<T<Self>>
    where
        Self: Backend<Tensor = T<Self>>,
    {
        reference::run_block::<Self>(block)
    }
    /// Creates a tensor from a creation (constant, random numbers, host data) that has no tensor operands.
    fn create(creation: Creation, device: &D<Self>) -> T<Self> {
        Self::Inner::create(creation, device)
    }
    /// Reads a tensor back to the host.
    fn read(x: T<Self>) -> impl Future<Output = Result<TensorData, DataError>> + Send {
        Self::Inner::into_data(x)
    }
    /// Moves a tensor to `device`.
    fn to_device(x: T<Self>, device: &D<Self>) -> T<Self> {
        Self::Inner::to_device(x, device)
    }
}

/// Makes a backend of a type that implements [`Around`]: with [`Backend`](crate::Backend), and with
/// [`FusionBackend`](crate::FusionBackend) and
/// [`AutodiffBackend`](crate::AutodiffBackend) where the backend below, the first parameter, has them.
///
/// ```
/// # use burn_backend::{Around, Backend, Operation, Outputs, around};
/// # use core::marker::PhantomData;
/// trait Level: Clone + Copy + core::fmt::Debug + Default + Send + Sync + 'static {}
/// #[derive(Clone, Copy, Debug, Default)]
/// struct Log<B, L>(PhantomData<(B, L)>);
/// # impl<B: Backend, L: Level> Around for Log<B, L> {
/// #     type Inner = B;
/// #     const NAME: &'static str = "log";
/// #     fn interpret(op: Operation<B::Tensor>) -> Outputs<B::Tensor> { B::execute(op) }
/// # }
/// around!(Log<B, L: Level>);
/// ```
// Not implementations for all `A: Around`: the compiler would answer a missing gradient with `NdArray:
// Around` is missing.
#[macro_export]
macro_rules! around {
    ($name:ident<$inner:ident $(, $param:ident: $bound:path)*>) => {
        impl<$inner: $crate::Backend $(, $param: $bound)*> $crate::Backend
            for $name<$inner $(, $param)*>
        {
            type Device = $inner::Device;
            type Tensor = $inner::Tensor;
            type FloatElem = $inner::FloatElem;
            type IntElem = $inner::IntElem;

            fn execute(op: $crate::Operation<$inner::Tensor>) -> $crate::Outputs<$inner::Tensor> {
                <Self as $crate::Around>::interpret(op)
            }
            fn run_block(block: $crate::Block<$inner::Tensor>) -> $crate::stateless::Vec<$inner::Tensor> {
                <Self as $crate::Around>::run_block(block)
            }
            fn create(creation: $crate::Creation, device: &$inner::Device) -> $inner::Tensor {
                <Self as $crate::Around>::create(creation, device)
            }
            fn argwhere(
                mask: $inner::Tensor,
                index: $crate::DType,
            ) -> impl ::core::future::Future<Output = Result<$inner::Tensor, $crate::DataError>> + Send {
                $inner::argwhere(mask, index)
            }
            fn into_data(
                x: $inner::Tensor,
            ) -> impl ::core::future::Future<Output = Result<$crate::TensorData, $crate::DataError>> + Send {
                <Self as $crate::Around>::read(x)
            }
            fn device(x: &$inner::Tensor) -> $inner::Device {
                $inner::device(x)
            }
            fn to_device(x: $inner::Tensor, device: &$inner::Device) -> $inner::Tensor {
                <Self as $crate::Around>::to_device(x, device)
            }
            fn sync(device: &$inner::Device) {
                $inner::sync(device);
            }
            fn launch_graphs(
                device: &$inner::Device,
            ) -> Option<$crate::stateless::Box<dyn $crate::LaunchGraphs>> {
                $inner::launch_graphs(device)
            }
            fn seed(seed: u64) {
                $inner::seed(seed);
            }
            fn name(device: &$inner::Device) -> $crate::stateless::String {
                $crate::stateless::name(<Self as $crate::Around>::NAME, &$inner::name(device))
            }
            fn has_dtype(device: &$inner::Device, dtype: $crate::DType) -> bool {
                $inner::has_dtype(device, dtype)
            }
            fn object() -> &'static dyn $crate::dynamic::BackendObject {
                $crate::dynamic::object_of::<Self>()
            }
            fn tracks_gradients(device: &$inner::Device) -> bool {
                $inner::tracks_gradients(device)
            }
            fn set_require_grad(x: $inner::Tensor, require_grad: bool) -> $inner::Tensor {
                $inner::set_require_grad(x, require_grad)
            }
            fn is_require_grad(x: &$inner::Tensor) -> bool {
                $inner::is_require_grad(x)
            }
            fn detach(x: $inner::Tensor) -> $inner::Tensor {
                $inner::detach(x)
            }
            // The segment makes its calls on this backend, whatever tracks below.
            fn checkpoint(
                segment: $crate::Segment<$inner::Tensor>,
                inputs: $crate::stateless::Vec<$inner::Tensor>,
            ) -> $crate::stateless::Vec<$inner::Tensor> {
                $inner::checkpoint(segment, inputs)
            }
            fn linear_map(
                map: $crate::LinearMapRef,
                x: $inner::Tensor,
            ) -> Result<$inner::Tensor, $crate::LinearMapError> {
                $inner::linear_map(map, x)
            }
        }

        // A forgotten method would answer for a backend that says otherwise: the lint finds it in the test
        // below, where this expands in its own crate.
        #[deny(clippy::missing_trait_methods)]
        impl<$inner: $crate::FusionBackend $(, $param: $bound)*> $crate::FusionBackend
            for $name<$inner $(, $param)*>
        {
            fn has_kernel(composite: $crate::Composite) -> bool {
                $inner::has_kernel(composite)
            }
            fn takes_head(kind: $crate::HeadKind) -> bool {
                $inner::takes_head(kind)
            }
            fn folds(dtype: $crate::DType, rows: usize, terms: usize) -> bool {
                $inner::folds(dtype, rows, terms)
            }
            // Each product goes through `Around::interpret`, so that none is missed.
            fn has_products(_lhs: &$crate::TensorSpec) -> bool {
                false
            }
            fn products(
                _lhs: &$inner::Tensor,
                _rhs: &[$inner::Tensor],
            ) -> Option<$crate::stateless::Vec<$inner::Tensor>> {
                None
            }
            fn takes_rows(_rows: &$crate::TensorSpec) -> bool {
                false
            }
            fn products_of_rows(_rows: &$crate::BlockRows<$inner::Tensor>, _rhs: &[$inner::Tensor]) -> Option<$crate::stateless::Vec<$inner::Tensor>> {
                None
            }
            fn fusion_object() -> &'static dyn $crate::FusionObject {
                $crate::fusion_object_of::<Self>()
            }
        }

        impl<$inner: $crate::AutodiffBackend $(, $param: $bound)*> $crate::AutodiffBackend
            for $name<$inner $(, $param)*>
        {
            type InnerBackend = $inner::InnerBackend;
            type Gradients = $inner::Gradients;

            fn backward(x: $inner::Tensor) -> Result<Self::Gradients, $crate::BackwardError> {
                $inner::backward(x)
            }
            fn grad(x: &$inner::Tensor, gradients: &Self::Gradients) -> Option<$crate::InnerTensor<$inner>> {
                $inner::grad(x, gradients)
            }
            fn grad_remove(
                x: &$inner::Tensor,
                gradients: &mut Self::Gradients,
            ) -> Option<$crate::InnerTensor<$inner>> {
                $inner::grad_remove(x, gradients)
            }
            fn grad_replace(
                x: &$inner::Tensor,
                gradients: &mut Self::Gradients,
                gradient: $crate::InnerTensor<$inner>,
            ) {
                $inner::grad_replace(x, gradients, gradient);
            }
            fn leaf_id(x: &$inner::Tensor) -> Option<$crate::LeafId> {
                $inner::leaf_id(x)
            }
            fn inner(x: $inner::Tensor) -> $crate::InnerTensor<$inner> {
                $inner::inner(x)
            }
            fn from_inner(x: $crate::InnerTensor<$inner>) -> $inner::Tensor {
                $inner::from_inner(x)
            }
        }
    };
}

/// Returns the name of a decorator around a backend; for [`around!`].
#[doc(hidden)]
pub fn name(outer: &str, inner: &str) -> String {
    format!("{outer}<{inner}>")
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::marker::PhantomData;

    /// Passes all calls on: an expansion in this crate, in which lints check [`around!`](crate::around!).
    #[expect(dead_code, reason = "its implementations are linted, not run")]
    #[derive(Clone, Copy, Debug, Default)]
    struct Unchanged<B>(PhantomData<B>);

    impl<B: Backend> Around for Unchanged<B> {
        type Inner = B;
        const NAME: &'static str = "unchanged";

        fn interpret(op: Operation<B::Tensor>) -> Outputs<B::Tensor> {
            B::execute(op)
        }
    }

    crate::around!(Unchanged<B>);
}
