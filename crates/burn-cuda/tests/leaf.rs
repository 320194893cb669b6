mod device;

burn_conformance::suite!(
    f32: burn_cuda::Cuda,
    before = if super::device::is_missing() { return },
    gaps = burn_conformance::known_gaps::GPU
);
