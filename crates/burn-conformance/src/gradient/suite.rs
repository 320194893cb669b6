use super::differentiable::{Differentiable, first_result, total};
use super::first::track;
use super::{GradientCall, calls, closed_form, first, functions, second};
use crate::Family;
use crate::case::{read, same_bits};
use crate::input::Input;
use crate::subject::message;
use burn_backend::{Elementwise, Operation, UnaryOp};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Gradients of every operation on one autodiff backend that computes in `f64`.
///
/// `second_order = ..` names the same backend in another `Autodiff`.
#[macro_export]
macro_rules! gradient_suite {
    ($name:ident: $backend:ty) => {
        mod $name {
            #[test]
            fn first_order() {
                $crate::gradient::sweep(&$crate::gradient::Differentiable::new::<$backend>());
            }
        }
    };
    ($name:ident: $backend:ty, second_order = $twice:ty) => {
        mod $name {
            #[test]
            fn first_order() {
                $crate::gradient::sweep(&$crate::gradient::Differentiable::new::<$backend>());
            }

            #[test]
            fn second_order() {
                let inner = $crate::gradient::Differentiable::below::<$twice>();
                $crate::gradient::sweep_second(&$crate::gradient::Differentiable::new::<$twice>(), &inner);
            }
        }
    };
}

fn each(check: impl Fn(&GradientCall) -> Result<(), String>) -> Vec<String> {
    let mut failures = Vec::new();
    for call in Family::ALL.into_iter().flat_map(calls) {
        let outcome = catch_unwind(AssertUnwindSafe(|| check(&call)));
        if let Err(error) = outcome.unwrap_or_else(|panic| Err(message(&*panic))) {
            failures.push(format!("{}: {error}", call.name));
        }
    }
    failures
}

fn finish(failures: &[String]) {
    assert!(failures.is_empty(), "{} gradients are wrong\n  {}", failures.len(), failures.join("\n  "));
}

/// # Panics
/// When a gradient is wrong.
pub fn sweep(subject: &Differentiable) {
    let mut failures = each(|call| first::check(subject, call));
    for (name, op, expected) in closed_form::all() {
        if let Err(error) = closed_form::check(subject, op, &expected) {
            failures.push(format!("{name}: {error}"));
        }
    }
    failures.extend(functions::failures(subject));
    finish(&failures);
}

/// # Panics
/// When a second derivative is wrong.
pub fn sweep_second(outer: &Differentiable, inner: &Differentiable) {
    let has_second = |call: &GradientCall| call.differentiable && !is_step(&call.op);
    finish(&each(|call| if has_second(call) { second::check(outer, inner, call) } else { Ok(()) }));
}

/// Two backends give the same gradients, to the last bit.
///
/// # Panics
/// When they do not.
pub fn same(one: &Differentiable, other: &Differentiable) {
    finish(&each(|call| {
        if !call.differentiable {
            return Ok(());
        }
        let gradients = |subject: &Differentiable| {
            let (op, operands) = track(subject, call, |_| true);
            let gradients = subject.gradients(total(first_result(op)), &operands);
            gradients.into_iter().map(|gradient| gradient.map(read)).collect::<Vec<_>>()
        };
        let pairs = gradients(one).into_iter().zip(gradients(other));
        let mut alike = pairs.map(|pair| match pair {
            (Some(x), Some(y)) => same_bits(&x, &y),
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        });
        if alike.all(|alike| alike) { Ok(()) } else { Err("they differ".into()) }
    }));
}

/// Whether the gradient is zeros that depend on nothing, so that `backward` through them is an error, as in
/// PyTorch.
fn is_step(op: &Operation<Input>) -> bool {
    op.as_elementwise().and_then(Elementwise::as_unary).is_some_and(UnaryOp::is_step)
}
