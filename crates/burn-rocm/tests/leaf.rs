mod device;

burn_conformance::suite!(
    f32: burn_rocm::Rocm,
    before = super::device::require(),
    gaps = burn_conformance::known_gaps::GPU
);
