use crate::input::Input;
use crate::{Situation, Subject};
use burn_backend::dynamic::{Dynamic, DynamicTensor};
use burn_backend::{Backend, DType, Operation, TensorData, TensorSpec, block_on, output_specs};
use std::future::{Future, poll_fn};
use std::task::Poll;

/// One call to be checked against its definition.
#[derive(Clone, Debug)]
pub struct Case {
    pub situation: Situation,
    pub op: Operation<Input>,
    /// Every operand is a handle to the first.
    pub alias: bool,
    /// How many cases of the same operation and dtype come before it.
    pub(crate) rank: usize,
}

impl Case {
    pub fn new(name: impl Into<String>, dtype: DType, op: Operation<Input>) -> Self {
        Case { situation: Situation::of(&op, dtype, name.into()), op, alias: false, rank: 0 }
    }

    /// Whether the subject has every dtype that is met, and is asked for the case.
    pub fn is_for(&self, subject: &Subject) -> bool {
        let mut fits = subject.asks(self.situation.dtype) && subject.asks_case(self.rank);
        self.op.visit(|input| fits &= subject.has(input.data.dtype));
        let specs = output_specs(&self.specs());
        specs.iter().for_each(|specs| specs.visit(|spec| fits &= subject.has(spec.dtype)));
        fits
    }

    pub(crate) fn specs(&self) -> Operation<TensorSpec> {
        self.op.map_ref(Input::spec)
    }
}

/// The values of tensors, which are all asked for before the first is waited for.
pub fn read_all(tensors: Vec<DynamicTensor>) -> Vec<TensorData> {
    let mut reads: Vec<_> =
        tensors.into_iter().map(|tensor| (Box::pin(Dynamic::into_data(tensor)), None)).collect();
    let all = poll_fn(|context| {
        for (read, data) in &mut reads {
            if data.is_none()
                && let Poll::Ready(found) = read.as_mut().poll(context)
            {
                *data = Some(found.expect("the device works"));
            }
        }
        if reads.iter().all(|(_, data)| data.is_some()) { Poll::Ready(()) } else { Poll::Pending }
    });
    block_on(all).expect("the suite may wait");
    reads.into_iter().map(|(_, data)| data.expect("all were waited for")).collect()
}

/// The values of a tensor.
pub fn read(tensor: DynamicTensor) -> TensorData {
    block_on(Dynamic::into_data(tensor)).expect("the suite may wait").expect("the device works")
}

/// The same bits, except that NaNs are alike.
pub fn same_bits(lhs: &TensorData, rhs: &TensorData) -> bool {
    if lhs.as_bytes() == rhs.as_bytes() && lhs.shape == rhs.shape && lhs.dtype == rhs.dtype {
        return true;
    }
    let same = |(x, y): (f64, f64)| x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan());
    lhs.shape == rhs.shape
        && lhs.dtype == rhs.dtype
        && lhs.dtype.is_float()
        && lhs.to_f64().into_iter().zip(rhs.to_f64()).all(same)
}
