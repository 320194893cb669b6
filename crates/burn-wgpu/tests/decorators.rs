mod device;

burn_conformance::suite!(
    fusion: burn_fusion::Fusion<burn_wgpu::Wgpu>,
    before = super::device::require(),
    gaps = burn_conformance::known_gaps::GPU
);
