use burn_autodiff::Autodiff;
use burn_fusion::Fusion;
use burn_tch::LibTorch;

type First = Autodiff<LibTorch<f64>>;
type OnFusion = Autodiff<Fusion<LibTorch<f64>>>;

burn_conformance::gradient_suite!(libtorch: super::First, second_order = super::Autodiff<super::First>);
burn_conformance::gradient_suite!(fusion: super::OnFusion);
