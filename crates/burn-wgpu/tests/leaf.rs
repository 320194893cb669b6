mod device;

burn_conformance::suite!(
    f32: burn_wgpu::Wgpu,
    before = if super::device::is_missing() { return },
    gaps = burn_conformance::known_gaps::GPU
);
