use super::{Outcome, close, numbers, sweep};
use burn::backend::NdArray;
use burn_core::config::Config;
use burn_optim::lr_scheduler::*;
use serde_json::Value;

/// Takes the learning rates, going on from the record after half of them.
fn schedule(case: &Value) -> Outcome {
    let config = AnyScheduleConfig::from_json(&case["schedule"].to_string()).unwrap();
    let expected = numbers(&case["rates"]);
    let mut scheduler = config.init();
    let mut found = Vec::new();
    for step in 0..expected.len() {
        if step == expected.len() / 2 {
            let record = scheduler.to_record::<NdArray>();
            scheduler = config.init().load_record::<NdArray>(record);
        }
        found.push(scheduler.step());
    }
    close("rate", &found, &expected, 1e-9)
}

fn plateau(case: &Value) -> Outcome {
    let config = ReduceOnPlateauLrSchedulerConfig::from_json(&case["config"].to_string()).unwrap();
    let mut scheduler = config.init();
    let mut found = Vec::new();
    for metric in numbers(&case["metrics"]) {
        scheduler.report(metric);
        let record = scheduler.to_record::<NdArray>();
        scheduler = config.init().load_record::<NdArray>(record);
        found.push(scheduler.step());
    }
    close("rate", &found, &numbers(&case["rates"]), 1e-9)
}

#[test]
fn schedules_agree_with_torch() {
    sweep("schedule", &[("f64", &schedule)]);
}

#[test]
fn reduce_on_plateau_agrees_with_torch() {
    sweep("plateau", &[("f64", &plateau)]);
}
