//! `try_forward` gives as a value what `forward` panics with, under the name of the layer.

use burn_core::tensor::{Int, Tensor, TensorError};
use burn_ndarray::NdArray;
use burn_nn::loss::{
    BinaryCrossEntropyLossConfig, CrossEntropyLossConfig, KlDivLossConfig, L1Loss, MseLoss, NllLossConfig,
    Reduction,
};
use burn_nn::transformer::PositionWiseFeedForwardConfig;
use burn_nn::{
    BatchNormConfig, BilinearConfig, EmbeddingBagConfig, EmbeddingConfig, GluConfig, GroupNormConfig,
    InstanceNormConfig, LayerNormConfig, LinearConfig, PReluConfig, RmsNormConfig, SwiGluConfig,
};

type B = NdArray;

fn zeros<const D: usize>(shape: [usize; D]) -> Tensor<B, D> {
    Tensor::zeros(shape, &Default::default())
}

fn index<const D: usize>(shape: [usize; D], value: i64) -> Tensor<B, D, Int> {
    Tensor::full(shape, value, &Default::default())
}

fn fails<const D: usize>(result: Result<Tensor<B, D>, TensorError>, text: &str) {
    let error = result.expect_err(text);
    assert!(error.location().file().ends_with("try_forward.rs"), "{error}");
    let error = error.to_string();
    assert!(error.starts_with(text), "{error}");
}

#[test]
fn layers_name_themselves_and_what_they_expect() {
    let device = Default::default();
    let wrong = "wrong last dimension of the input; expected [.., 3], got [2, 5]";
    fails(LinearConfig::new(3, 4).init(&device).try_forward(zeros([2, 5])), &format!("linear: {wrong}"));
    fails(SwiGluConfig::new(3, 4).init(&device).try_forward(zeros([2, 5])), &format!("swiglu: {wrong}"));
    fails(LayerNormConfig::new(3).init(&device).try_forward(zeros([2, 5])), &format!("layer_norm: {wrong}"));
    fails(RmsNormConfig::new(3).init(&device).try_forward(zeros([2, 5])), &format!("rms_norm: {wrong}"));
    let feed_forward = PositionWiseFeedForwardConfig::new(3, 8).init::<B>(&device);
    fails(feed_forward.try_forward(zeros([2, 5])), &format!("position_wise_feed_forward: {wrong}"));

    let wrong = "wrong number of channels (dimension 1) of the input; expected [batch, 4, ..], got [2, 5, 1]";
    let x = zeros([2, 5, 1]);
    fails(BatchNormConfig::new(4).init(&device).try_forward(x.clone()), &format!("batch_norm: {wrong}"));
    fails(GroupNormConfig::new(2, 4).init(&device).try_forward(x.clone()), &format!("group_norm: {wrong}"));
    fails(
        InstanceNormConfig::new(4).init(&device).try_forward(x.clone()),
        &format!("instance_norm: {wrong}"),
    );
    fails(PReluConfig::new().with_num_parameters(4).init(&device).try_forward(x), "prelu: ");
    fails(GluConfig::new().init().try_forward(zeros([2, 5])), "glu: ");

    let bilinear = BilinearConfig::new(2, 3, 4).init::<B>(&device);
    let text = "bilinear: the inputs differ before the last dimension; expected [5] as in [5, 2], got [6, 3]";
    fails(bilinear.try_forward(zeros([5, 2]), zeros([6, 3])), text);
    let embedding = EmbeddingConfig::new(4, 2).init::<B>(&device);
    fails(embedding.try_forward(index([1, 2], 4)), "embedding: ");
    let bag = EmbeddingBagConfig::new(4, 2).init::<B>(&device);
    fails(bag.try_forward(index([1, 2], -1)), "embedding_bag: ");
    fails(bag.try_forward_weighted(index([1, 2], 0), zeros([1, 2])), "embedding_bag: weights per index need");
}

#[test]
fn losses_name_themselves_and_the_shapes() {
    let device = Default::default();
    let wrong = "prediction and target have different shapes; expected a target [2, 3], got [2, 4]";
    let (x, y) = (zeros([2, 3]), zeros([2, 4]));
    fails(MseLoss::new().try_forward(x.clone(), y.clone(), Reduction::Mean), &format!("mse_loss: {wrong}"));
    fails(L1Loss::new().try_forward_no_reduction(x.clone(), y.clone()), &format!("l1_loss: {wrong}"));
    let wrong = "input and targets have different shapes; expected targets [2, 3], got [2, 4]";
    let kl_div = KlDivLossConfig::new().init();
    fails(kl_div.try_forward(x.clone(), y, Reduction::Sum), &format!("kl_div_loss: {wrong}"));
    let cross_entropy = CrossEntropyLossConfig::new().init::<B>(&device);
    let text = "cross_entropy: wrong number of targets for the input [2, 3]; expected [2], got [3]";
    fails(cross_entropy.try_forward(x.clone(), index([3], 0)), text);
    fails(cross_entropy.try_forward(x.clone(), index([2], 3)), "cross_entropy: ");
    let nll = NllLossConfig::new().init::<B>(&device);
    fails(nll.try_forward_no_reduction(x.clone(), index([3], 0)), "nll_loss: wrong shape of the targets");
    let binary = BinaryCrossEntropyLossConfig::new().init::<B>(&device);
    fails(binary.try_forward(x, index([2, 4], 0)), "binary_cross_entropy: input and targets have different");
}

#[test]
fn a_fitting_input_gives_what_forward_gives() {
    let linear = LinearConfig::new(3, 4).init::<B>(&Default::default());
    let x = zeros([2, 3]).add_scalar(0.5);
    assert_eq!(linear.try_forward(x.clone()).unwrap().into_data(), linear.forward(x).into_data());
}
