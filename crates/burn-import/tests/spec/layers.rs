//! PT-013: layers of PyTorch, their parameters and their outputs.

use super::files::{B, CPU, wave_tensor};
use super::files::{close, expected};
use burn::module::Module;
use burn::nn::attention::{MhaInput, MultiHeadAttention, MultiHeadAttentionConfig};
use burn::nn::conv::{Conv1d, Conv1dConfig, ConvTranspose1d, ConvTranspose1dConfig};
use burn::nn::transformer::{
    FeedForwardActivation, TransformerDecoder, TransformerDecoderConfig, TransformerDecoderInput,
    TransformerEncoder, TransformerEncoderConfig, TransformerEncoderInput,
};
use burn::nn::{
    BatchNorm, BatchNormConfig, BiGru, BiGruConfig, BiLstm, BiLstmConfig, Embedding, EmbeddingConfig,
    GroupNorm, GroupNormConfig, Gru, GruConfig, InstanceNorm, InstanceNormConfig, LayerNorm, LayerNormConfig,
    Linear, LinearConfig, Lstm, LstmConfig, PRelu, PReluConfig, RmsNorm, RmsNormConfig, Rnn, RnnConfig,
};
use burn::tensor::{Backend, Int, Tensor};

/// The same as `Layers` of the script.
#[derive(Module, Debug)]
pub struct Layers<B: Backend> {
    pub linear: Linear<B>,
    pub layer_norm: LayerNorm<B>,
    pub batch_norm: BatchNorm<B>,
    pub group_norm: GroupNorm<B>,
    pub instance_norm: InstanceNorm<B>,
    pub rms_norm: RmsNorm<B>,
    pub prelu: PRelu<B>,
    pub embedding: Embedding<B>,
    pub conv: Conv1d<B>,
    pub conv_transpose: ConvTranspose1d<B>,
    pub lstm: Lstm<B>,
    pub bi_lstm: BiLstm<B>,
    pub gru: Gru<B>,
    pub bi_gru: BiGru<B>,
    pub rnn: Rnn<B>,
    pub attention: MultiHeadAttention<B>,
    pub cross: MultiHeadAttention<B>,
    pub encoder: TransformerEncoder<B>,
    pub decoder: TransformerDecoder<B>,
}

impl<B: Backend> Layers<B> {
    pub fn new(device: &B::Device) -> Self {
        let attention = MultiHeadAttentionConfig::new(4, 2);
        let encoder = TransformerEncoderConfig::new(4, 6, 2, 2).with_dropout(0.0);
        let decoder = TransformerDecoderConfig::new(4, 6, 2, 1).with_dropout(0.0);
        Layers {
            linear: LinearConfig::new(4, 3).init(device),
            layer_norm: LayerNormConfig::new(3).init(device),
            batch_norm: BatchNormConfig::new(3).init(device),
            group_norm: GroupNormConfig::new(2, 4).init(device),
            instance_norm: InstanceNormConfig::new(3).init(device),
            rms_norm: RmsNormConfig::new(4).init(device),
            prelu: PReluConfig::new().with_num_parameters(3).init(device),
            embedding: EmbeddingConfig::new(5, 4).init(device),
            conv: Conv1dConfig::new([4, 2], 3).init(device),
            conv_transpose: ConvTranspose1dConfig::new([2, 3], 2).init(device),
            lstm: LstmConfig::new(4, 3, true).with_num_layers(2).init(device),
            bi_lstm: BiLstmConfig::new(4, 3, true).init(device),
            gru: GruConfig::new(4, 3, true).init(device),
            bi_gru: BiGruConfig::new(4, 2, true).with_num_layers(2).init(device),
            rnn: RnnConfig::new(4, 3, true).init(device),
            attention: attention.clone().init(device),
            cross: attention.with_d_key(Some(3)).with_d_value(Some(5)).init(device),
            encoder: encoder.with_activation(FeedForwardActivation::Relu).init(device),
            decoder: decoder.with_activation(FeedForwardActivation::Relu).init(device),
        }
    }
}

/// Compares the output of every layer with PyTorch's.
#[track_caller]
pub fn check_outputs(layers: &Layers<B>) {
    fn check<const D: usize>(name: &str, y: Tensor<B, D>) {
        close(&y.into_data(), &expected("layers", name), 2e-6);
    }
    let x = wave_tensor([2, 5, 4], 100);
    let channels = x.clone().swap_dims(1, 2);
    let y = layers.linear.forward(x.clone());
    let turned = y.clone().swap_dims(1, 2);
    check("linear", y.clone());
    check("layer_norm", layers.layer_norm.forward(y));
    check("batch_norm", layers.batch_norm.forward(turned.clone()));
    check("group_norm", layers.group_norm.forward(channels.clone()));
    check("instance_norm", layers.instance_norm.forward(turned.clone()));
    check("rms_norm", layers.rms_norm.forward(x.clone()));
    check("prelu", layers.prelu.forward(turned));
    let indices = Tensor::<B, 2, Int>::from_data([[0, 4], [2, 1]], CPU);
    check("embedding", layers.embedding.forward(indices));
    let features = layers.conv.forward(channels);
    check("conv", features.clone());
    check("conv_transpose", layers.conv_transpose.forward(features));
    check("lstm", layers.lstm.forward(x.clone(), None).0);
    check("bi_lstm", layers.bi_lstm.forward(x.clone(), None).0);
    check("gru", layers.gru.forward(x.clone(), None).0);
    check("bi_gru", layers.bi_gru.forward(x.clone(), None).0);
    check("rnn", layers.rnn.forward(x.clone(), None).0);
    check("attention", layers.attention.forward(MhaInput::self_attn(x.clone())).context);
    check("encoder", layers.encoder.forward(TransformerEncoderInput::new(x.clone())));
    let memory = wave_tensor([2, 3, 4], 7);
    check("decoder", layers.decoder.forward(TransformerDecoderInput::new(x, memory)));
}
