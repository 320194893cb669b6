//! Blocks that run several times.

use super::call::UNKNOWN;
use super::{Builder, Collected, Loop, Statement};
use crate::error::{Outcome, fail, require};
use crate::value::{Expr, OnnxValue, Spec, Tensor, TensorId};

/// Values that an iteration gives.
#[derive(Clone, Debug)]
pub struct Iteration {
    /// Whether another one follows.
    pub condition: Expr,
    /// Next values of the variables.
    pub next: Vec<OnnxValue>,
    /// Parts of the collected outputs, with the axis along which they are joined.
    pub parts: Vec<(Tensor, usize)>,
}

/// Makes the calls of an iteration for its number and the values of the variables.
type MakeIteration<'a> = &'a mut dyn FnMut(&mut Builder, Expr, &[Tensor]) -> Outcome<Iteration>;

impl Builder {
    /// Records a loop. `empty` has the sizes of the parts of collected outputs, where they are declared, for
    /// a loop without iterations.
    ///
    /// # Errors
    /// When a variable changes its rank or element type, or an output has another rank than declared.
    pub fn repeat(
        &mut self,
        limit: Option<Expr>,
        initial: &[Tensor],
        empty: &[Option<Vec<usize>>],
        make: MakeIteration<'_>,
    ) -> Outcome<Vec<Tensor>> {
        let mut specs: Vec<Spec> = initial.iter().map(|tensor| tensor.spec.clone()).collect();
        // Sizes that an iteration changes are only known when it runs: they are found by recording it again
        // until none is left.
        loop {
            self.budget.trip()?;
            let iteration = self.next_id();
            let variables: Vec<Tensor> = specs.iter().map(|spec| self.declare_result(spec.clone())).collect();
            let mut made = None;
            let body = self.block(&mut |b| {
                let own = make(b, Expr::Dim(iteration, 0), &variables)?;
                let parts = own.parts.iter().map(|(part, _)| OnnxValue::Tensor(part.clone()));
                let values = own.next.iter().cloned().chain(parts).collect();
                made = Some(own);
                Ok(values)
            })?;
            let Some(made) = made else { fail!("the loop has no iteration") };
            if widened(&mut specs, &variables, &body.results)? {
                continue;
            }
            return self.finish_loop(
                Loop {
                    limit,
                    iteration,
                    initial: initial.to_vec(),
                    variables,
                    body,
                    condition: made.condition,
                    collected: Vec::new(),
                    results: Vec::new(),
                },
                &specs,
                &made.parts,
                empty,
            );
        }
    }

    fn finish_loop(
        &mut self,
        mut made: Loop,
        specs: &[Spec],
        parts: &[(Tensor, usize)],
        empty: &[Option<Vec<usize>>],
    ) -> Outcome<Vec<Tensor>> {
        let runs = made.limit.as_ref().is_none_or(|limit| limit.known().is_some_and(|limit| limit > 0));
        made.results = specs.iter().map(|spec| self.declare_result(spec.clone())).collect();
        for (place, (part, axis)) in parts.iter().enumerate() {
            let mut dims: Vec<Expr> = part.held_dims().iter().map(outer(made.iteration)).collect();
            // Without a condition every iteration runs.
            dims[*axis] = match (&made.limit, &made.condition) {
                (Some(limit), Expr::Bool(true)) if part.held_dims()[*axis].is(1) => limit.clone().max(0),
                _ => UNKNOWN,
            };
            let sizes = if runs {
                None
            } else {
                let mut sizes = match empty.get(place) {
                    Some(Some(declared)) => declared.clone(),
                    // Sizes that are not known are 0, as those of an output that is not declared.
                    _ => {
                        let mut sizes: Vec<usize> =
                            part.held_dims().iter().map(|dim| dim.size().unwrap_or(0)).collect();
                        sizes.remove(*axis);
                        sizes
                    }
                };
                require!(sizes.len() + 1 == dims.len(), "an output is declared as {sizes:?}, found {part:?}");
                sizes.insert(*axis, 0);
                // The declared sizes hold for the empty output only.
                dims.iter_mut().filter(|dim| dim.known().is_none()).for_each(|dim| *dim = UNKNOWN);
                Some(sizes)
            };
            made.collected.push(Collected { axis: *axis, empty: sizes });
            made.results.push(self.declare_result(Spec::new(part.dtype(), dims)));
        }
        let results = made.results.clone();
        self.statements.push(Statement::Loop(Box::new(made)));
        Ok(results)
    }
}

/// A size outside of the block whose first tensor is `first`.
pub(super) fn outer(first: TensorId) -> impl Fn(&Expr) -> Expr {
    move |dim| {
        let mut is_inner = false;
        dim.visit(&mut |expr| {
            if let Expr::Dim(id, _) | Expr::Element(id, _) = expr {
                is_inner |= *id >= first;
            }
        });
        if is_inner { UNKNOWN } else { dim.clone() }
    }
}

/// Whether sizes of variables were found that change, which are then unknown.
fn widened(specs: &mut [Spec], variables: &[Tensor], results: &[Tensor]) -> Outcome<bool> {
    let mut is_wider = false;
    for ((spec, variable), next) in specs.iter_mut().zip(variables).zip(results) {
        require!(
            next.dtype() == variable.dtype() && next.rank() == variable.rank(),
            "a value of the loop is {variable:?} before an iteration and {next:?} after it; expected one rank and element type"
        );
        for (d, dim) in spec.dims.iter_mut().enumerate() {
            if *dim != UNKNOWN && next.held_dims()[d] != variable.held_dims()[d] {
                *dim = UNKNOWN;
                is_wider = true;
            }
        }
    }
    Ok(is_wider)
}
