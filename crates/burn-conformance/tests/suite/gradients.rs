use burn_autodiff::{Autodiff, BalancedCheckpointing, differentiability};
use burn_conformance::Family;
use burn_conformance::gradient::{Differentiable, GradientCall, calls, same, tracked_operands};
use burn_fusion::Fusion;
use burn_ndarray::NdArray;
use minimal_backend::Toy;

type First = Autodiff<NdArray<f64>>;
type Balanced = Autodiff<NdArray<f64>, BalancedCheckpointing>;
type OnFusion = Autodiff<Fusion<NdArray<f64>>>;

burn_conformance::gradient_suite!(ndarray: super::First, second_order = super::Autodiff<super::First>);
burn_conformance::gradient_suite!(balanced: super::Balanced, second_order = super::Autodiff<super::Balanced, super::BalancedCheckpointing>);
burn_conformance::gradient_suite!(minimal: super::Autodiff<super::Toy>);
burn_conformance::gradient_suite!(fusion: super::OnFusion, second_order = super::Autodiff<super::OnFusion>);

#[test]
fn checkpointing_changes_no_gradient() {
    same(&Differentiable::new::<First>(), &Differentiable::new::<Balanced>());
}

/// Checks that gradients flow exactly to the operands for which [`differentiability`] states it.
#[test]
fn what_is_said_of_gradients_is_so() {
    let subject = Differentiable::new::<First>();
    let mut failures = Vec::new();
    let check = |GradientCall { name, op, differentiable, alias, without_gradient }: GradientCall| {
        let said = differentiability(&op);
        if said.is_differentiable() != differentiable {
            failures.push(format!("{name}: {said:?}"));
        }
        if !differentiable || alias {
            return;
        }
        for (position, has_gradient) in tracked_operands(
            &subject,
            &GradientCall { name: name.clone(), op, differentiable, alias, without_gradient },
        ) {
            if said.operand(position).is_none() != has_gradient {
                failures.push(format!("{name}, operand {position}: {said:?}, gradient: {has_gradient}"));
            }
        }
    };
    Family::ALL.into_iter().flat_map(calls).for_each(check);
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
