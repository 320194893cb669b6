use burn_autodiff::{Autodiff, BalancedCheckpointing};
use burn_conformance::gradient::{Differentiable, same};
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
