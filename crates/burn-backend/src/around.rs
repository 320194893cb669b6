//! Decorators whose tensors and devices are those of the backend below.

use crate::dynamic::{BackendObject, object_of};
use crate::interpreter::Interpreter;
use crate::{
    AutodiffBackend, Backend, BackwardError, Block, FusionBackend, FusionObject, InnerTensor, Segment,
    create, fusion_object_of, reference,
};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use burn_ir::{Composite, Creation, DType, DataError, Operation, Outputs, TensorData};
use core::fmt::Debug;
use core::future::Future;

type D<A> = <<A as Around>::Inner as Backend>::Device;
type T<A> = <<A as Around>::Inner as Backend>::Tensor;

/// A decorator that keeps nothing with a tensor: one function, which is between the program and the backend below.
///
/// Whoever implements this has [`Interpreter`], so [`Backend`], for free, and [`FusionBackend`] and
/// [`AutodiffBackend`] where the backend below has them. A decorator that gives tensors a companion implements
/// [`Interpreter`].
///
/// ```
/// use burn_backend::{Around, Backend, Operation, Outputs};
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
///
/// fn is_backend<B: Backend>() {}
/// fn with_log<B: Backend>() {
///     is_backend::<Log<Log<B>>>();
/// }
/// ```
pub trait Around: Clone + Debug + Default + Send + Sync + 'static {
    /// The backend below.
    type Inner: Backend;
    /// What stands before the name of the backend below, as `"profile"` in `profile<ndarray>`.
    const NAME: &'static str;

    /// What becomes of a call; `Self::Inner::execute(op)` makes it.
    #[track_caller]
    fn interpret(op: Operation<T<Self>>) -> Outputs<T<Self>>;

    /// What becomes of several calls that can be one pass. By default each goes through [`Around::interpret`], so
    /// that none is missed; `Self::Inner::run_block(block)` keeps the pass.
    #[track_caller]
    fn run_block(block: Block<T<Self>>) -> Vec<T<Self>> {
        reference::run_block::<Self>(block)
    }
    /// What becomes of a tensor that is made of no other.
    fn create(creation: Creation, device: &D<Self>) -> T<Self> {
        create::<Self::Inner>(creation, device)
    }
    /// What becomes of a tensor that the program reads.
    fn read(x: T<Self>) -> impl Future<Output = Result<TensorData, DataError>> + Send {
        Self::Inner::into_data(x)
    }
    /// What becomes of a tensor that moves.
    fn to_device(x: T<Self>, device: &D<Self>) -> T<Self> {
        Self::Inner::to_device(x, device)
    }
}

impl<A: Around> Interpreter for A {
    type Device = D<A>;
    type Tensor = T<A>;
    type FloatElem = <A::Inner as Backend>::FloatElem;
    type IntElem = <A::Inner as Backend>::IntElem;

    fn interpret(op: Operation<T<A>>) -> Outputs<T<A>> {
        <A as Around>::interpret(op)
    }
    fn run_block(block: Block<T<A>>) -> Vec<T<A>> {
        <A as Around>::run_block(block)
    }
    fn create(creation: Creation, device: &D<A>) -> T<A> {
        <A as Around>::create(creation, device)
    }
    fn argwhere(mask: T<A>, index: DType) -> impl Future<Output = Result<T<A>, DataError>> + Send {
        A::Inner::argwhere(mask, index)
    }
    fn read(x: T<A>) -> impl Future<Output = Result<TensorData, DataError>> + Send {
        <A as Around>::read(x)
    }
    fn device(x: &T<A>) -> D<A> {
        A::Inner::device(x)
    }
    fn to_device(x: T<A>, device: &D<A>) -> T<A> {
        <A as Around>::to_device(x, device)
    }
    fn sync(device: &D<A>) {
        A::Inner::sync(device);
    }
    fn seed(seed: u64) {
        A::Inner::seed(seed);
    }
    fn name(device: &D<A>) -> String {
        format!("{}<{}>", A::NAME, A::Inner::name(device))
    }
    fn object() -> &'static dyn BackendObject {
        object_of::<A>()
    }
    fn tracks_gradients(device: &D<A>) -> bool {
        A::Inner::tracks_gradients(device)
    }
    fn set_require_grad(x: T<A>, require_grad: bool) -> T<A> {
        A::Inner::set_require_grad(x, require_grad)
    }
    fn is_require_grad(x: &T<A>) -> bool {
        A::Inner::is_require_grad(x)
    }
    fn detach(x: T<A>) -> T<A> {
        A::Inner::detach(x)
    }
    // The segment makes its calls on this backend, whatever tracks below.
    fn checkpoint(segment: Segment<T<A>>, inputs: Vec<T<A>>) -> Vec<T<A>> {
        A::Inner::checkpoint(segment, inputs)
    }
}

impl<A: Around> FusionBackend for A
where
    A::Inner: FusionBackend,
{
    fn has_kernel(composite: Composite) -> bool {
        A::Inner::has_kernel(composite)
    }
    fn fusion_object() -> &'static dyn FusionObject {
        fusion_object_of::<A>()
    }
}

impl<A: Around> AutodiffBackend for A
where
    A::Inner: AutodiffBackend,
{
    type InnerBackend = <A::Inner as AutodiffBackend>::InnerBackend;
    type Gradients = <A::Inner as AutodiffBackend>::Gradients;

    fn backward(x: T<A>) -> Result<Self::Gradients, BackwardError> {
        A::Inner::backward(x)
    }
    fn grad(x: &T<A>, gradients: &Self::Gradients) -> Option<InnerTensor<A::Inner>> {
        A::Inner::grad(x, gradients)
    }
    fn grad_remove(x: &T<A>, gradients: &mut Self::Gradients) -> Option<InnerTensor<A::Inner>> {
        A::Inner::grad_remove(x, gradients)
    }
    fn grad_replace(x: &T<A>, gradients: &mut Self::Gradients, gradient: InnerTensor<A::Inner>) {
        A::Inner::grad_replace(x, gradients, gradient);
    }
    fn inner(x: T<A>) -> InnerTensor<A::Inner> {
        A::Inner::inner(x)
    }
    fn from_inner(x: InnerTensor<A::Inner>) -> T<A> {
        A::Inner::from_inner(x)
    }
}
