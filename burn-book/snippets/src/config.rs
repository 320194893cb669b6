//! Configs.

// ANCHOR: derive
use burn::nn::{Dropout, DropoutConfig, Linear, LinearConfig};
use burn::prelude::*;

/// Options of [`Classifier`].
#[derive(Config, Debug, PartialEq)]
pub struct ClassifierConfig {
    /// Number of input features.
    pub features: usize,
    /// Number of classes.
    pub classes: usize,
    /// Width of the hidden layer; four times the features unless it is given.
    #[config(default = "4 * features")]
    pub hidden: usize,
    /// Dropout probability, in `[0, 1)`.
    #[config(default = 0.1)]
    pub dropout: f64,
    /// Name in the log.
    #[config(default = "classifier")]
    pub name: String,
    /// Weight of each class, equal unless they are given.
    #[config(default = "None")]
    pub class_weights: Option<Vec<f64>>,
}
// ANCHOR_END: derive

/// Two linear layers.
#[derive(Module, Debug)]
pub struct Classifier<B: Backend> {
    hidden: Linear<B>,
    output: Linear<B>,
    dropout: Dropout,
}

// ANCHOR: init
use burn::config::{ConfigError, FieldCheck};

impl ClassifierConfig {
    /// Returns the model, on `device`.
    ///
    /// # Errors
    /// A field is out of its range.
    pub fn try_init<B: Backend>(&self, device: &B::Device) -> Result<Classifier<B>, ConfigError> {
        let check = FieldCheck::of("ClassifierConfig");
        check.at_least("classes", self.classes, 2)?;
        check.decay_rate("dropout", self.dropout)?;
        if let Some(weights) = &self.class_weights {
            let expected = format!("{} weights, one for each class", self.classes);
            check.ensure(weights.len() == self.classes, "class_weights", weights, &expected)?;
        }
        Ok(Classifier {
            hidden: LinearConfig::new(self.features, self.hidden).init(device),
            output: LinearConfig::new(self.hidden, self.classes).init(device),
            dropout: DropoutConfig::new(self.dropout).init(),
        })
    }
}
// ANCHOR_END: init

impl<B: Backend> Classifier<B> {
    fn forward(&self, x: Tensor<B, 2>) -> Tensor<B, 2> {
        self.output.forward(self.dropout.forward(self.hidden.forward(x)))
    }
}

#[test]
fn a_config_is_made_and_changed() {
    // ANCHOR: new
    let config = ClassifierConfig::new(8, 3).with_dropout(0.2);
    assert_eq!((config.features, config.hidden, config.dropout), (8, 32, 0.2));
    assert_eq!((config.name.as_str(), &config.class_weights), ("classifier", &None));
    // ANCHOR_END: new
}

#[test]
fn a_config_is_saved_and_loaded() {
    let path = std::env::temp_dir().join(format!("book-config-{}.json", std::process::id()));
    // ANCHOR: save
    let config = ClassifierConfig::new(8, 3);
    config.save(&path).expect("the folder can be written");
    assert_eq!(ClassifierConfig::load(&path).expect("it was just saved"), config);

    // The same as text, from a file that is compiled into the program, or from a request.
    let text = config.to_json();
    assert_eq!(ClassifierConfig::from_json(&text), Ok(config));
    let older =
        ClassifierConfig::from_json(r#"{ "features": 8, "classes": 3 }"#).expect("the rest has defaults");
    assert_eq!(older.hidden, 32);
    // ANCHOR_END: save
    std::fs::remove_file(path).expect("it is there");
    // ANCHOR: invalid
    let error = ClassifierConfig::from_json(r#"{ "features": 8, "classes": "three" }"#).unwrap_err();
    assert!(error.to_string().contains("classes"));
    // ANCHOR_END: invalid
    let printed = "config: field `classes`: invalid type: string \"three\", expected usize";
    assert_eq!(error.to_string(), printed);
    assert!(include_str!("../../src/building-blocks/config.md").contains(printed));
}

#[test]
fn impossible_values_are_refused() {
    use burn::backend::NdArray;
    let device = Default::default();
    // ANCHOR: refused
    let result = ClassifierConfig::new(8, 1).try_init::<NdArray>(&device);
    let error = result.expect_err("one class is no choice");
    assert_eq!(error.to_string(), "ClassifierConfig: invalid `classes`; expected at least 2, got 1");
    // ANCHOR_END: refused
    let model = ClassifierConfig::new(8, 3).try_init::<NdArray>(&device).expect("it is fine");
    assert_eq!(model.forward(Tensor::zeros([2, 8], &device)).dims(), [2, 3]);
    let weights = ClassifierConfig::new(8, 3).with_class_weights(Some(vec![1.0]));
    assert!(weights.try_init::<NdArray>(&device).is_err());
}

// ANCHOR: nested
use burn::optim::AdamConfig;

/// Options of a program: those of its parts, and its own.
#[derive(Config, Debug)]
pub struct TrainingConfig {
    pub model: ClassifierConfig,
    #[config(default = "AdamConfig::new()")]
    pub optimizer: AdamConfig,
    #[config(default = "Schedule::Constant { rate: 1e-3 }")]
    pub schedule: Schedule,
    #[config(default = 10)]
    pub epochs: usize,
}

/// Learning rate schedule: one of several variants, each with its own fields.
#[derive(Config, Debug, PartialEq)]
pub enum Schedule {
    Constant { rate: f64 },
    Decay { first: f64, factor: f64 },
}
// ANCHOR_END: nested

#[test]
fn configs_nest() {
    let config = TrainingConfig::new(ClassifierConfig::new(8, 3));
    let text = config.with_schedule(Schedule::Decay { first: 0.1, factor: 0.9 }).to_json();
    let config = TrainingConfig::from_json(&text).expect("it was just written");
    assert_eq!(config.schedule, Schedule::Decay { first: 0.1, factor: 0.9 });
    assert_eq!((config.epochs, config.optimizer.beta_1), (10, 0.9));
}
