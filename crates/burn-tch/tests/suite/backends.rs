use burn_autodiff::Autodiff;
use burn_conformance::known_gaps::LIBTORCH;
use burn_fusion::Fusion;
use burn_ndarray::NdArray;
use burn_remote::{Remote, RemoteDevice};
use burn_router::Router;
use burn_tch::LibTorch;
use std::sync::Once;

fn start_server() {
    static SERVER: Once = Once::new();
    SERVER.call_once(|| {
        RemoteDevice::in_process::<LibTorch>(Default::default()).set_default();
    });
}

burn_conformance::suite!(all {
    libtorch: LibTorch, gaps = LIBTORCH;
    libtorch_f64: LibTorch<f64>, gaps = LIBTORCH;
    autodiff: Autodiff<LibTorch>, gaps = LIBTORCH;
    fusion: Fusion<LibTorch>, gaps = LIBTORCH;
    router: Router<(LibTorch, NdArray)>, gaps = LIBTORCH;
    remote: Remote, before = start_server(), gaps = LIBTORCH;
});
