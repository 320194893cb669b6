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

/// Implements [`CubeRuntime`](crate::CubeRuntime) for the runtime of a backend, with the devices that `open`
/// makes engines of, and writes `engine`, which returns that of a device. Nothing is generic, so that the
/// crate of the backend compiles it and no program does.
#[macro_export]
macro_rules! engines {
    ($backend:ty, of $runtime:ty, with $device:ty, opened by $open:path) => {
        /// The devices that were used so far.
        static ENGINES: $crate::Engines<$device> = $crate::Engines::new();

        impl $crate::CubeRuntime for $runtime {
            fn engine(device: &$device) -> &'static dyn $crate::Engine {
                engine(*device)
            }

            fn device(engine: &'static dyn $crate::Engine) -> $device {
                ENGINES.device(engine)
            }

            #[inline(never)]
            fn object() -> &'static dyn $crate::burn_backend::dynamic::BackendObject {
                $crate::burn_backend::dynamic::object_of::<$backend>()
            }

            #[inline(never)]
            fn fusion_object() -> &'static dyn $crate::burn_backend::FusionObject {
                $crate::burn_backend::fusion_object_of::<$backend>()
            }
        }

        #[inline(never)]
        pub fn engine(device: $device) -> &'static dyn $crate::Engine {
            ENGINES.get(device, || $open(device))
        }
    };
}
