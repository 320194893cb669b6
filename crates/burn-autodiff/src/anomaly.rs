//! Anomaly detection: checks results and gradients while [`burn_backend::anomaly`] is on.

use crate::checkpoint::Source;
use crate::node::{Stage, Step};
use crate::tape::Walk;
use crate::{AutodiffTensor, Node, NodeRef};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use burn_backend::TypedCalls;
use burn_backend::dynamic::{Dynamic, DynamicTensor};
use burn_backend::{
    Backend, CompareOp, Dims, HasSpec, Operation, Outputs, ReduceOp, Scalar, TensorSpec, UnaryOp, anomaly,
    block_on,
};
use core::fmt;

/// Source location of a call.
#[derive(Debug)]
pub struct Origin {
    #[cfg(feature = "std")]
    calls: std::backtrace::Backtrace,
}

impl Origin {
    /// Returns the current source location, if anomaly detection is on.
    pub fn here() -> Option<Self> {
        if anomaly::is_on() { Some(Origin::now()) } else { None }
    }

    #[cold]
    fn now() -> Self {
        Origin {
            #[cfg(feature = "std")]
            calls: std::backtrace::Backtrace::force_capture(),
        }
    }
}

/// The innermost call that is not in one of our crates, nor in what those call.
#[cfg(feature = "std")]
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let calls = self.calls.to_string();
        let mut lines = calls.lines().map(str::trim).peekable();
        while let Some(line) = lines.next() {
            let Some((_, function)) = line.split_once(": ") else { continue };
            match lines.next_if(|next| next.starts_with("at ")).map(|next| &next[3..]) {
                Some(place) if is_ours(place) => {}
                Some(place) => return write!(f, "{place} (in {function})"),
                None if is_our_function(function) => {}
                None => return f.write_str(function),
            }
        }
        f.write_str("a place that the program has no debug information about")
    }
}

#[cfg(feature = "std")]
const CRATES: [&str; 14] = [
    "autodiff", "backend", "core", "dataset", "fusion", "ir", "ndarray", "nn", "optim", "remote", "router",
    "tensor", "train", "vision",
];

/// Whether a file is of Burn (`../crates/burn-nn/src/..`, `../burn-nn-0.1.0/src/..`) or of the standard
/// library.
#[cfg(feature = "std")]
fn is_ours(place: &str) -> bool {
    let is_burn = |folder: &str| {
        let name = folder.strip_prefix("burn-");
        let name = name.map(|name| name.split_once('-').map_or(name, |(name, _version)| name));
        name.is_some_and(|name| CRATES.contains(&name))
    };
    place.starts_with("/rustc/") || place.contains("/library/") || place.split(['/', '\\']).any(is_burn)
}

/// Whether a function is of Burn (`burn_nn::..`, `<burn_nn::.. as ..>::..`, `<T as burn_nn::..>::..`) or of
/// the standard library, for programs without lines.
#[cfg(feature = "std")]
fn is_our_function(function: &str) -> bool {
    let start = |path: &str| path.trim_start_matches(['<', '&']).trim_start_matches("mut ").to_string();
    let (own, of) = match function.split_once(" as ") {
        Some((own, of)) => (start(own), start(of)),
        None => (start(function), String::new()),
    };
    // A parameter of a generic implementation says nothing; its trait does.
    let path = if own.contains("::") || of.is_empty() { own } else { of };
    match path.split_once("::") {
        Some((name, _)) => {
            let is_burn = name.strip_prefix("burn_").is_some_and(|name| CRATES.contains(&name));
            is_burn || ["std", "core", "alloc"].contains(&name)
        }
        // Entry points of a program or a thread, and names without a path.
        None => path.starts_with('_') || path.starts_with("rust_"),
    }
}

#[cfg(not(feature = "std"))]
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a place that is not known without the standard library")
    }
}

/// Formats operands as `[2, 3] f32, [3] f32`.
pub fn specs(specs: &[&TensorSpec]) -> String {
    let words: Vec<String> = specs.iter().map(|spec| format!("{:?} {}", spec.shape, spec.dtype)).collect();
    words.join(", ")
}

