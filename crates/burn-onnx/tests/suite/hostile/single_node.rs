//! Models of one node, recorded and run within small limits.

use super::attributes::attributes;
use super::random::Random;
use super::values::inputs;
use burn_ndarray::NdArray;
use burn_onnx::graph::{GraphDefinition, Model, NodeDefinition};
use burn_onnx::operators::Operator;
use burn_onnx::{Graph, Limits, Program, RunValue};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Limit of the bytes of a tensor.
const MOST_BYTES: u64 = 1 << 20;

/// Memory of a node: some tensors of the most bytes, and numbers of the host.
const MOST_MEMORY: usize = 256 << 20;

/// Outcome of a node.
pub enum Outcome {
    Ran,
    Refused,
}

/// A model of one node, and its inputs.
fn model(random: &mut Random, operator: &Operator) -> (Model, Vec<RunValue<NdArray>>) {
    let wild = random.pick(&[0, 0, 4, 30, 80]);
    let given = random.pick(&[0, 10, 40, 60]);
    let inputs = inputs(random, wild);
    let newest = operator.until.unwrap_or(if operator.domain.is_empty() { 28 } else { 3 });
    let opset = operator.since + random.below((newest - operator.since).max(0) as usize + 1) as i64;
    let outputs: Vec<String> = (0..random.below(5)).map(|place| format!("y{place}")).collect();
    let node = NodeDefinition {
        name: "node".into(),
        operator: operator.name.into(),
        domain: operator.domain.into(),
        inputs: inputs.names,
        outputs,
        attributes: attributes(random, wild, given),
    };
    let graph = GraphDefinition {
        nodes: vec![node],
        initializers: inputs.constants,
        inputs: inputs.infos,
        ..GraphDefinition::default()
    };
    let mut opsets = BTreeMap::from([(String::new(), 21)]);
    opsets.insert(operator.domain.into(), opset);
    let model = Model {
        origin: "hostile".into(),
        ir_version: 10,
        producer: String::new(),
        opsets,
        graph: Arc::new(graph),
        functions: HashMap::new(),
        limits: limits(),
    };
    (model, inputs.values)
}

thread_local! {
    /// Whether this thread runs a node, and text and place of its last panic.
    static IS_RUNNING: Cell<bool> = const { Cell::new(false) };
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Keeps panics of nodes for their reports. Others are shown as before: tests run beside each other.
pub fn note_panics() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !IS_RUNNING.get() {
            return before(info);
        }
        let text = info.to_string();
        PANIC.with(|panic| *panic.borrow_mut() = text);
    }));
}

fn run(model: Model, values: Vec<RunValue<NdArray>>) -> bool {
    let _recorded = Program::record(&model);
    let Ok(graph) = Graph::new(model) else { return false };
    graph.run::<NdArray>(values, &Default::default()).is_ok()
}

/// Records and runs a node of an operator, as [`check`].
pub fn check_operator(
    random: &mut Random,
    operator: &Operator,
    peak: &dyn Fn(&mut dyn FnMut()) -> usize,
) -> Result<Outcome, String> {
    let (model, values) = model(random, operator);
    check(model, values, peak)
}

/// Returns the limits of models here.
pub fn limits() -> Limits {
    Limits::default().with_bytes(MOST_BYTES).with_trips(2000)
}

/// Records and runs a model, and says what is wrong with that. `peak` runs it and returns the most memory it
/// took.
pub fn check(
    model: Model,
    values: Vec<RunValue<NdArray>>,
    peak: &dyn Fn(&mut dyn FnMut()) -> usize,
) -> Result<Outcome, String> {
    let node = format!("{:?}", model.graph.nodes);
    let failed = |cause: String| Err(format!("{cause}\n    {node:.800}"));
    let (mut arguments, mut outcome) = (Some((model, values)), None);
    let memory = peak(&mut || {
        let Some((model, values)) = arguments.take() else { return };
        IS_RUNNING.set(true);
        outcome = Some(catch_unwind(AssertUnwindSafe(|| run(model, values))));
        IS_RUNNING.set(false);
    });
    if memory > MOST_MEMORY {
        return failed(format!("took {memory} bytes of memory"));
    }
    match outcome {
        Some(Ok(true)) => Ok(Outcome::Ran),
        Some(Ok(false)) | None => Ok(Outcome::Refused),
        Some(Err(_)) => failed(PANIC.take()),
    }
}
