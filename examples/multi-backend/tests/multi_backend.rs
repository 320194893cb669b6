//! The example learns, and what it learns does not depend on where.

use burn::backend::ndarray::NdArrayDevice::Cpu;
use burn::backend::{Autodiff, NdArray};
use multi_backend::{Both, DEVICES, First, Second, train};

#[test]
fn two_backends_learn_what_one_learns() {
    let (model, losses) = train::<Both>(&DEVICES, 60);
    let (alone, expected) = train::<Autodiff<NdArray>>(&[Cpu, Cpu], 60);
    assert_eq!(losses, expected);
    assert!(losses[59] < 0.5 * losses[0], "{} to {}", losses[0], losses[59]);
    assert_eq!(model.encoder.weight.val().into_data(), alone.encoder.weight.val().into_data());
    assert_eq!([model.encoder.weight.device(), model.head.weight.device()], DEVICES);
    // Both had something to do.
    for report in [First::report(), Second::report()] {
        assert!(report.by_name().iter().any(|row| row.name == "matmul" && row.count >= 120), "{report}");
    }
}
