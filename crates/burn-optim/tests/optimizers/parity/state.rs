//! Averages of modules, and the gradient scaler.

use super::{Outcome, Problem, close, number, numbers, sweep, text};
use burn::backend::{Autodiff, NdArray};
use burn_core::config::Config;
use burn_core::module::Param;
use burn_core::record::{BinBytesRecorder, FullPrecisionSettings, Recorder};
use burn_core::tensor::{AutodiffBackend, Tensor};
use burn_optim::*;
use serde_json::Value;

type Bytes = BinBytesRecorder<FullPrecisionSettings>;

fn average<B: AutodiffBackend>(case: &Value, tolerance: f64) -> Outcome {
    let config = case["config"].to_string();
    let new = || match text(&case["average"]) {
        "Ema" => EmaConfig::from_json(&config).unwrap().init(),
        "Swa" => SwaConfig::from_json(&config).unwrap().init(),
        other => panic!("no average {other}"),
    };
    let problem = Problem::load();
    let (mut module, mut average) = (problem.start::<B>(), new());
    for step in 0..6 {
        module = problem.values(module, step);
        average.update(&module);
        let bytes = Recorder::<B>::record(&Bytes::new(), average.to_record(), ()).unwrap();
        let record = Recorder::<B>::load(&Bytes::new(), bytes, &Default::default()).unwrap();
        average = new().try_load_record(record, &module).map_err(|error| error.to_string())?;
    }
    average.average(module).compare("average", &case["after"], tolerance)
}

#[test]
fn averages_agree_with_torch() {
    sweep(
        "average",
        &[
            ("f64", &|case| average::<Autodiff<NdArray<f64>>>(case, 1e-11)),
            ("f32", &|case| average::<Autodiff<NdArray<f32>>>(case, 1e-6)),
        ],
    );
}

/// A number, or the text of one that JSON does not have.
fn factor(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| text(value).parse().unwrap())
}

fn scaler(case: &Value) -> Outcome {
    type B = Autodiff<NdArray>;
    let config = GradScalerConfig::from_json(&case["config"].to_string()).unwrap();
    let (mut scaler, mut sgd) = (config.init(), SgdConfig::new().init());
    let mut x: Param<Tensor<B, 1>> = Param::from_data([2.0], &Default::default());
    let after = case["after"].as_array().unwrap();
    for (value, expected) in case["factors"].as_array().unwrap().iter().zip(after) {
        let loss = scaler.scale((x.val() * factor(value)).sum());
        let grads = GradientsParams::from_grads(loss.backward(), &x);
        x = scaler.step(&mut sgd, number(&case["lr"]), x, grads);
        let bytes = Recorder::<B>::record(&Bytes::new(), scaler.to_record(), ()).unwrap();
        let record = Recorder::<B>::load(&Bytes::new(), bytes, &Default::default()).unwrap();
        scaler = config.init().load_record(record);
        let found = [x.val().into_data().to_f64()[0], scaler.current_scale()];
        close("parameter and scale", &found, &numbers(expected), 1e-12)?;
    }
    close("skipped steps", &[scaler.skipped_steps() as f64], &[3.0], 0.0)
}

#[test]
fn grad_scaler_agrees_with_torch() {
    sweep("scaler", &[("f32", &scaler)]);
}
