//! The second backend of a router, which nobody gets who does not ask for it.

use burn_backend::dynamic::{Dynamic, DynamicDevice};
use burn_ndarray::NdArray;
use burn_router::Router;
use burn_router::duo::MultiDevice;

type Twins = Router<(NdArray, NdArray)>;

fn choose_backend() {
    DynamicDevice::new::<Twins>(MultiDevice::B2(Default::default())).set_default();
}

burn_conformance::suite!(second: super::Dynamic, before = super::choose_backend(), gaps = burn_conformance::known_gaps::NDARRAY);
