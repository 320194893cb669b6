//! Every family of operations on every backend of the processor: leaves, decorators, and backends chosen at
//! run time.

use crate::composed::Composed;
use burn_autodiff::Autodiff;
use burn_backend::dynamic::{Dynamic, DynamicDevice};
use burn_capture::Capture;
use burn_conformance::known_gaps::{MINIMAL, NDARRAY};
use burn_fusion::Fusion;
use burn_ndarray::NdArray;
use burn_profile::Profile;
use burn_remote::{Remote, RemoteDevice};
use burn_router::Router;
use minimal_backend::Toy;
use std::sync::Once;

fn start_server() {
    static SERVER: Once = Once::new();
    SERVER.call_once(|| {
        RemoteDevice::in_process::<Fusion<NdArray>>(Default::default()).set_default();
    });
}

fn choose_backend() {
    DynamicDevice::new::<Fusion<NdArray>>(Default::default()).set_default();
}

burn_conformance::suite!(all {
    ndarray: NdArray, gaps = NDARRAY;
    ndarray_f64: NdArray<f64>, gaps = NDARRAY;
    composed: Composed<NdArray>, gaps = NDARRAY;
    minimal: Toy, gaps = MINIMAL;
    autodiff: Autodiff<NdArray>, gaps = NDARRAY;
    fusion: Fusion<NdArray>, gaps = NDARRAY;
    autodiff_fusion: Autodiff<Fusion<NdArray>>, gaps = NDARRAY;
    router: Router<(NdArray, NdArray)>, gaps = NDARRAY;
    router_of_two: Router<(NdArray, Toy)>, gaps = NDARRAY;
    profile: Profile<NdArray>, gaps = NDARRAY;
    capture: Capture<NdArray>, gaps = NDARRAY;
    remote: Remote, before = start_server(), gaps = NDARRAY;
    dynamic: Dynamic, before = choose_backend(), gaps = NDARRAY;
});
