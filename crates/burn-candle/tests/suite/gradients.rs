use burn_autodiff::Autodiff;
use burn_candle::Candle;
use burn_fusion::Fusion;

type First = Autodiff<Candle<f64>>;
type OnFusion = Autodiff<Fusion<Candle<f64>>>;

burn_conformance::gradient_suite!(candle: super::First, second_order = super::Autodiff<super::First>);
burn_conformance::gradient_suite!(fusion: super::OnFusion);
