use burn_autodiff::{Autodiff, BalancedCheckpointing};
use burn_fusion::Fusion;
use burn_ndarray::NdArray;
use minimal_backend::Toy;

burn_conformance::gradient_suite!(ndarray: super::Autodiff<super::NdArray<f64>>);
burn_conformance::gradient_suite!(balanced: super::Autodiff<super::NdArray<f64>, super::BalancedCheckpointing>);
burn_conformance::gradient_suite!(minimal: super::Autodiff<super::Toy>);
burn_conformance::gradient_suite!(fusion: super::Autodiff<super::Fusion<super::NdArray<f64>>>);
