//! Backends that are several, far away, or chosen at run time.

use burn_backend::dynamic::{Dynamic, DynamicDevice};
use burn_fusion::Fusion;
use burn_ndarray::NdArray;
use burn_remote::{Remote, RemoteDevice};
use burn_router::Router;
use minimal_backend::Toy;
use std::sync::Once;

type Pair = Router<(NdArray, Toy)>;

fn start_server() {
    static SERVER: Once = Once::new();
    SERVER.call_once(|| {
        RemoteDevice::in_process::<Fusion<NdArray>>(Default::default()).set_default();
    });
}

fn choose_backend() {
    DynamicDevice::new::<Fusion<NdArray>>(Default::default()).set_default();
}

burn_conformance::suite!(router: super::Pair, gaps = burn_conformance::known_gaps::NDARRAY);
burn_conformance::suite!(remote: super::Remote, before = super::start_server(), gaps = burn_conformance::known_gaps::NDARRAY);
burn_conformance::suite!(dynamic: super::Dynamic, before = super::choose_backend(), gaps = burn_conformance::known_gaps::NDARRAY);
