mod device;

burn_conformance::suite!(
    f32: burn_cuda::Cuda,
    before = super::device::require(),
    gaps = burn_conformance::known_gaps::GPU
);
