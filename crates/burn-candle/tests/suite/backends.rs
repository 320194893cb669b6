use burn_autodiff::Autodiff;
use burn_candle::Candle;
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

burn_conformance::suite!(all {
    candle: Candle, gaps = CANDLE;
    candle_f64: Candle<f64>, gaps = CANDLE;
    autodiff: Autodiff<Candle>, gaps = CANDLE;
    fusion: Fusion<Candle>, gaps = CANDLE;
    router: Router<(Candle, NdArray)>, gaps = CANDLE;
    remote: Remote, before = start_server(), gaps = CANDLE;
});
