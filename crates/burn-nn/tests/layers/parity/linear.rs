use super::{Case, Outcome};
use burn::nn::LinearConfig;
use burn::tensor::AutodiffBackend;

pub fn run<B: AutodiffBackend>(case: &Case<'_, B>) -> Outcome {
    match case.layer() {
        "Linear" => case.check(case.config::<LinearConfig>().init(&case.device()), |layer| {
            layer.forward(case.float::<3>("x"))
        }),
        other => panic!("no layer {other}"),
    }
}
