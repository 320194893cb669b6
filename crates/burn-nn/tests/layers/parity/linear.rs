use super::{Case, Outcome};
use burn::nn::{BilinearConfig, LinearConfig, Relu, Sequential};
use burn::tensor::AutodiffBackend;

pub fn run<B: AutodiffBackend>(case: &Case<'_, B>) -> Outcome {
    let device = case.device();
    match case.layer() {
        "Linear" => case
            .check(case.config::<LinearConfig>().init(&device), |layer| layer.forward(case.float::<3>("x"))),
        "Bilinear" => case.check(case.config::<BilinearConfig>().init(&device), |layer| {
            layer.forward(case.float::<3>("x1"), case.float("x2"))
        }),
        "Sequential" => {
            let size = |index: usize| case.option("sizes")[index].as_u64().expect("a size") as usize;
            let linear = |from: usize| LinearConfig::new(size(from), size(from + 1)).init::<B>(&device);
            let layers = Sequential::new((linear(0), Relu::new(), linear(1)));
            case.check(layers, |layers| layers.forward(case.float::<2>("x")))
        }
        other => panic!("no layer {other}"),
    }
}