/// Panics when a call made a NaN or an infinity of finite operands.
#[cold]
#[inline(never)]
pub fn check_results(
    op: &Operation<usize>,
    operands: &[AutodiffTensor<Dynamic>],
    results: &Outputs<DynamicTensor>,
    node: &NodeRef,
) {
    let mut found = None;
    results.visit(|result| found = found.take().or_else(|| first_anomaly(result)));
    let Some(what) = found else { return };
    if has_infinite_number(op) || operands.iter().any(|operand| first_anomaly(&operand.primitive).is_some()) {
        return;
    }
    let operands: Vec<_> = operands.iter().map(|operand| operand.primitive.spec()).collect();
    let place = match node {
        Some(node) => format!("node {} of the tape", node.id),
        None => "not tracked".to_string(),
    };
    let (name, operands, origin) = (op.name(), specs(&operands), Origin::now());
    panic!("anomaly: `{name}` of {operands} made {what} of finite operands ({place}), called at {origin}");
}

/// Whether one of the numbers beside the operands is not finite.
fn has_infinite_number(op: &Operation<usize>) -> bool {
    let infinite = |number: Scalar| !number.to_f64().is_finite();
    op.as_elementwise().is_some_and(|op| op.scalars().any(infinite))
}

/// The first NaN or infinity, in words.
fn first_anomaly(x: &DynamicTensor) -> Option<String> {
    if !x.dtype().is_float() || is_finite(x) {
        return None;
    }
    let shape = x.shape();
    let values = block_on(Dynamic::into_data(x.clone())).ok()?.ok()?.to_f64();
    let at = values.iter().position(|value| !value.is_finite())?;
    let index: Vec<usize> =
        shape.strides().iter().zip(shape.iter()).map(|(stride, size)| at / stride % size).collect();
    Some(format!("{} at {index:?}", values[at]))
}

/// Computed where the tensor is: one element is read.
fn is_finite(x: &DynamicTensor) -> bool {
    let size = Dynamic::unary(UnaryOp::Abs, x.clone());
    let finite = Dynamic::compare_scalar(CompareOp::Less, size, Scalar::Float(f64::INFINITY));
    let dims: Dims = (0..x.spec().shape.rank()).collect();
    let all = Dynamic::reduce(ReduceOp::All, finite, dims);
    match block_on(Dynamic::into_data(all)) {
        Ok(Ok(data)) => data.to_f64() == [1.0],
        // Data that cannot be read counts as finite: its own error is reported elsewhere.
        Ok(Err(_)) | Err(_) => true,
    }
}

/// Watch on a step whose inputs are finite, and whose results must be finite.
#[derive(Debug)]
pub struct Watch {
    call: String,
    place: String,
}

impl Watch {
    /// Panics when a gradient is not finite.
    pub fn check(&self, gradient: &DynamicTensor) {
        if let Some(what) = first_anomaly(gradient) {
            let Watch { call, place } = self;
            panic!("anomaly: the gradient of {call} is {what}, from finite numbers ({place})");
        }
    }
}

/// Returns a watch on a step, or `None` where its gradient or saved values are already not finite.
#[cold]
#[inline(never)]
pub fn watch(node: &Node, step: &dyn Step, walk: &mut Walk) -> Option<Box<Watch>> {
    if step.stage() != Stage::Result {
        return None;
    }
    let (call, saved) = step.describe();
    let grad = walk.gradients.peek(node.id)?;
    let is_odd = |x: &DynamicTensor| first_anomaly(x).is_some();
    if is_odd(grad) || saved.into_iter().any(|source: Source| is_odd(&walk.checkpointer.resolve(source))) {
        return None;
    }
    let place = match node.observed.as_ref().and_then(|observed| observed.origin.as_ref()) {
        Some(origin) => format!("node {} of the tape, called at {origin}", node.id),
        None => {
            format!("node {} of the tape; detect anomalies in the forward pass too to see the line", node.id)
        }
    };
    Some(Box::new(Watch { call, place }))
}
