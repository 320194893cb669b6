use burn_autodiff::Autodiff;
use burn_candle::Candle;
use burn_conformance::BRIEF;
use burn_conformance::known_gaps::CANDLE;
use burn_fusion::Fusion;
use burn_ndarray::NdArray;
use burn_remote::{Remote, RemoteDevice};
use burn_router::Router;
use std::sync::Once;

fn start_server() {
    static SERVER: Once = Once::new();
    SERVER.call_once(|| {
        RemoteDevice::in_process::<Candle>(Default::default()).set_default();
    });
}

// The backend is asked for every element type, fused and not. The other decorators pass calls on: they are
// asked for every element type over `NdArray`.
burn_conformance::suite!(all {
    candle: Candle, gaps = CANDLE;
    candle_f64: Candle<f64>, gaps = CANDLE, dtypes = BRIEF;
    autodiff: Autodiff<Candle>, gaps = CANDLE, dtypes = BRIEF;
    fusion: Fusion<Candle>, gaps = CANDLE;
    router: Router<(Candle, NdArray)>, gaps = CANDLE, dtypes = BRIEF;
    remote: Remote, before = start_server(), gaps = CANDLE, dtypes = BRIEF;
});
