use burn_autodiff::Autodiff;
use burn_conformance::BRIEF;
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

// The backend is asked for every element type, fused and not. The other decorators pass calls on: they are
// asked for every element type over `NdArray`.
burn_conformance::suite!(all {
    libtorch: LibTorch, gaps = LIBTORCH;
    libtorch_f64: LibTorch<f64>, gaps = LIBTORCH, dtypes = BRIEF;
    autodiff: Autodiff<LibTorch>, gaps = LIBTORCH, dtypes = BRIEF;
    fusion: Fusion<LibTorch>, gaps = LIBTORCH;
    router: Router<(LibTorch, NdArray)>, gaps = LIBTORCH, dtypes = BRIEF;
    remote: Remote, before = start_server(), gaps = LIBTORCH, dtypes = BRIEF;
});
