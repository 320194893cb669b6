//! CF: configs.

use crate::expect::exactly;
use crate::given::{B, CPU};
use crate::given_module::Affine;
use burn::config::Config;
use burn::module::Module;
use burn::tensor::backend::Backend;
use std::collections::HashMap;

#[derive(Config)]
struct Plain {
    size: usize,
}

#[derive(Config, Debug, PartialEq)]
struct LayerConfig {
    d_model: usize,
    heads: i32,
    #[config(default = 0.1)]
    dropout: f64,
    #[config(default = "0.5")]
    momentum: f64,
    #[config(default = "relu")]
    activation: String,
    #[config(default = "Some(vec![1, 2])")]
    sizes: Option<Vec<usize>>,
}

#[test]
fn cf_001_a_config_needs_no_debug_and_may_have_it() {
    assert_eq!(Plain::new(3).clone().size, 3);
    assert!(format!("{:?}", LayerConfig::new(1, 2)).contains("d_model: 1"));
}

#[test]
fn cf_002_defaults_are_literals_or_expressions() {
    let config = LayerConfig::new(8, -2);
    assert_eq!((config.dropout, config.momentum), (0.1, 0.5));
    assert_eq!((config.activation.as_str(), config.sizes), ("relu", Some(vec![1, 2])));
}

#[test]
fn cf_003_new_takes_the_required_fields_in_order() {
    let config = LayerConfig::new(8, -2);
    assert_eq!((config.d_model, config.heads), (8, -2));
}

#[test]
fn cf_004_every_field_has_a_setter() {
    let config = LayerConfig::new(8, 2).with_d_model(9).with_heads(3).with_dropout(0.0).with_sizes(None);
    let config = config.with_activation("gelu".to_string()).with_momentum(0.9);
    assert_eq!((config.d_model, config.heads, config.dropout, config.momentum), (9, 3, 0.0, 0.9));
    assert_eq!((config.activation.as_str(), config.sizes), ("gelu", None));
}

#[test]
fn cf_005_save_and_load_go_through_json() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.json");
    let config = LayerConfig::new(8, 2).with_dropout(1.0 / 3.0);
    config.save(&path).unwrap();
    let json: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    assert_eq!(json["d_model"], 8);
    assert_eq!(LayerConfig::load(&path).unwrap(), config);
    assert!(LayerConfig::load(folder.path().join("none.json")).is_err());
    std::fs::write(&path, "{\"d_model\": 1}").unwrap();
    let error = LayerConfig::load(&path).unwrap_err().to_string();
    assert!(error.contains("heads") && error.contains("config.json"), "{error}");
}

#[derive(Config, Debug, PartialEq)]
struct Nested {
    layers: Vec<LayerConfig>,
    names: HashMap<String, String>,
    title: String,
    is_deep: bool,
    offset: i32,
}

#[test]
fn cf_006_configs_nest() {
    let names = HashMap::from([("a".to_string(), "b".to_string())]);
    let layers = vec![LayerConfig::new(1, 2), LayerConfig::new(3, 4)];
    let config = Nested::new(layers, names, "x".to_string(), true, -5);
    assert_eq!(Nested::from_json(&config.to_json()).unwrap(), config);
}

#[test]
fn cf_007_fields_are_readable() {
    assert_eq!(LayerConfig::new(8, 2).d_model, 8);
}

impl LayerConfig {
    fn init<B: Backend>(&self, device: &B::Device) -> Affine<B> {
        Affine::new(self.d_model, self.d_model, device)
    }
}

#[test]
fn cf_008_a_config_makes_the_module() {
    let layer = LayerConfig::new(4, 2).init::<B>(CPU);
    assert_eq!(layer.num_params(), 20);
    exactly(layer.bias.unwrap().val(), [0.0; 4]);
}

#[derive(Config)]
struct TrainingConfig {
    model: LayerConfig,
    #[config(default = 10)]
    num_epochs: usize,
    #[config(default = 64)]
    batch_size: usize,
    #[config(default = 4)]
    num_workers: usize,
    #[config(default = 42)]
    seed: u64,
    #[config(default = 1.0e-4)]
    learning_rate: f64,
}

#[test]
fn cf_009_the_training_config_has_its_defaults() {
    let config = TrainingConfig::new(LayerConfig::new(1, 2));
    assert_eq!((config.num_epochs, config.batch_size, config.num_workers), (10, 64, 4));
    assert_eq!((config.seed, config.learning_rate, config.model.d_model), (42, 1e-4, 1));
}

#[derive(Config, Debug, PartialEq)]
struct MlpConfig {
    hidden: usize,
    #[config(default = 0.5)]
    dropout: f64,
    #[config(default = "relu")]
    activation: String,
    #[config(default = 1e-4)]
    learning_rate: f64,
}

#[test]
fn tu_004_a_config_is_built_saved_and_loaded() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mlp.json");
    let config = MlpConfig::new(16).with_learning_rate(1e-3);
    assert_eq!((config.hidden, config.dropout, config.activation.as_str()), (16, 0.5, "relu"));
    config.save(&path).unwrap();
    assert_eq!(MlpConfig::load(&path).unwrap(), config);
}
