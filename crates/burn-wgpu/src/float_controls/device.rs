//! Float control modes that a Vulkan driver supports.

use super::{DENORM_PRESERVE, FloatControls, SIGNED_ZERO_INF_NAN_PRESERVE};
use ash::vk;
use wgpu::hal::api::Vulkan;

/// Independence of modes between widths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Independence {
    /// Half and double have it both or neither.
    Single,
    All,
    None,
}

impl FloatControls {
    /// Reads the float controls of an adapter; none unless it is a Vulkan 1.2 adapter.
    pub fn of(adapter: &wgpu::Adapter) -> Self {
        let mut controls = vk::PhysicalDeviceFloatControlsProperties::default();
        // SAFETY: nothing of the adapter is kept or destroyed.
        let Some(adapter) = (unsafe { adapter.as_hal::<Vulkan>() }) else { return FloatControls::none() };
        if adapter.physical_device_capabilities().properties().api_version < vk::API_VERSION_1_2 {
            return FloatControls::none();
        }
        let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut controls);
        let instance = adapter.shared_instance().raw_instance();
        // SAFETY: the device is one of the instance's, and a driver of Vulkan 1.2 knows both structures.
        unsafe { instance.get_physical_device_properties2(adapter.raw_physical_device(), &mut properties) };
        let independence = |of: vk::ShaderFloatControlsIndependence| match of {
            vk::ShaderFloatControlsIndependence::ALL => Independence::All,
            vk::ShaderFloatControlsIndependence::TYPE_32_ONLY => Independence::Single,
            _ => Independence::None,
        };
        let has = |widths: [vk::Bool32; 3]| widths.map(|has| has == vk::TRUE);
        let p = &controls;
        let denormals = [
            p.shader_denorm_preserve_float16,
            p.shader_denorm_preserve_float32,
            p.shader_denorm_preserve_float64,
        ];
        let special = [
            p.shader_signed_zero_inf_nan_preserve_float16,
            p.shader_signed_zero_inf_nan_preserve_float32,
            p.shader_signed_zero_inf_nan_preserve_float64,
        ];
        let mut all = FloatControls::none();
        all.add(DENORM_PRESERVE, independence(p.denorm_behavior_independence).allows(has(denormals)));
        all.add(SIGNED_ZERO_INF_NAN_PRESERVE, has(special));
        all
    }
}

impl Independence {
    /// Returns the widths that a shader may set a mode for together, of those that support it.
    fn allows(self, has: [bool; 3]) -> [bool; 3] {
        let [half, single, double] = has;
        match self {
            Independence::All => has,
            Independence::Single => [half && double, single, half && double],
            Independence::None => [half && single && double; 3],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Independence;

    #[test]
    fn widths_that_go_together_have_a_mode_together() {
        let has = [true, true, false];
        assert_eq!(Independence::All.allows(has), has);
        assert_eq!(Independence::Single.allows(has), [false, true, false]);
        assert_eq!(Independence::None.allows(has), [false; 3]);
        assert_eq!(Independence::None.allows([true; 3]), [true; 3]);
    }
}
