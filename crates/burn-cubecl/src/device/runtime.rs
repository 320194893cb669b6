//! Runtimes of `cubecl` with devices of ours.

/// Makes a type that is a runtime of `cubecl` in everything but its name and its devices, which are ours: a
/// device is what programs write, and opens with errors that say what is missing.
#[macro_export]
macro_rules! runtime {
    ($(#[$doc:meta])* $name:ident($label:literal), with $device:ty, of $inner:ty) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default)]
        pub struct $name;

        impl $crate::cubecl::prelude::Runtime for $name {
            type Compiler = <$inner as $crate::cubecl::prelude::Runtime>::Compiler;
            type Server = <$inner as $crate::cubecl::prelude::Runtime>::Server;
            type Device = $device;

            fn client(device: &$device) -> $crate::cubecl::prelude::ComputeClient<Self> {
                $crate::cubecl::prelude::ComputeClient::load(device)
            }

            fn name(_client: &$crate::cubecl::prelude::ComputeClient<Self>) -> &'static str {
                $label
            }

            fn require_array_lengths() -> bool {
                <$inner>::require_array_lengths()
            }

            fn max_cube_count() -> (u32, u32, u32) {
                <$inner>::max_cube_count()
            }

            fn can_read_tensor(
                shape: &$crate::cubecl::zspace::Shape,
                strides: &$crate::cubecl::zspace::Strides,
            ) -> bool {
                <$inner>::can_read_tensor(shape, strides)
            }

            fn target_properties() -> $crate::cubecl::ir::TargetProperties {
                <$inner>::target_properties()
            }

            fn enumerate_devices(
                kind: u16,
                info: &<Self::Server as $crate::cubecl::server::ComputeServer>::Info,
            ) -> Vec<$crate::cubecl::device::DeviceId> {
                <$inner>::enumerate_devices(kind, info)
            }
        }
    };
}
