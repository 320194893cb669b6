//! Low-rank adapters: applied, trained, merged, unmerged, saved alone.

use crate::expect::exactly;
use crate::given::{B, CPU, float};
use burn::backend::{Autodiff, NdArray};
use burn::module::{AutodiffModule, Initializer, Module, Param};
use burn::nn::attention::{MhaInput, MultiHeadAttention, MultiHeadAttentionConfig};
use burn::nn::lora::{self, LoraConfig};
use burn::nn::transformer::{TransformerEncoder, TransformerEncoderConfig, TransformerEncoderInput};
use burn::nn::{Linear, LinearConfig, LinearRecord};
use burn::optim::{GradientsParams, Optimizer, SgdConfig};
use burn::record::{BinBytesRecorder, FullPrecisionSettings, Recorder};
use burn::tensor::backend::Backend;
use burn::tensor::{Distribution, Tensor, Tolerance};

/// `y = x [[1], [2]] + 3`, with an adapter that adds `2 (x [[1], [0]]) [[5]]`.
fn adapted() -> Linear<B> {
    let base = Linear::new(Param::from_data([[1.0], [2.0]], CPU), Some(Param::from_data([3.0], CPU)));
    with_factors(LoraConfig::new(1).with_alpha(2.0).apply(base), [[1.0], [0.0]], [[5.0]])
}

fn with_factors<Bk: Backend>(layer: Linear<Bk>, a: [[f64; 1]; 2], b: [[f64; 1]; 1]) -> Linear<Bk> {
    let mut saved = lora::record(&layer);
    let adapter = saved.adapters.get_mut("").expect("the layer itself");
    let device = layer.weight.device();
    (adapter.a, adapter.b) = (Param::from_data(a, &device), Param::from_data(b, &device));
    lora::load(layer, saved)
}

#[test]
fn x_208_adapter_adds_its_product_to_the_output() {
    let (layer, x) = (adapted(), float::<2>([[1.0, 1.0], [2.0, -1.0]]));
    exactly(layer.forward(x), [[16.0], [23.0]]);
    assert_eq!(layer.to_string(), "Linear {d_input: 2, d_output: 1, bias: true, lora_rank: 1, params: 6}");
}

#[test]
fn x_208_new_adapters_change_nothing_and_are_all_that_trains() {
    type Tracked = Autodiff<NdArray>;
    let base: TransformerEncoder<Tracked> =
        TransformerEncoderConfig::new(8, 16, 2, 2).with_dropout(0.0).init(CPU);
    let x = Tensor::<Tracked, 3>::random([2, 3, 8], Distribution::Default, CPU);
    let forward =
        |model: &TransformerEncoder<Tracked>| model.forward(TransformerEncoderInput::new(x.clone())).inner();
    let targets = ["query", "value", "pwff.linear_inner"].map(String::from).to_vec();
    let model = LoraConfig::new(2).with_targets(targets).apply(base.clone());
    exactly(forward(&model), forward(&base).into_data());
    // Per layer: two projections from 8 to 8, and one from 8 to 16.
    assert_eq!(model.num_params() - base.num_params(), 2 * (2 * (8 * 2 + 2 * 8) + 8 * 2 + 2 * 16));
    assert!(model.layers[1].mha.key.lora.adapter().is_none());

    let loss = model.forward(TransformerEncoderInput::new(x.clone())).powf_scalar(2.0).sum();
    let gradients = GradientsParams::from_grads(loss.backward(), &model);
    let trained = SgdConfig::new().init().step(0.1, model.clone(), gradients);
    let weights = |model: &TransformerEncoder<Tracked>| model.layers[0].mha.query.weight.val().into_data();
    assert_eq!(weights(&trained), weights(&model));
    let factor = |model: &TransformerEncoder<Tracked>| {
        model.layers[0].mha.query.lora.adapter().expect("a target").b.val().into_data()
    };
    assert_ne!(factor(&trained), factor(&model));
    // In evaluation mode the adapters are there too.
    let valid = trained.valid();
    let y = valid.forward(TransformerEncoderInput::new(x.clone().inner()));
    assert!(y.all_close(forward(&trained), Some(1e-5), Some(1e-5)));
}

#[test]
fn x_208_merged_layer_is_a_plain_one_and_unmerged_what_it_was() {
    let x = float::<2>([[1.0, 1.0], [2.0, -1.0]]);
    let merged = lora::merge(adapted());
    exactly(merged.weight.val(), [[11.0], [2.0]]);
    exactly(merged.forward(x.clone()), [[16.0], [23.0]]);
    exactly(lora::merge(merged.clone()).weight.val(), [[11.0], [2.0]]);
    // Its record is that of a layer without adapters.
    let plain: Linear<B> = LinearConfig::new(2, 1).init(CPU).load_record(merged.clone().into_record());
    exactly(plain.forward(x.clone()), [[16.0], [23.0]]);
    let unmerged = lora::unmerge(merged.clone());
    exactly(unmerged.weight.val(), [[1.0], [2.0]]);
    exactly(unmerged.forward(x.clone()), [[16.0], [23.0]]);
    assert!(unmerged.lora.adapter().expect("it is there").a.is_require_grad());
    let removed = lora::remove(merged);
    assert_eq!(removed.num_params(), 3);
    exactly(removed.forward(x.clone()), [[16.0], [23.0]]);
    exactly(lora::remove(adapted()).forward(x), [[6.0], [3.0]]);
}

