use super::{Case, Outcome};
use burn::nn::{
    ChannelShuffleConfig, Fold4dConfig, Interpolate1dConfig, Interpolate2dConfig, Interpolate3dConfig,
    PixelShuffleConfig, PixelUnshuffleConfig, Unfold4dConfig, UpsampleConfig,
};
use burn::tensor::AutodiffBackend;

pub fn run<B: AutodiffBackend>(case: &Case<'_, B>) -> Outcome {
    /// A layer that is made from its config without a device.
    macro_rules! check {
        ($config:ty, $rank:literal) => {
            case.check(case.config::<$config>().init(), |layer| layer.forward(case.float::<$rank>("x")))
        };
    }
    match case.layer() {
        "Interpolate1d" => check!(Interpolate1dConfig, 3),
        "Interpolate2d" => check!(Interpolate2dConfig, 4),
        "Interpolate3d" => check!(Interpolate3dConfig, 5),
        "Upsample1d" => check!(UpsampleConfig, 3),
        "Upsample2d" => check!(UpsampleConfig, 4),
        "Upsample3d" => check!(UpsampleConfig, 5),
        "PixelShuffle3" => check!(PixelShuffleConfig, 3),
        "PixelShuffle4" => check!(PixelShuffleConfig, 4),
        "PixelUnshuffle4" => check!(PixelUnshuffleConfig, 4),
        "ChannelShuffle3" => check!(ChannelShuffleConfig, 3),
        "ChannelShuffle4" => check!(ChannelShuffleConfig, 4),
        "Unfold4d" => check!(Unfold4dConfig, 4),
        "Fold4d" => check!(Fold4dConfig, 3),
        other => panic!("no layer {other}"),
    }
}
