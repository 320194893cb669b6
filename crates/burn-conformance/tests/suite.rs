use burn_autodiff::{Autodiff, BalancedCheckpointing};
use burn_fusion::Fusion;
use burn_ndarray::NdArray;
use minimal_backend::Toy;
use std::sync::Once;

type Balanced = Autodiff<NdArray<f64>, BalancedCheckpointing>;
type Pair = burn_router::Router<(NdArray, Toy)>;

fn start_server() {
    static SERVER: Once = Once::new();
    SERVER.call_once(|| {
        burn_remote::start::<Fusion<NdArray>>(Default::default());
    });
}

fn choose_backend() {
    burn_backend::dynamic::DynamicDevice::new::<Fusion<NdArray>>(Default::default()).set_default();
}

burn_conformance::suite!(ndarray_f32: burn_ndarray::NdArray);
burn_conformance::suite!(ndarray_f64: burn_ndarray::NdArray<f64>);
burn_conformance::suite!(toy_leaf: minimal_backend::Toy);
burn_conformance::suite!(autodiff_ndarray: burn_autodiff::Autodiff<burn_ndarray::NdArray>);
burn_conformance::suite!(fusion_ndarray: burn_fusion::Fusion<burn_ndarray::NdArray>);
burn_conformance::suite!(autodiff_fusion: burn_autodiff::Autodiff<burn_fusion::Fusion<burn_ndarray::NdArray>>);
burn_conformance::suite!(router_pair: super::Pair);
burn_conformance::suite!(remote_fusion: burn_remote::Remote, before = super::start_server());
burn_conformance::suite!(dynamic_fusion: burn_backend::dynamic::Dynamic, before = super::choose_backend());

burn_conformance::gradient_suite!(gradients: burn_autodiff::Autodiff<burn_ndarray::NdArray<f64>>);
burn_conformance::gradient_suite!(gradients_balanced: super::Balanced);
burn_conformance::gradient_suite!(gradients_toy: burn_autodiff::Autodiff<minimal_backend::Toy>);
burn_conformance::gradient_suite!(gradients_fusion: burn_autodiff::Autodiff<burn_fusion::Fusion<burn_ndarray::NdArray<f64>>>);
