use burn::config::Config;

#[derive(Config, Debug, PartialEq)]
struct MyConfig {
    hidden_size: usize,
    #[config(default = 0.5)]
    dropout: f64,
    #[config(default = "relu")]
    activation: String,
    #[config(default = 1e-4)]
    learning_rate: f64,
}

#[test]
fn tu_004_configs() {
    let config = MyConfig::new(128);
    assert_eq!((config.hidden_size, config.dropout, config.learning_rate), (128, 0.5, 1e-4));
    assert_eq!(config.activation, "relu");
    let config = config.with_dropout(0.25).with_activation("gelu".to_string());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.json");
    config.save(&path).unwrap();
    let loaded = MyConfig::load(&path).unwrap();
    assert_eq!(loaded, config);
}
