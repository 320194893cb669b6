use crate::tape::{self, Id, Tape};
use crate::{CaptureError, CaptureTensor, Input, Program};
use burn_backend::{Backend, HasSpec, block_on};
use std::marker::PhantomData;

/// Recording of the calls of this thread on [`Capture`](crate::Capture), from [`Recording::start`] until it
/// is finished or dropped.
///
/// Tensors that are older than the recording and are no input become constants of the program; so do tensors
/// of other threads. What the program reads, it decides on once: a branch on a value that was read is the
/// branch that was taken. Random tensors are drawn anew when the program runs; parameters of a model that are
/// drawn at their first use are among them, unless the model was used before. A recording inside of another
/// is part of both.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::backend::capture::{Capture, Recording};
/// use burn::tensor::{Tensor, TensorData};
///
/// type C = Capture<NdArray>;
/// let device = Default::default();
/// let weight = Tensor::<C, 1>::from_data([2.0, 3.0], &device);
///
/// let recording = Recording::<NdArray>::start();
/// let x = Tensor::<C, 1>::from_data([1.0, -1.0], &device);
/// recording.input("x", x.handle());
/// recording.name("weight", weight.handle());
/// let y = (x * weight).abs();
/// let program = recording.finish([("y", y.handle())]).unwrap();
///
/// // On another backend, with another input.
/// type F = NdArray<f64>;
/// let x = Tensor::<F, 1>::from_data([-5.0_f32, 0.5], &device).cast(burn::tensor::DType::F32);
/// let [y] = program.replay::<F>(vec![x.into_handle()], &device).unwrap().try_into().unwrap();
/// assert_eq!(Tensor::<F, 1>::from_handle(y).into_data(), TensorData::from([10.0_f32, 1.5]));
/// ```
#[derive(Debug)]
#[must_use = "the recording ends when it is dropped"]
pub struct Recording<B> {
    tape: Id,
    // A recording is of the thread it was started on.
    _thread: PhantomData<(*const (), B)>,
}

impl<B: Backend> Recording<B> {
    /// Starts recording the calls of this thread.
    pub fn start() -> Self {
        Recording { tape: tape::start(), _thread: PhantomData }
    }

    /// Declares `x` an input, to be passed in when the program runs. Inputs are in the order of these calls.
    pub fn input(&self, name: impl Into<String>, x: &CaptureTensor<B>) {
        let input = Input { name: name.into(), spec: x.spec().clone() };
        tape::with(self.tape, |tape| tape.input(x.id, input));
    }

    /// Gives a value of the program a name, for people.
    pub fn name(&self, name: impl Into<String>, x: &CaptureTensor<B>) {
        let name = name.into();
        tape::with(self.tape, |tape| tape.name(x.id, name));
    }

    /// Finishes the recording and returns the program that computes the outputs.
    ///
    /// # Errors
    /// When a constant cannot be read from its device.
    pub fn finish<'a, N: Into<String>>(
        self,
        outputs: impl IntoIterator<Item = (N, &'a CaptureTensor<B>)>,
    ) -> Result<Program, CaptureError> {
        block_on(self.finish_async(outputs)).map_err(|_pending| CaptureError::Pending)?
    }

    /// [`Recording::finish`], where a thread cannot wait.
    ///
    /// # Errors
    /// When a constant cannot be read from its device.
    pub fn finish_async<'a, N: Into<String>>(
        self,
        outputs: impl IntoIterator<Item = (N, &'a CaptureTensor<B>)>,
    ) -> impl Future<Output = Result<Program, CaptureError>> + Send {
        let mut tape = tape::stop(self.tape).unwrap_or_default();
        let outputs = outputs.into_iter().map(|(name, x)| {
            tape.meet(x.id, || x.constant());
            (name.into(), x.id)
        });
        let outputs = outputs.collect();
        Tape::finish(tape, outputs)
    }
}

impl<B> Drop for Recording<B> {
    fn drop(&mut self) {
        // A recording that outlives its thread's storage has no tape.
        let _ = tape::stop(self.tape);
    }
}

/// Records the call `run` as a program from its inputs to its outputs.
///
/// # Errors
/// When a constant cannot be read from its device.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::backend::capture::{Capture, capture};
/// use burn::tensor::Tensor;
///
/// type C = Capture<NdArray>;
/// let x = Tensor::<C, 1>::from_data([1.0, 4.0], &Default::default());
/// let program = capture([("x", x.into_handle())], |inputs| {
///     let [x] = inputs.try_into().unwrap();
///     [("root", Tensor::<C, 1>::from_handle(x).sqrt().into_handle())]
/// });
/// assert_eq!(
///     program.unwrap().to_string(),
///     "input %0: f32[2]  x\n%1: f32[2] = Unary { op: Sqrt, x: %0 }\noutput %1  root\n"
/// );
/// ```
pub fn capture<B, I, O, Outputs>(
    inputs: impl IntoIterator<Item = (I, CaptureTensor<B>)>,
    run: impl FnOnce(Vec<CaptureTensor<B>>) -> Outputs,
) -> Result<Program, CaptureError>
where
    B: Backend,
    I: Into<String>,
    O: Into<String>,
    Outputs: IntoIterator<Item = (O, CaptureTensor<B>)>,
{
    let recording = Recording::<B>::start();
    let inputs = inputs.into_iter().map(|(name, x)| {
        recording.input(name, &x);
        x
    });
    let inputs = inputs.collect();
    let outputs: Vec<(O, CaptureTensor<B>)> = run(inputs).into_iter().collect();
    let (names, outputs): (Vec<O>, Vec<CaptureTensor<B>>) = outputs.into_iter().unzip();
    recording.finish(names.into_iter().zip(&outputs))
}
