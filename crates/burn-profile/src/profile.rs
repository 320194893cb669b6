use crate::call::ProfiledCall;
use crate::measure::specs;
use crate::{Mode, Report, Trace, Unsynced, ledger};
use burn_backend::*;
use std::any::TypeId;
use std::marker::PhantomData;

/// Profiler: a backend decorator that times every call.
///
/// All threads write into one ledger for each `Profile<B, M>`; an entry costs about 200 ns. Kernel names are
/// listed below a call where the backend reports them ([`burn_backend::kernels`]).
///
/// A call belongs to the module whose parameter was read last in the layer that runs; after that layer, to
/// the module that holds it. Calls of a backward pass belong to the module of their forward call, and are
/// listed apart from it, as are those of a step of an optimizer. Paths of parameters are known from the first
/// such step, or from `Module::profile_by_module`.
///
/// ```
/// use burn::backend::{NdArray, Profile};
/// use burn::tensor::Tensor;
///
/// type P = Profile<NdArray>;
/// let x = Tensor::<P, 1>::from_data([1.0, 2.0], &Default::default());
/// let _sum = x.clone() + x;
/// let report = P::report();
/// let add = report.by_name().into_iter().find(|row| row.name == "add").unwrap();
/// assert_eq!((add.count, add.bytes), (1, 3 * 2 * 4));
/// println!("{report}");
/// ```
///
/// By module:
///
/// ```
/// use burn::backend::{Autodiff, NdArray, Profile};
/// use burn::module::Module;
/// use burn::nn::{Linear, LinearConfig};
/// use burn::tensor::{Tensor, backend::Backend};
///
/// #[derive(Module, Debug)]
/// struct Model<B: Backend> {
///     hidden: Linear<B>,
///     output: Linear<B>,
/// }
///
/// type P = Profile<NdArray>;
/// type B = Autodiff<P>;
/// let device = Default::default();
/// let model: Model<B> =
///     Model { hidden: LinearConfig::new(4, 8).init(&device), output: LinearConfig::new(8, 2).init(&device) };
/// model.profile_by_module();
/// let x = Tensor::<B, 2>::ones([16, 4], &device);
/// let _gradients = model.output.forward(model.hidden.forward(x).tanh()).sum().backward();
///
/// let report = P::report();
/// let modules: Vec<String> = report.by_module().into_iter().map(|row| row.module).collect();
/// assert!(modules.contains(&"hidden".to_string()) && modules.contains(&"hidden (backward)".to_string()));
/// // All calls of one module, by operation.
/// println!("{}\n{}", report.module_table(), report.within("hidden"));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Profile<B, M = Unsynced>(PhantomData<(B, M)>);

impl<B: Backend, M: Mode> Profile<B, M> {
    /// Returns the measurements since the program started, or since [`Profile::reset`].
    pub fn report() -> Report {
        ledger::report(TypeId::of::<Self>())
    }

    /// Discards the measurements.
    pub fn reset() {
        ledger::reset(TypeId::of::<Self>());
    }

    /// Starts a trace of each call with its time, up to `limit` calls.
    pub fn start_trace(limit: usize) {
        ledger::start_trace(TypeId::of::<Self>(), limit);
    }

    /// Returns the calls since [`Profile::start_trace`]; an empty trace if it was not called.
    pub fn finish_trace() -> Trace {
        ledger::finish_trace(TypeId::of::<Self>())
    }

    /// Waits until the device has completed its work, if calls are timed synchronously.
    fn settle(device: &B::Device) {
        if M::SYNCED {
            B::sync(device);
        }
    }
}

around!(Profile<B, M: Mode>);

impl<B: Backend, M: Mode> Around for Profile<B, M> {
    type Inner = B;
    const NAME: &'static str = "profile";

    fn interpret(op: Operation<B::Tensor>) -> Outputs<B::Tensor> {
        let mut call = ProfiledCall::new::<Self>(op.name());
        op.visit(|x| call.operand(x.spec()));
        let (running, listening) = (call.begin(), kernels::listen());
        let outputs = B::execute(op);
        Self::settle(&B::device(outputs.first()));
        running.end(specs(&outputs), listening.heard());
        outputs
    }
    fn run_block(block: Block<B::Tensor>) -> Vec<B::Tensor> {
        let names: Vec<&str> = block.names().collect();
        let mut call = ProfiledCall::new::<Self>(format!("block {}", names.join("+")));
        block.operands().for_each(|x| call.operand(x.spec()));
        let (running, listening) = (call.begin(), kernels::listen());
        let outputs = B::run_block(block);
        outputs.first().into_iter().for_each(|x| Self::settle(&B::device(x)));
        running.end(outputs.iter().map(HasSpec::spec), listening.heard());
        outputs
    }
    fn create(creation: Creation, device: &B::Device) -> B::Tensor {
        let (running, listening) = (ProfiledCall::new::<Self>(creation.name()).begin(), kernels::listen());
        let x = B::create(creation, device);
        Self::settle(device);
        running.end([x.spec()], listening.heard());
        x
    }
    async fn read(x: B::Tensor) -> Result<TensorData, DataError> {
        let mut call = ProfiledCall::new::<Self>("into_data");
        call.operand(x.spec());
        // It may go on on another thread, so no kernels are heard.
        let running = call.begin();
        let data = B::into_data(x).await;
        running.end([], Vec::new());
        data
    }
    fn to_device(x: B::Tensor, device: &B::Device) -> B::Tensor {
        let mut call = ProfiledCall::new::<Self>("to_device");
        call.operand(x.spec());
        let (running, listening) = (call.begin(), kernels::listen());
        let moved = B::to_device(x, device);
        Self::settle(device);
        running.end([moved.spec()], listening.heard());
        moved
    }
}
