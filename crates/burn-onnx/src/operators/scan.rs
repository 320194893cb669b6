//! A graph for each slice of sequences, since version 8.

use super::control_flow::{MOST_UNROLLED, call, declared_sizes, graph, row, stacked};
use super::iota::item;
use crate::builder::{Builder, Iteration};
use crate::error::{Outcome, fail, require};
use crate::graph::GraphDefinition;
use crate::translate::Node;
use crate::value::{Expr, OnnxValue, Tensor};

/// The graph for each slice of sequences: values go from step to step, others are collected. Version 8 has a
/// batch in front.
pub(super) fn scan(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let body = graph(node, "body")?;
    let scanned = usize::try_from(node.int("num_scan_inputs", 0)?).unwrap_or(0);
    if node.opset < 9 {
        return by_batch(node, b, &body, scanned);
    }
    let inputs: Vec<OnnxValue> = (0..node.inputs.len()).map(|place| node.input(place).cloned()).collect::<Outcome<_>>()?;
    require!(scanned > 0 && scanned <= inputs.len(), "{scanned} sequences of {} inputs", inputs.len());
    let (states, sequences) = inputs.split_at(inputs.len() - scanned);
    let list = |name: &str, count: usize| -> Outcome<Vec<i64>> {
        let values = node.ints_attribute(name)?.unwrap_or_else(|| vec![0; count]);
        require!(values.len() == count, "attribute `{name}` must have {count} numbers, found {values:?}");
        Ok(values)
    };
    require!(body.outputs.len() >= states.len(), "the graph gives fewer values than it takes");
    let outputs = body.outputs.len() - states.len();
    let options = ScanOptions {
        axes: list("scan_input_axes", scanned)?,
        directions: list("scan_input_directions", scanned)?,
        output_axes: list("scan_output_axes", outputs)?,
        output_directions: list("scan_output_directions", outputs)?,
    };
    scanned_over(node, b, &body, states.to_vec(), sequences, &options)
}

#[derive(Debug)]
struct ScanOptions {
    axes: Vec<i64>,
    /// 1 is backwards.
    directions: Vec<i64>,
    output_axes: Vec<i64>,
    output_directions: Vec<i64>,
}

fn scanned_over(
    node: &Node<'_>,
    b: &mut Builder,
    body: &GraphDefinition,
    mut states: Vec<OnnxValue>,
    sequences: &[OnnxValue],
    options: &ScanOptions,
) -> Outcome<Vec<OnnxValue>> {
    let sequences: Vec<Tensor> = sequences.iter().map(|value| b.tensor(value)).collect::<Outcome<_>>()?;
    let mut axes = Vec::new();
    for (x, &axis) in sequences.iter().zip(&options.axes) {
        axes.push(node.axis(axis, x.rank())?);
    }
    let steps = sequences[0].dim(axes[0])?;
    if !b.is_executing() {
        let recording = recorded_scan(node, b, body, &states, &Scanned { sequences: &sequences, axes: &axes, options });
        // A scan that cannot be recorded as a loop is unrolled where the number of its steps is known.
        if recording.is_ok() || steps.known().is_none_or(|steps| steps > MOST_UNROLLED) {
            return recording;
        }
    }
    let Some(steps) = steps.size() else { fail!("the number of steps is not known: {:?}", sequences[0]) };
    let count = states.len();
    let mut collected: Vec<Vec<OnnxValue>> = vec![Vec::new(); body.outputs.len() - count];
    let mut bytes = 0_u64;
    for step in 0..steps {
        b.budget.trip()?;
        let mut inputs = std::mem::take(&mut states);
        for ((x, &axis), &direction) in sequences.iter().zip(&axes).zip(&options.directions) {
            let place = if direction == 1 { steps - 1 - step } else { step };
            inputs.push(item(b, x, axis, place)?.into());
        }
        let mut outputs = call(node, b, body, inputs)?.into_iter();
        states.extend(outputs.by_ref().take(count));
        for (own, value) in collected.iter_mut().zip(outputs) {
            bytes = bytes.saturating_add(value.bytes());
            own.push(value);
        }
        b.budget.bytes("collected outputs", bytes)?;
    }
    for (place, mut own) in collected.into_iter().enumerate() {
        if options.output_directions[place] == 1 {
            own.reverse();
        }
        states.push(stacked(b, &own, options.output_axes[place], &body.outputs[count + place].value_type)?);
    }
    Ok(states)
}

