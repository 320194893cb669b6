//! Which element types there are.

mod device;

use burn_backend::{Backend, DType};
use burn_cuda::{Cuda, CudaDevice};

#[test]
fn every_type_is_there() {
    if device::is_missing() {
        return;
    }
    let missing: Vec<DType> =
        DType::ALL.into_iter().filter(|&dtype| !<Cuda>::has_dtype(&CudaDevice::default(), dtype)).collect();
    assert_eq!(missing, []);
}
