//! Processes that end while their device has work.

use crate::again::again;
use burn_backend::*;
use std::sync::Barrier;

/// The process that is started returns from `main` while its device compiles a kernel whose result is never
/// read. It ends well, and has nothing to warn of: no device keeps it waiting. Called by the test of this
/// name.
///
/// # Panics
/// When it does not.
#[track_caller]
pub fn may_end_while_it_works<B: Backend>(test: &str, device: &B::Device) {
    if let Some(said) = again(test, &[]) {
        return assert!(!said.contains("warning"), "{said}");
    }
    // The device is opened by whoever is first, and waited for once.
    let barrier = Barrier::new(8);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                barrier.wait();
                drop(B::full(TensorSpec::new([1], DType::F32), Scalar::Float(1.0), device));
            });
        }
    });
    for (op, size) in [(Factorization::Svd, 64), (Factorization::Eigh, 48), (Factorization::Qr, 40)] {
        let spec = TensorSpec::new([4, size, size], DType::F32);
        drop(B::factorize(op, B::random(spec, Distribution::Default, device)));
    }
}
