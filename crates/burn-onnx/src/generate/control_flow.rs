//! Branches as `if`, loops as `for` and `loop`.

use super::source::{Writer, tuple};
use super::steps::BlockSteps;
use super::weights::tensor_type;
use crate::builder::{Collected, Loop};
use crate::value::{Expr, Tensor, TensorId};
use std::collections::HashSet;

impl Writer<'_> {
    /// `let results = if condition { .. } else { .. };`
    pub(super) fn branch(&mut self, condition: &Expr, blocks: &[BlockSteps; 2], results: &[Tensor]) {
        let condition = self.variables.text(condition);
        let mut texts = Vec::new();
        for block in blocks {
            let outer = std::mem::take(&mut self.lines);
            let variables = self.variables.clone();
            block.steps.iter().for_each(|step| self.step(step));
            let values: Vec<String> = block.results.iter().map(|result| self.tensor(result)).collect();
            let lines = std::mem::replace(&mut self.lines, outer);
            self.variables = variables;
            texts.push(format!("{{ {}\n {} }}", lines.join("\n"), tuple(&values)));
        }
        let names: Vec<String> = results.iter().map(|result| self.result(result, "branch")).collect();
        self.lines.push(format!("let {} = if {condition} {} else {};", tuple(&names), texts[0], texts[1]));
        results.iter().for_each(|result| self.sizes_of(result));
    }

    /// `for iteration in 0..limit { .. }` around variables that go from iteration to iteration, and lists of the parts of outputs.
    pub(super) fn repeat(&mut self, own: &Loop, body: &BlockSteps) {
        self.has_loop = true;
        let (count, held) = (own.variables.len(), outer_tensors(own, body));
        // An iteration may not take what the next one needs.
        for id in &held {
            *self.uses.entry(*id).or_default() += 1;
        }
        let mut variables = Vec::with_capacity(count);
        for (place, variable) in own.variables.iter().enumerate() {
            let initial = self.tensor(&own.initial[place]);
            let name = self.variable(&own.results[place], "state");
            self.tensors.insert(variable.id, name.clone());
            let mutable = if body.results[place].id == variable.id { "" } else { "mut " };
            self.lines.push(format!("let {mutable}{name} = {initial};"));
            variables.push(name);
        }
        let mut lists = Vec::with_capacity(own.collected.len());
        for result in &own.results[count..] {
            let name = self.variable(result, "collected");
            let list = self.names.unique(&format!("{name}_parts"));
            self.lines.push(format!("let mut {list} = Vec::new();"));
            lists.push(list);
        }
        let is_counted = self.used_sizes.contains(&(own.iteration, 0));
        let counter = if is_counted { self.names.unique("iteration") } else { "_".into() };
        let limit = own.limit.as_ref().map(|limit| self.limit(limit));
        let head = match (limit, is_counted) {
            (Some(limit), _) => format!("for {counter} in 0..{limit}"),
            (None, true) => format!("for {counter} in 0_i64.."),
            (None, false) => "loop".into(),
        };
        let outer = std::mem::take(&mut self.lines);
        let before = self.variables.clone();
        self.variables.sizes.insert((own.iteration, 0), counter);
        own.variables.iter().for_each(|variable| self.sizes_of(variable));
        body.steps.iter().for_each(|step| self.step(step));
        self.finish_iteration(own, body, &variables, &lists);
        let lines = std::mem::replace(&mut self.lines, outer);
        self.variables = before;
        self.lines.push(format!("{head} {{ {} }}", lines.join("\n")));
        for id in held {
            let left = self.uses.entry(id).or_insert(1);
            *left = left.saturating_sub(1);
        }
        for (place, list) in lists.iter().enumerate() {
            self.joined(&own.collected[place], list, &own.results[count + place]);
        }
        own.results.iter().for_each(|result| self.sizes_of(result));
    }

    /// Keeps the parts of outputs, sets the variables for the next iteration, and ends the loop where the condition does not hold.
    fn finish_iteration(&mut self, own: &Loop, body: &BlockSteps, variables: &[String], lists: &[String]) {
        let (next, parts) = body.results.split_at(variables.len());
        for (list, part) in lists.iter().zip(parts) {
            let part = self.tensor(part);
            self.lines.push(format!("{list}.push({part});"));
        }
        let changed: Vec<(String, String)> = variables
            .iter()
            .zip(own.variables.iter().zip(next))
            .filter(|(_, (variable, next))| variable.id != next.id)
            .map(|(name, (_, next))| (name.clone(), self.tensor(next)))
            .collect();
        let (names, values): (Vec<String>, Vec<String>) = changed.into_iter().unzip();
        if !names.is_empty() {
            self.lines.push(format!("{} = {};", tuple(&names), tuple(&values)));
        }
        match &own.condition {
            Expr::Bool(true) => {}
            Expr::Bool(false) => self.lines.push("break;".into()),
            condition => {
                let condition = self.variables.negated(condition);
                self.lines.push(format!("if {condition} {{ break; }}"));
            }
        }
    }

    /// The end of the range of iterations.
    fn limit(&mut self, limit: &Expr) -> String {
        match limit {
            Expr::Int(limit) => format!("{limit}_i64"),
            Expr::Apply(_) => {
                let name = self.names.unique("iterations");
                let text = self.variables.text(limit);
                self.lines.push(format!("let {name}: i64 = {text};"));
                name
            }
            other => self.variables.text(other),
        }
    }

    /// An output of the parts of all iterations.
    fn joined(&mut self, collected: &Collected, list: &str, result: &Tensor) {
        let name = self.tensors[&result.id].clone();
        let cat = format!("Tensor::cat({list}, {})", collected.axis);
        let text = match &collected.empty {
            None => cat,
            Some(shape) => {
                let zeros = format!("Tensor::zeros({shape:?}, (device, DType::{:?}))", result.dtype());
                format!("if {list}.is_empty() {{ {zeros} }} else {{ {cat} }}")
            }
        };
        let ty = tensor_type(result.dtype(), result.held_dims().len());
        self.lines.push(format!("let {name}: {ty} = {text};"));
    }
}

/// Tensors from outside of a loop that its iterations take.
fn outer_tensors(own: &Loop, body: &BlockSteps) -> HashSet<TensorId> {
    let mut ids: HashSet<TensorId> = body.results.iter().map(|tensor| tensor.id).collect();
    for step in &body.steps {
        step.operands(&mut |id| {
            ids.insert(id);
        });
    }
    for variable in &own.variables {
        ids.remove(&variable.id);
    }
    for statement in &own.body.statements {
        statement.walk(&mut |statement| {
            for id in statement.results() {
                ids.remove(&id);
            }
        });
    }
    ids
}
