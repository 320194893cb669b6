use super::{Case, Outcome};
use burn::nn::padding::*;
use burn::tensor::AutodiffBackend;

pub fn run<B: AutodiffBackend>(case: &Case<'_, B>) -> Outcome {
    /// A layer that is made from its config without a device.
    macro_rules! check {
        ($config:ty, $rank:literal) => {
            case.check(case.config::<$config>().init(), |layer| layer.forward(case.float::<$rank>("x")))
        };
    }
    match case.layer() {
        "ConstantPad1d" => check!(ConstantPad1dConfig, 3),
        "ConstantPad2d" => check!(ConstantPad2dConfig, 4),
        "ConstantPad3d" => check!(ConstantPad3dConfig, 5),
        "ZeroPad1d" => check!(ZeroPad1dConfig, 3),
        "ZeroPad2d" => check!(ZeroPad2dConfig, 4),
        "ZeroPad3d" => check!(ZeroPad3dConfig, 5),
        "ReflectionPad1d" => check!(ReflectionPad1dConfig, 3),
        "ReflectionPad2d" => check!(ReflectionPad2dConfig, 4),
        "ReflectionPad3d" => check!(ReflectionPad3dConfig, 5),
        "ReplicationPad1d" => check!(ReplicationPad1dConfig, 3),
        "ReplicationPad2d" => check!(ReplicationPad2dConfig, 4),
        "ReplicationPad3d" => check!(ReplicationPad3dConfig, 5),
        "CircularPad1d" => check!(CircularPad1dConfig, 3),
        "CircularPad2d" => check!(CircularPad2dConfig, 4),
        "CircularPad3d" => check!(CircularPad3dConfig, 5),
        other => panic!("no layer {other}"),
    }
}
