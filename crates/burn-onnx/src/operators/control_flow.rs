//! Graphs that run by a condition or several times. If and Loop since version 1.
//!
//! When the model runs, a graph of an attribute is translated each time with the values at hand. When it is
//! recorded, a branch whose condition is known is chosen, and other branches and loops are recorded as such.
//! A loop whose values change their rank, or are no tensors, is unrolled where the number of its steps is
//! known.

use crate::builder::{Builder, Iteration};
use crate::error::{Outcome, fail, require};
use crate::graph::{Dimension, GraphDefinition, ValueInfo, ValueType};
use crate::translate::{Node, translate_graph};
use crate::value::{Expr, Function, Host, OnnxValue, Tensor};
use burn_ir::DType;
use std::sync::Arc;

pub(super) fn graph(node: &Node<'_>, name: &str) -> Outcome<Arc<GraphDefinition>> {
    match node.graph_attribute(name)? {
        Some(graph) => Ok(graph),
        None => fail!("attribute `{name}` is missing"),
    }
}

/// The outputs of a graph for values of its inputs.
pub(super) fn call(node: &Node<'_>, b: &mut Builder, graph: &GraphDefinition, inputs: Vec<OnnxValue>) -> Outcome<Vec<OnnxValue>> {
    require!(
        inputs.len() <= graph.inputs.len(),
        "the graph `{}` takes {} inputs, it would get {}",
        graph.name,
        graph.inputs.len(),
        inputs.len()
    );
    let mut scope = node.scope.inner();
    for (info, value) in graph.inputs.iter().zip(inputs) {
        scope.set(&info.name, value);
    }
    let outputs = translate_graph(graph, &mut scope, b).map_err(|error| error.to_string())?;
    Ok(outputs)
}

/// A condition of one boolean.
fn condition(b: &mut Builder, value: &OnnxValue) -> Outcome<Expr> {
    let host = b.host(value)?;
    require!(host.dtype == DType::Bool, "the condition must be a boolean, found {}", host.dtype);
    match &host.elements[..] {
        [condition] => Ok(condition.clone()),
        other => fail!("the condition must be one boolean, found {}", other.len()),
    }
}

fn known(condition: &Expr) -> Outcome<bool> {
    match condition {
        Expr::Bool(condition) => Ok(*condition),
        other => fail!("the condition must be known where a loop is unrolled, found {other:?}"),
    }
}

pub(super) fn if_(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let condition = condition(b, node.input(0)?)?;
    let (then, otherwise) = (graph(node, "then_branch")?, graph(node, "else_branch")?);
    b.branch(
        &condition,
        &mut |b| call(node, b, &then, Vec::new()),
        &mut |b| call(node, b, &otherwise, Vec::new()),
    )
}

/// A part of an output that a step gives, with an axis of size 1 along which the parts are joined.
pub(super) fn row(b: &mut Builder, value: &OnnxValue, axis: i64) -> Outcome<(Tensor, usize)> {
    let x = b.tensor(value)?;
    let rank = x.rank() as i64 + 1;
    let front = if axis < 0 { axis + rank } else { axis };
    let Some(front) = usize::try_from(front).ok().filter(|&front| (front as i64) < rank) else {
        fail!("axis {axis} does not exist in rank {rank}")
    };
    Ok(if x.is_scalar() { (x.as_scalar(false), front) } else { (b.unsqueeze_dims(&x, &[front])?, front) })
}

/// Values of all steps, along a new axis.
pub(super) fn stacked(b: &mut Builder, values: &[OnnxValue], axis: i64, info: &ValueType) -> Outcome<OnnxValue> {
    if values.is_empty() {
        let ValueType::Tensor { dtype, dims: Some(dims) } = info else {
            fail!("no step gave an output whose type is not declared")
        };
        let sizes = dims.iter().map(|dim| match dim {
            Dimension::Known(size) => Expr::from(*size),
            Dimension::Named(_) | Dimension::Unknown => Expr::Int(0),
        });
        let mut sizes: Vec<Expr> = sizes.collect();
        sizes.insert(0, Expr::Int(0));
        return Ok(b.full(&sizes, if *dtype == DType::Bool { false.into() } else { 0.into() }, *dtype)?.into());
    }
    let mut rows = Vec::with_capacity(values.len());
    for value in values {
        rows.push(row(b, value, axis)?);
    }
    let axis = rows[0].1;
    let rows: Vec<Tensor> = rows.into_iter().map(|(row, _)| row).collect();
    Ok(if rows.len() == 1 { rows[0].clone() } else { b.cat(&rows, axis)? }.into())
}

