//! Derived configs.

use burn_core::config::{Config, ConfigError};
use std::collections::HashMap;

#[derive(Config, Debug, PartialEq)]
pub enum Padding {
    Valid,
    Explicit(usize, usize),
    Value(f64),
    Named { left: usize, right: Option<usize> },
}

#[derive(Config, Debug, PartialEq)]
pub struct LayerConfig {
    /// Numbers that go in.
    pub d_input: usize,
    #[config(default = 0.1)]
    pub dropout: f64,
    #[config(default = "0.5")]
    pub momentum: f64,
    #[config(default = 1)]
    pub scale: f32,
    #[config(default = -3)]
    pub offset: i32,
    #[config(default = "relu")]
    pub activation: String,
    #[config(default = "Padding::Explicit(1, 2)")]
    pub padding: Padding,
    #[config(default = true)]
    pub bias: bool,
}

#[derive(Config)]
#[expect(missing_debug_implementations, reason = "a config needs none")]
pub struct TrainingConfig {
    pub layers: Vec<LayerConfig>,
    pub names: HashMap<String, String>,
    pub note: Option<String>,
    #[config(default = 10)]
    pub num_epochs: usize,
    #[config(default = "[3, 3]")]
    pub kernel: [usize; 2],
}

#[test]
fn new_takes_the_fields_without_default() {
    let config = LayerConfig::new(8);
    assert_eq!((config.d_input, config.dropout, config.momentum, config.scale), (8, 0.1, 0.5, 1.0));
    assert_eq!((config.offset, config.bias, &*config.activation), (-3, true, "relu"));
    assert_eq!(config.padding, Padding::Explicit(1, 2));
    let config = config.with_d_input(9).with_padding(Padding::Valid).with_activation("gelu".into());
    assert_eq!((config.d_input, &*config.activation, config.padding), (9, "gelu", Padding::Valid));
}

#[derive(Config, Debug, PartialEq)]
pub struct WindowConfig {
    pub size: usize,
    #[config(default = "size")]
    pub stride: usize,
}

#[test]
fn a_default_can_be_made_of_the_fields_without_default() {
    assert_eq!(WindowConfig::new(3).stride, 3);
    assert_eq!(WindowConfig::new(3).with_stride(1), WindowConfig { size: 3, stride: 1 });
    assert_eq!(WindowConfig::from_json(r#"{"size": 4}"#), Ok(WindowConfig { size: 4, stride: 4 }));
}

fn training() -> TrainingConfig {
    let layers = vec![
        LayerConfig::new(2).with_dropout(1.0 / 3.0).with_padding(Padding::Value(1e-300)),
        LayerConfig::new(3).with_padding(Padding::Named { left: 1, right: None }),
        LayerConfig::new(4).with_padding(Padding::Valid),
    ];
    TrainingConfig::new(layers, HashMap::from([("a".into(), "b".into())]), None)
}

#[test]
fn save_and_load_give_the_same_config() {
    let folder = std::env::temp_dir().join(format!("burn-config-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("config.json");
    let config = training();
    config.save(&path).unwrap();
    let loaded = TrainingConfig::load(&path).unwrap();
    assert_eq!(loaded.layers, config.layers);
    assert_eq!((&loaded.names, &loaded.note, loaded.kernel), (&config.names, &None, [3, 3]));
    assert_eq!(loaded.to_json(), config.to_json());
    assert_eq!(loaded.to_string(), config.to_json());
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "nothing is left beside the file");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_field_with_a_default_may_be_missing() {
    let config = LayerConfig::from_json(r#"{"d_input": 3, "of_a_later_version": 1}"#).unwrap();
    assert_eq!(config, LayerConfig::new(3));
}

#[test]
fn errors_name_file_and_field() {
    let missing = LayerConfig::from_json("{}").unwrap_err();
    assert!(missing.to_string().contains("missing field `d_input`"), "{missing}");
    let wrong = TrainingConfig::from_json(r#"{"layers": [{"d_input": "x"}], "names": {}}"#).err().unwrap();
    let text = wrong.to_string();
    assert!(text.contains("field `layers`") && text.contains("field `d_input`"), "{text}");
    let variant = LayerConfig::from_json(r#"{"d_input": 3, "padding": "Full"}"#).unwrap_err().to_string();
    assert!(variant.contains("`Full`") && variant.contains("Valid, Explicit"), "{variant}");

    let absent = LayerConfig::load("/nowhere/config.json").unwrap_err();
    assert!(matches!(&absent, ConfigError::File { path, .. } if path == "/nowhere/config.json"), "{absent}");
    assert!(LayerConfig::new(1).save("/nowhere/config.json").is_err());
    assert!(matches!(LayerConfig::load_binary(b"\xff{"), Err(ConfigError::Invalid { .. })));
}
