//! A model that was trained on one backend loads and continues on each other.

use burn::backend::{Autodiff, Candle, Fusion, LibTorch, NdArray};
use record_probe::{Participant, check_all};

#[test]
fn a_model_of_any_backend_continues_on_each_other() {
    check_all(&[
        Participant::new::<Autodiff<NdArray>>("ndarray"),
        Participant::new::<Autodiff<Fusion<NdArray>>>("fusion<ndarray>"),
        Participant::new::<Autodiff<LibTorch>>("libtorch"),
        Participant::new::<Autodiff<Fusion<LibTorch>>>("fusion<libtorch>"),
        Participant::new::<Autodiff<Candle>>("candle"),
        Participant::new::<Autodiff<Fusion<Candle>>>("fusion<candle>"),
    ]);
}
