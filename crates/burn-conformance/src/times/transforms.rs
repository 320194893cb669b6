use super::{normal, report};
use burn_backend::{Backend, DType, FftOp};

/// Reports Fourier transforms of lines, complex ones as pairs.
pub fn transforms<B: Backend>(prefix: &str, device: &B::Device) {
    for (lines, n) in [(256, 4096), (4096, 1000)] {
        let x = normal::<B>([lines, n], DType::F32, device);
        report::<B>(&format!("{prefix}rfft {lines} x {n} f32"), device, &|| {
            vec![B::fft(FftOp::Real, x.clone(), 1)]
        });
    }
    let complex = [(64, 65_536, DType::F32), (4096, 1000, DType::F32), (1024, 4099, DType::F32)];
    for (lines, n, dtype) in complex.into_iter().chain([(4096, 1000, DType::F64)]) {
        let x = normal::<B>([lines, n, 2], dtype, device);
        report::<B>(&format!("{prefix}fft {lines} x {n} {}", dtype.name()), device, &|| {
            vec![B::fft(FftOp::Forward, x.clone(), 1)]
        });
    }
}
