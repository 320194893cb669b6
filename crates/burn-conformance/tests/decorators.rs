//! What stands on another backend passes what that backend passes.

use burn_autodiff::Autodiff;
use burn_capture::Capture;
use burn_fusion::Fusion;
use burn_ndarray::NdArray;
use burn_profile::Profile;
use burn_router::Router;

burn_conformance::suite!(autodiff: super::Autodiff<super::NdArray>, gaps = burn_conformance::known_gaps::NDARRAY);
burn_conformance::suite!(fusion: super::Fusion<super::NdArray>, gaps = burn_conformance::known_gaps::NDARRAY);
burn_conformance::suite!(autodiff_fusion: super::Autodiff<super::Fusion<super::NdArray>>, gaps = burn_conformance::known_gaps::NDARRAY);
burn_conformance::suite!(router: super::Router<(super::NdArray, super::NdArray)>, gaps = burn_conformance::known_gaps::NDARRAY);
burn_conformance::suite!(profile: super::Profile<super::NdArray>, gaps = burn_conformance::known_gaps::NDARRAY);
burn_conformance::suite!(capture: super::Capture<super::NdArray>, gaps = burn_conformance::known_gaps::NDARRAY);
