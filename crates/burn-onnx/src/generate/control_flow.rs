//! Branches as `if`, loops as `for` and `loop`.

use super::literal::{integer_i64, size};
use super::source::{Writer, tuple};
use super::steps::BlockSteps;
use super::weights::tensor_type;
use crate::builder::{Collected, Loop};
use crate::value::{Expr, Tensor, TensorId};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use std::collections::HashSet;

impl Writer<'_> {
    /// `let results = if condition { .. } else { .. };`
    pub(super) fn branch(&mut self, condition: &Expr, blocks: &[BlockSteps; 2], results: &[Tensor]) {
        let condition = self.variables.text(condition);
        let texts = blocks.each_ref().map(|block| {
            let outer = std::mem::take(&mut self.lines);
            let variables = self.variables.clone();
            block.steps.iter().for_each(|step| self.step(step));
            let values: Vec<TokenStream> = block.results.iter().map(|result| self.tensor(result)).collect();
            let lines = std::mem::replace(&mut self.lines, outer);
            self.variables = variables;
            let result = tuple(&values);
            quote!({ #(#lines)* #result })
        });
        let names = results.iter().map(|result| self.result(result, "branch")).map(|name| quote!(#name));
        let (names, [then, otherwise]) = (tuple(&names.collect::<Vec<_>>()), &texts);
        self.lines.push(quote!(let #names = if #condition #then else #otherwise;));
        results.iter().for_each(|result| self.sizes_of(result));
    }

    /// `for iteration in 0..limit { .. }` around variables that go from iteration to iteration, and lists of
    /// the parts of outputs.
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
            let mutable = (body.results[place].id != variable.id).then(|| quote!(mut));
            self.lines.push(quote!(let #mutable #name = #initial;));
            variables.push(name);
        }
        let mut lists = Vec::with_capacity(own.collected.len());
        for result in &own.results[count..] {
            let name = self.variable(result, "collected");
            let list = self.names.unique(&format!("{name}_parts"));
            self.lines.push(quote!(let mut #list = Vec::new();));
            lists.push(list);
        }
        let is_counted = self.used_sizes.contains(&(own.iteration, 0));
        let counter = is_counted.then(|| self.names.unique("iteration")).unwrap_or(format_ident!("_"));
        let limit = own.limit.as_ref().map(|limit| self.limit(limit));
        let head = match (limit, is_counted) {
            (Some(limit), _) => quote!(for #counter in 0..#limit),
            (None, true) => quote!(for #counter in 0_i64..),
            (None, false) => quote!(loop),
        };
        let outer = std::mem::take(&mut self.lines);
        let before = self.variables.clone();
        self.variables.sizes.insert((own.iteration, 0), counter);
        own.variables.iter().for_each(|variable| self.sizes_of(variable));
        body.steps.iter().for_each(|step| self.step(step));
        self.finish_iteration(own, body, &variables, &lists);
        let lines = std::mem::replace(&mut self.lines, outer);
        self.variables = before;
        self.lines.push(quote!(#head { #(#lines)* }));
        for id in held {
            let left = self.uses.entry(id).or_insert(1);
            *left = left.saturating_sub(1);
        }
        for (place, list) in lists.iter().enumerate() {
            self.joined(&own.collected[place], list, &own.results[count + place]);
        }
        own.results.iter().for_each(|result| self.sizes_of(result));
    }

    /// Keeps the parts of outputs, sets the variables for the next iteration, and ends the loop where the
    /// condition does not hold.
    fn finish_iteration(&mut self, own: &Loop, body: &BlockSteps, variables: &[Ident], lists: &[Ident]) {
        let (next, parts) = body.results.split_at(variables.len());
        for (list, part) in lists.iter().zip(parts) {
            let part = self.tensor(part);
            self.lines.push(quote!(#list.push(#part);));
        }
        let changed: Vec<(TokenStream, TokenStream)> = variables
            .iter()
            .zip(own.variables.iter().zip(next))
            .filter(|(_, (variable, next))| variable.id != next.id)
            .map(|(name, (_, next))| (quote!(#name), self.tensor(next)))
            .collect();
        let (names, values): (Vec<TokenStream>, Vec<TokenStream>) = changed.into_iter().unzip();
        if !names.is_empty() {
            let (names, values) = (tuple(&names), tuple(&values));
            self.lines.push(quote!(#names = #values;));
        }
        match &own.condition {
            Expr::Bool(true) => {}
            Expr::Bool(false) => self.lines.push(quote!(break;)),
            condition => {
                let condition = self.variables.negated(condition);
                self.lines.push(quote!(if #condition { break; }));
            }
        }
    }

    /// The end of the range of iterations.
    fn limit(&mut self, limit: &Expr) -> TokenStream {
        match limit {
            Expr::Int(limit) => integer_i64(*limit),
            Expr::Apply(_) => {
                let name = self.names.unique("iterations");
                let text = self.variables.text(limit);
                self.lines.push(quote!(let #name: i64 = #text;));
                quote!(#name)
            }
            other => self.variables.text(other),
        }
    }

    /// An output of the parts of all iterations.
    fn joined(&mut self, collected: &Collected, list: &Ident, result: &Tensor) {
        let name = self.tensors[&result.id].clone();
        let axis = size(collected.axis);
        let cat = quote!(Tensor::cat(#list, #axis));
        let text = match &collected.empty {
            None => cat,
            Some(shape) => {
                let zeros = self.zeros(shape, result);
                quote!(if #list.is_empty() { #zeros } else { #cat })
            }
        };
        let ty = tensor_type(result.dtype(), result.held_dims().len());
        self.lines.push(quote!(let #name: #ty = #text;));
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