#[test]
fn x_208_adapters_are_saved_alone_and_loaded_onto_a_base() {
    let base: MultiHeadAttention<B> = MultiHeadAttentionConfig::new(4, 2).init(CPU);
    let targets = ["query", "output"].map(String::from).to_vec();
    let config = LoraConfig::new(2).with_alpha(8.0).with_dropout(0.25).with_targets(targets);
    let mut saved = lora::record(&config.apply(base.clone()));
    for adapter in saved.adapters.values_mut() {
        adapter.b = Initializer::Constant { value: 0.5 }.init([2, 4], CPU);
    }
    let recorder = BinBytesRecorder::<FullPrecisionSettings>::new();
    let bytes = recorder.record(saved.clone(), ()).expect("it is written");
    let read = Recorder::<B>::load(&recorder, bytes.clone(), CPU).expect("it is read");
    let (first, second) = (lora::load(base.clone(), saved), lora::load(base.clone(), read));
    let x = || MhaInput::self_attn(float([[[1.0, -2.0, 0.5, 3.0], [0.0, 1.0, 1.0, -1.0]]]));
    exactly(second.forward(x()).context, first.forward(x()).context.into_data());
    let adapter = second.query.lora.adapter().expect("it was saved");
    assert_eq!((adapter.scale, adapter.dropout.prob), (4.0, 0.25));
    // The weights are random and up to 10: sums of f32 in another order.
    let merged = lora::merge(second).forward(x()).context.into_data();
    let tolerance = Tolerance::rel_abs(1e-5, 2e-5);
    merged.assert_approx_eq::<f64>(&first.forward(x()).context.into_data(), tolerance);

    let other: MultiHeadAttention<B> = MultiHeadAttentionConfig::new(6, 2).init(CPU);
    let read = Recorder::<B>::load(&recorder, bytes.clone(), CPU).expect("it is read");
    let error = lora::try_load(other, read).expect_err("other sizes").to_string();
    assert!(error.contains("shape of query.a: expected [6, 2], found [4, 2]"), "{error}");
    let read = Recorder::<B>::load(&recorder, bytes, CPU).expect("it is read");
    let linear: Linear<B> = LinearConfig::new(4, 4).init(CPU);
    let error = lora::try_load(linear, read).expect_err("no such layers");
    assert_eq!(error.mismatch().expect("paths").unexpected, ["output", "query"]);
}

#[test]
fn x_208_the_record_of_a_linear_layer_is_weight_and_bias() {
    let weight = Param::from_data([[1.0], [2.0]], CPU);
    let record = LinearRecord { weight, bias: Some(Param::from_data([3.0], CPU)) };
    let layer: Linear<B> = LinearConfig::new(2, 1).init(CPU).load_record(record);
    exactly(layer.forward(float::<2>([[1.0, 1.0]])), [[6.0]]);

    let LinearRecord { weight, bias } = adapted().into_record();
    exactly(weight.val(), [[1.0], [2.0]]);
    exactly(bias.expect("a bias").val(), [3.0]);
}

#[test]
fn x_208_adapters_travel_with_the_record_of_their_layer() {
    let zeros = || Linear::new(Param::from_data([[0.0], [0.0]], CPU), Some(Param::from_data([0.0], CPU)));
    let (x, expected) = (|| float::<2>([[1.0, 1.0], [2.0, -1.0]]), [[16.0], [23.0]]);
    let target = LoraConfig::new(1).with_alpha(2.0).apply(zeros());
    exactly(target.clone().load_record(adapted().into_record().clone()).forward(x()), expected);

    let recorder = BinBytesRecorder::<FullPrecisionSettings>::new();
    let bytes = recorder.record(adapted().into_record(), ()).expect("it is written");
    let read = || Recorder::<B>::load::<LinearRecord<B>>(&recorder, bytes.clone(), CPU).expect("it is read");
    exactly(target.clone().load_record(read()).forward(x()), expected);

    let error = zeros().try_load_record(read()).expect_err("there is no adapter in the layer");
    assert_eq!(error.mismatch().expect("paths").unexpected, ["lora"]);
    let plain = recorder.record(zeros().into_record(), ()).expect("it is written");
    let plain = Recorder::<B>::load::<LinearRecord<B>>(&recorder, plain, CPU).expect("it is read");
    let error = target.try_load_record(plain).expect_err("the record has no adapter");
    assert_eq!(error.mismatch().expect("paths").missing, ["lora.a", "lora.b"]);
}

#[test]
fn x_211_lora_config_refuses_what_cannot_be() {
    let base = || LinearConfig::new(2, 2).init::<B>(CPU);
    let refused = |config: LoraConfig| config.try_apply(base()).expect_err("it cannot be").to_string();
    assert_eq!(refused(LoraConfig::new(0)), "LoraConfig: invalid `rank`; expected at least 1, got 0");
    assert_eq!(
        refused(LoraConfig::new(1).with_alpha(0.0)),
        "LoraConfig: invalid `alpha`; expected a finite number above 0, got 0.0"
    );
    assert_eq!(
        refused(LoraConfig::new(1).with_targets(vec!["query".into()])),
        "LoraConfig: invalid `targets`; expected the end of the path of a linear layer, got [\"query\"]"
    );
}
