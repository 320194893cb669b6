//! A program with fewer steps: values get new numbers.

use crate::document::Document;
use crate::{Input, Output, Step, Value};
use burn_backend::{Creation, TensorSpec};

/// Treatment of one step when a document is rewritten.
#[derive(Clone, Debug, PartialEq)]
pub enum Fate {
    Keep,
    Drop,
    /// Replaced by an input of this name; the step has one result.
    Input(String),
}

/// Rewrites the document with one fate for each step. No kept step may have a result of a dropped one as
/// operand.
pub fn rewrite(document: Document, specs: &[TensorSpec], begins: &[usize], fates: &[Fate]) -> Document {
    let Document { mut inputs, steps, outputs, names } = document;
    let mut places: Vec<Option<Value>> = vec![None; specs.len()];
    let number = |place: usize| Value(u32::try_from(place).expect("a smaller program than before"));
    (0..inputs.len()).for_each(|input| places[input] = Some(number(input)));
    for (step, fate) in fates.iter().enumerate() {
        if let Fate::Input(name) = fate {
            places[begins[step]] = Some(number(inputs.len()));
            inputs.push(Input { name: name.clone(), spec: specs[begins[step]].clone() });
        }
    }
    let mut next = inputs.len();
    for step in (0..fates.len()).filter(|&step| fates[step] == Fate::Keep) {
        for place in &mut places[begins[step]..begins[step + 1]] {
            *place = Some(number(next));
            next += 1;
        }
    }
    let place = |value: Value| places[value.index()].expect("what is needed is kept");
    let kept = steps.into_iter().zip(fates).filter(|(_, fate)| **fate == Fate::Keep);
    let steps = kept.map(|(step, _)| step.map(place)).collect();
    let outputs = outputs.into_iter().map(|output| Output { value: place(output.value), ..output }).collect();
    let names = names.into_iter().filter_map(|(value, name)| Some((places[value.index()]?, name))).collect();
    Document { inputs, steps, outputs, names }
}

/// Keeps what an output needs. A draw of random numbers is also needed by the draws after it, which would get
/// its numbers.
pub fn live(document: &Document, begins: &[usize]) -> Vec<Fate> {
    let mut alive = vec![false; begins.last().copied().unwrap_or(0)];
    document.outputs.iter().for_each(|output| alive[output.value.index()] = true);
    let mut draws = false;
    let mut fates: Vec<Fate> = Vec::with_capacity(document.steps.len());
    for (number, step) in document.steps.iter().enumerate().rev() {
        let is_draw = matches!(step, Step::Create(Creation::Random { .. }));
        let is_alive = alive[begins[number]..begins[number + 1]].contains(&true) || (is_draw && draws);
        if is_alive {
            draws |= is_draw;
            step.visit(|value| alive[value.index()] = true);
        }
        fates.push(if is_alive { Fate::Keep } else { Fate::Drop });
    }
    fates.reverse();
    fates
}
