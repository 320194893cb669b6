use super::peft_names::AdaptedLayer;
use crate::LmError;
use crate::load::read_json;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

/// Largest `adapter_config.json` that is read.
const MOST_BYTES: u64 = 1 << 20;

/// Options of PEFT by which adapters are of another kind.
const UNSUPPORTED: [&str; 9] = [
    "use_dora",
    "use_qalora",
    "use_bdlora",
    "lora_bias",
    "fan_in_fan_out",
    "rank_pattern",
    "alpha_pattern",
    "layer_replication",
    "modules_to_save",
];

/// Content of `adapter_config.json` about the adapters of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct PeftConfig {
    pub rank: usize,
    /// Factor of the product of both matrices.
    pub scale: f64,
    pub dropout: f64,
}

impl PeftConfig {
    /// Returns the text of the file. `adapted` are the layers with an adapter, of `all` layers.
    pub fn to_json(&self, base_model: &str, adapted: &[&AdaptedLayer], all: &[AdaptedLayer]) -> String {
        let names: BTreeSet<&str> = adapted.iter().map(|layer| layer.target()).collect();
        let is_target = |layer: &AdaptedLayer| names.contains(layer.target());
        // PEFT adapts every layer whose name ends with a target.
        let targets: BTreeSet<&str> =
            match all.iter().filter(|layer| is_target(layer)).count() == adapted.len() {
                true => names,
                false => adapted.iter().map(|layer| layer.name.as_str()).collect(),
            };
        let value = json!({
            "peft_type": "LORA",
            "task_type": "CAUSAL_LM",
            "base_model_name_or_path": base_model,
            "r": self.rank,
            "lora_alpha": self.scale * self.rank as f64,
            "lora_dropout": self.dropout,
            "target_modules": targets,
            "bias": "none",
            "fan_in_fan_out": false,
            "inference_mode": true,
            "init_lora_weights": true,
            "layers_pattern": null,
            "layers_to_transform": null,
            "modules_to_save": null,
            "rank_pattern": {},
            "alpha_pattern": {},
            "use_dora": false,
            "use_rslora": false,
            "revision": null,
        });
        format!("{value:#}\n")
    }

    /// Reads the file.
    ///
    /// # Errors
    /// It cannot be read, or has options whose adapters are of another kind; the error names the field.
    pub fn read(path: &Path) -> Result<Self, LmError> {
        let json = read_json(path, MOST_BYTES)?;
        let file = path.display().to_string();
        let fail = |field: &str, expected: &str| {
            let found = json.get(field).map_or("nothing".to_string(), Value::to_string);
            let found: String = found.chars().take(60).collect();
            Err(LmError::config(&file, field, format!("expected {expected}, got {found}")))
        };
        let is_absent = |field: &str| match json.get(field) {
            None | Some(Value::Null | Value::Bool(false)) => true,
            Some(Value::Object(entries)) => entries.is_empty(),
            Some(Value::Array(entries)) => entries.is_empty(),
            Some(Value::Bool(true) | Value::Number(_) | Value::String(_)) => false,
        };
        if json.get("peft_type").and_then(Value::as_str) != Some("LORA") {
            return fail("peft_type", "`LORA`");
        }
        if !matches!(json.get("bias").and_then(Value::as_str), None | Some("none")) {
            return fail("bias", "`none`");
        }
        for field in UNSUPPORTED {
            if !is_absent(field) {
                return fail(field, "no such option");
            }
        }
        let Some(rank) = json.get("r").and_then(Value::as_u64).filter(|rank| (1..=1 << 16).contains(rank))
        else {
            return fail("r", "a rank");
        };
        let number =
            |field: &str| json.get(field).and_then(Value::as_f64).filter(|x| x.is_finite() && *x >= 0.0);
        let Some(alpha) = number("lora_alpha") else { return fail("lora_alpha", "a number") };
        let dropout = number("lora_dropout").unwrap_or(0.0);
        if dropout > 1.0 {
            return fail("lora_dropout", "a probability");
        }
        // Rank-stabilized adapters (Kalajdzievski 2023).
        let divisor = if is_absent("use_rslora") { rank as f64 } else { (rank as f64).sqrt() };
        Ok(PeftConfig { rank: rank as usize, scale: alpha / divisor, dropout })
    }
}
