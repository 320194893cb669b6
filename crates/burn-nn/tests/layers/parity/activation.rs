use super::{Case, Outcome};
use burn::nn::*;
use burn::tensor::AutodiffBackend;

/// Applies an activation to an input of the rank that the fixture has.
macro_rules! apply {
    ($case:ident, $layer:expr) => {
        match $case.rank("x") {
            3 => $case.check($layer, |layer| layer.forward($case.float::<3>("x"))),
            _ => $case.check($layer, |layer| layer.forward($case.float::<2>("x"))),
        }
    };
}

pub fn run<B: AutodiffBackend>(case: &Case<'_, B>) -> Outcome {
    let device = case.device();
    match case.layer() {
        "Activation" => apply!(case, case.config::<ActivationConfig>().init(&device)),
        "Celu" => apply!(case, case.config::<CeluConfig>().init()),
        "Elu" => apply!(case, case.config::<EluConfig>().init()),
        "Gelu" => apply!(case, case.config::<GeluConfig>().init()),
        "Glu" => apply!(case, case.config::<GluConfig>().init()),
        "HardShrink" => apply!(case, case.config::<HardShrinkConfig>().init()),
        "HardSigmoid" => apply!(case, case.config::<HardSigmoidConfig>().init()),
        "HardSwish" => apply!(case, HardSwish::new()),
        "Hardtanh" => apply!(case, case.config::<HardtanhConfig>().init()),
        "Identity" => apply!(case, Identity::new()),
        "LeakyRelu" => apply!(case, case.config::<LeakyReluConfig>().init()),
        "LogSigmoid" => apply!(case, LogSigmoid::new()),
        "LogSoftmax" => apply!(case, case.config::<LogSoftmaxConfig>().init()),
        "Mish" => apply!(case, Mish::new()),
        "PRelu" => apply!(case, case.config::<PReluConfig>().init(&device)),
        "Relu" => apply!(case, Relu::new()),
        "Relu6" => apply!(case, Relu6::new()),
        "Selu" => apply!(case, Selu::new()),
        "Sigmoid" => apply!(case, Sigmoid::new()),
        "Silu" => apply!(case, Silu::new()),
        "SoftShrink" => apply!(case, case.config::<SoftShrinkConfig>().init()),
        "Softmax" => apply!(case, case.config::<SoftmaxConfig>().init()),
        "Softmin" => apply!(case, case.config::<SoftminConfig>().init()),
        "Softplus" => apply!(case, case.config::<SoftplusConfig>().init()),
        "Softsign" => apply!(case, Softsign::new()),
        "SwiGlu" => apply!(case, case.config::<SwiGluConfig>().init(&device)),
        "Tanh" => apply!(case, Tanh::new()),
        "TanhShrink" => apply!(case, TanhShrink::new()),
        "Threshold" => apply!(case, case.config::<ThresholdConfig>().init()),
        other => panic!("no layer {other}"),
    }
}
