//! A model that was trained on one backend loads and continues on each other.

mod device;

use burn_autodiff::Autodiff;
use burn_cuda::Cuda;
use burn_fusion::Fusion;
use burn_ndarray::NdArray;
use record_probe::{Participant, check_all};

#[test]
fn a_model_of_any_backend_continues_on_each_other() {
    device::require();
    check_all(&[
        Participant::new::<Autodiff<NdArray>>("ndarray"),
        Participant::new::<Autodiff<Cuda<f32, i32>>>("cuda"),
        Participant::new::<Autodiff<Fusion<Cuda<f32, i32>>>>("fusion<cuda>"),
    ]);
}
