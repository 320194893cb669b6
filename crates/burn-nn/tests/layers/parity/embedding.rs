use super::{Case, Outcome};
use burn::nn::{EmbeddingBagConfig, EmbeddingConfig};
use burn::tensor::AutodiffBackend;

pub fn run<B: AutodiffBackend>(case: &Case<'_, B>) -> Outcome {
    let device = case.device();
    let bag = || case.config::<EmbeddingBagConfig>().init(&device);
    match case.layer() {
        "Embedding" => case
            .check(case.config::<EmbeddingConfig>().init(&device), |layer| layer.forward(case.int::<2>("x"))),
        "EmbeddingBag" => case.check(bag(), |layer| layer.forward(case.int::<2>("x"))),
        "EmbeddingBagOffsets" => {
            case.check(bag(), |layer| layer.forward_offsets(case.int::<1>("x"), case.int::<1>("offsets")))
        }
        "EmbeddingBagWeighted" => {
            case.check(bag(), |layer| layer.forward_weighted(case.int::<2>("x"), case.float::<2>("weights")))
        }
        "EmbeddingBagOffsetsWeighted" => case.check(bag(), |layer| {
            let (indices, offsets) = (case.int::<1>("x"), case.int::<1>("offsets"));
            layer.forward_offsets_weighted(indices, offsets, case.float::<1>("weights"))
        }),
        other => panic!("no layer {other}"),
    }
}