/// Sequences and the axes along which they are scanned.
struct Scanned<'a> {
    sequences: &'a [Tensor],
    axes: &'a [usize],
    options: &'a ScanOptions,
}

/// The scan as a loop of the recorded program.
fn recorded_scan(
    node: &Node<'_>,
    b: &mut Builder,
    body: &GraphDefinition,
    states: &[OnnxValue],
    scanned: &Scanned<'_>,
) -> Outcome<Vec<OnnxValue>> {
    let initial: Vec<Tensor> = states.iter().map(|value| b.tensor(value)).collect::<Outcome<_>>()?;
    let (count, options) = (initial.len(), scanned.options);
    let steps = scanned.sequences[0].dim(scanned.axes[0])?;
    let empty = declared_sizes(&body.outputs[count..]);
    let mut results = b.repeat(Some(steps.clone()), &initial, &empty, &mut |b, step, variables| {
        let mut inputs: Vec<OnnxValue> = variables.iter().cloned().map(OnnxValue::Tensor).collect();
        for (place, (x, &axis)) in scanned.sequences.iter().zip(scanned.axes).enumerate() {
            let index =
                if options.directions[place] == 1 { steps.clone() - 1 - step.clone() } else { step.clone() };
            inputs.push(item(b, x, axis, index)?.into());
        }
        let mut outputs = call(node, b, body, inputs)?.into_iter();
        let next = outputs.by_ref().take(count).collect();
        let parts = outputs.zip(&options.output_axes).map(|(value, &axis)| row(b, &value, axis));
        Ok(Iteration { condition: Expr::Bool(true), next, parts: parts.collect::<Outcome<_>>()? })
    })?;
    for (place, result) in results[count..].iter_mut().enumerate() {
        if options.output_directions[place] == 1 {
            let axis = node.axis(options.output_axes[place], result.rank())?;
            *result = b.flip(result, &[axis])?;
        }
    }
    Ok(results.into_iter().map(OnnxValue::Tensor).collect())
}

/// Version 8: each item of the batch is scanned on its own.
fn by_batch(node: &Node<'_>, b: &mut Builder, body: &GraphDefinition, scanned: usize) -> Outcome<Vec<OnnxValue>> {
    require!(node.optional(0).is_none(), "sequences of different lengths are not supported");
    let inputs: Vec<Tensor> = (1..node.inputs.len()).map(|place| node.tensor(b, place)).collect::<Outcome<_>>()?;
    require!(scanned > 0 && scanned <= inputs.len(), "{scanned} sequences of {} inputs", inputs.len());
    let Some(items) = inputs[0].dim(0)?.size() else { fail!("the size of the batch must be known") };
    let states = inputs.len() - scanned;
    require!(body.outputs.len() >= states, "the graph gives fewer values than it takes");
    let outputs = body.outputs.len() - states;
    let directions = node.ints_attribute("directions")?.unwrap_or_else(|| vec![0; scanned]);
    require!(directions.len() == scanned, "attribute `directions` must have {scanned} numbers, found {directions:?}");
    let options = ScanOptions {
        axes: vec![0; scanned],
        directions,
        output_axes: vec![0; outputs],
        output_directions: vec![0; outputs],
    };
    let mut all: Vec<Vec<OnnxValue>> = vec![Vec::new(); body.outputs.len()];
    for place in 0..items {
        b.budget.trip()?;
        let own: Vec<OnnxValue> = inputs.iter().map(|x| Ok(item(b, x, 0, place)?.into())).collect::<Outcome<_>>()?;
        let (first, sequences) = own.split_at(states);
        let values = scanned_over(node, b, body, first.to_vec(), sequences, &options)?;
        for (all, value) in all.iter_mut().zip(values) {
            all.push(value);
        }
    }
    let infos = body.outputs.iter();
    all.iter().zip(infos).map(|(values, info)| stacked(b, values, 0, &info.value_type)).collect()
}
