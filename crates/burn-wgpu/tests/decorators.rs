mod device;

burn_conformance::suite!(
    fusion: burn_fusion::Fusion<burn_wgpu::Wgpu>,
    before = if super::device::is_missing() { return },
    gaps = burn_conformance::known_gaps::GPU
);
