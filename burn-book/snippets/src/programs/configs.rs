// ANCHOR: program
use burn::config::{ConfigError, FieldCheck};
use burn::prelude::*;

/// Options of a classifier.
#[derive(Config, Debug)]
struct ClassifierConfig {
    features: usize,
    classes: usize,
    #[config(default = "4 * features")]
    hidden: usize,
    #[config(default = 0.1)]
    dropout: f64,
}

impl ClassifierConfig {
    fn check(&self) -> Result<(), ConfigError> {
        FieldCheck::of("ClassifierConfig").at_least("classes", self.classes, 2)?;
        Ok(())
    }
}

fn main() -> Result<(), ConfigError> {
    let config = ClassifierConfig::new(8, 3).with_dropout(0.2);
    config.save("classifier.json")?;
    let loaded = ClassifierConfig::load("classifier.json")?;
    println!("{} features, {} hidden, dropout {}", loaded.features, loaded.hidden, loaded.dropout);

    let error = ClassifierConfig::new(8, 1).check().expect_err("one class is no choice");
    println!("{error}");
    let error = ClassifierConfig::from_json(r#"{ "features": 8, "classes": "three" }"#)
        .expect_err("`three` is no number");
    println!("{error}");
    Ok(())
}
// ANCHOR_END: program

#[test]
fn x_701_configs() {
    crate::page_output::page_prints!("building-blocks/config.md");
}