/// The graph up to a number of times and while its condition holds: values go from step to step, others are
/// collected.
pub(super) fn loop_(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let body = graph(node, "body")?;
    let most = match node.optional(0) {
        Some(value) => match &b.host(value)?.elements[..] {
            [most] => Some(most.clone()),
            other => fail!("the number of steps must be one number, found {}", other.len()),
        },
        None => None,
    };
    let runs = match node.optional(1) {
        Some(value) => condition(b, value)?,
        None => Expr::Bool(true),
    };
    let mut carried: Vec<OnnxValue> = Vec::new();
    for place in 2..node.inputs.len() {
        carried.push(node.input(place)?.clone());
    }
    let count = carried.len();
    require!(body.outputs.len() > count, "the graph of the loop must give a condition and {count} values");
    let recording = if b.is_executing() {
        None
    } else {
        Some(recorded_loop(node, b, &body, most.as_ref(), &runs, &carried))
    };
    match (recording, most) {
        (Some(Ok(values)), _) => Ok(values),
        // A loop that cannot be recorded as such is unrolled where the number of its steps is known.
        (Some(Err(_)), Some(Expr::Int(most))) if runs.is_known() && most <= MOST_UNROLLED => {
            unrolled_loop(node, b, &body, most, known(&runs)?, carried)
        }
        (Some(Err(reason)), _) => Err(reason),
        (None, None) => unrolled_loop(node, b, &body, i64::MAX, known(&runs)?, carried),
        (None, Some(Expr::Int(most))) => unrolled_loop(node, b, &body, most, known(&runs)?, carried),
        (None, Some(other)) => fail!("the number of steps must be an integer, found {other:?}"),
    }
}

/// The most steps of a loop that is recorded step by step.
pub(super) const MOST_UNROLLED: i64 = 1024;

/// The loop as a statement of the recorded program.
fn recorded_loop(
    node: &Node<'_>,
    b: &mut Builder,
    body: &GraphDefinition,
    most: Option<&Expr>,
    runs: &Expr,
    carried: &[OnnxValue],
) -> Outcome<Vec<OnnxValue>> {
    let limit = match (most, runs) {
        (most, Expr::Bool(true)) => most.cloned(),
        (Some(most), runs) => Some(Expr::apply(Function::Where, vec![runs.clone(), most.clone(), Expr::Int(0)])),
        (None, runs) => {
            Some(Expr::apply(Function::Where, vec![runs.clone(), Expr::Int(i64::MAX), Expr::Int(0)]))
        }
    };
    let initial: Vec<Tensor> = carried.iter().map(|value| b.tensor(value)).collect::<Outcome<_>>()?;
    let count = initial.len();
    let empty = declared_sizes(&body.outputs[1 + count..]);
    let results = b.repeat(limit, &initial, &empty, &mut |b, step, variables| {
        let mut inputs =
            vec![Host::scalar(DType::I64, step).into(), Host::scalar(DType::Bool, Expr::Bool(true)).into()];
        inputs.extend(variables.iter().cloned().map(OnnxValue::Tensor));
        let mut outputs = call(node, b, body, inputs)?.into_iter();
        let Some(goes_on) = outputs.next() else { fail!("the graph of the loop gives no condition") };
        let next = outputs.by_ref().take(count).collect();
        let parts = outputs.map(|value| row(b, &value, 0)).collect::<Outcome<_>>()?;
        // The condition is read last, when everything that it waits for is under way.
        Ok(Iteration { condition: condition(b, &goes_on)?, next, parts })
    })?;
    Ok(results.into_iter().map(OnnxValue::Tensor).collect())
}

/// Sizes of outputs that have a declared rank; those that are not known are 0.
pub(super) fn declared_sizes(infos: &[ValueInfo]) -> Vec<Option<Vec<usize>>> {
    let sizes = |info: &ValueInfo| match &info.value_type {
        ValueType::Tensor { dims: Some(dims), .. } => Some(
            dims.iter()
                .map(|dim| match dim {
                    Dimension::Known(size) => *size,
                    Dimension::Named(_) | Dimension::Unknown => 0,
                })
                .collect(),
        ),
        _ => None,
    };
    infos.iter().map(sizes).collect()
}

/// The loop step by step.
fn unrolled_loop(
    node: &Node<'_>,
    b: &mut Builder,
    body: &GraphDefinition,
    most: i64,
    runs: bool,
    mut carried: Vec<OnnxValue>,
) -> Outcome<Vec<OnnxValue>> {
    let (count, mut goes_on, mut step, mut bytes) = (carried.len(), runs, 0, 0_u64);
    let mut collected: Vec<Vec<OnnxValue>> = vec![Vec::new(); body.outputs.len() - 1 - count];
    while goes_on && step < most {
        b.budget.trip()?;
        let mut inputs = vec![
            Host::scalar(DType::I64, step.into()).into(),
            Host::scalar(DType::Bool, Expr::Bool(goes_on)).into(),
        ];
        inputs.append(&mut carried);
        let mut outputs = call(node, b, body, inputs)?.into_iter();
        let Some(next) = outputs.next() else { fail!("the graph of the loop gives no condition") };
        goes_on = known(&condition(b, &next)?)?;
        carried.extend(outputs.by_ref().take(count));
        for (own, value) in collected.iter_mut().zip(outputs) {
            bytes = bytes.saturating_add(value.bytes());
            own.push(value);
        }
        b.budget.bytes("collected outputs", bytes)?;
        step += 1;
    }
    for (own, info) in collected.iter().zip(&body.outputs[1 + count..]) {
        carried.push(stacked(b, own, 0, &info.value_type)?);
    }
    Ok(carried)
}
