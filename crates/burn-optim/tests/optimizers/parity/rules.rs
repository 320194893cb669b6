//! Twenty steps of every optimizer with every option.

use super::{Outcome, Parameters, Problem, number, sweep, text};
use burn::backend::{Autodiff, Fusion, NdArray};
use burn_core::config::Config;
use burn_core::record::{BinBytesRecorder, FullPrecisionSettings, Recorder};
use burn_core::tensor::AutodiffBackend;
use burn_optim::*;
use serde_json::Value;

type Bytes = BinBytesRecorder<FullPrecisionSettings>;

fn config<C: Config>(case: &Value) -> C {
    C::from_json(&case["config"].to_string()).unwrap_or_else(|error| panic!("{}: {error}", case["name"]))
}

/// Steps the optimizer, which goes on from its record after the third step.
fn steps<B: AutodiffBackend, R: UpdateRule + Clone>(
    case: &Value,
    tolerance: f64,
    new: OptimizerAdaptor<R>,
) -> Result<(Parameters<B>, OptimizerAdaptor<R>), String> {
    let problem = Problem::load();
    let (mut module, mut optimizer) = (problem.start::<B>(), new.clone());
    let after = &case["after"];
    let has = |key: &str| after["1"].get(key).is_some();
    for step in 0..Problem::STEPS {
        let grads = problem.gradients(&module, step, has);
        module = optimizer.step(problem.lr(number(&case["lr"]), step), module, grads);
        if step == 2 {
            let bytes = Recorder::<B>::record(&Bytes::new(), optimizer.to_record(), ()).unwrap();
            let record = Recorder::<B>::load(&Bytes::new(), bytes, &Default::default()).unwrap();
            optimizer = new.clone().try_load_record(record, &module).map_err(|error| error.to_string())?;
        }
        if let Some(expected) = after.get((step + 1).to_string()) {
            module.compare(&format!("step {}", step + 1), expected, tolerance)?;
        }
    }
    Ok((module, optimizer))
}

fn run<B: AutodiffBackend>(case: &Value, tolerance: f64) -> Outcome {
    macro_rules! rules {
        ($($rule:ident $config:ident,)*) => {
            match text(&case["rule"]) {
                $(stringify!($rule) => {
                    steps::<B, $rule>(case, tolerance, config::<$config>(case).init()).map(|_| ())
                })*
                other => panic!("no optimizer {other}"),
            }
        };
    }
    rules! {
        Adam AdamConfig, AdamW AdamWConfig, Adamax AdamaxConfig, NAdam NAdamConfig, RAdam RAdamConfig,
        Sgd SgdConfig, RmsProp RmsPropConfig, Adagrad AdagradConfig, Adadelta AdadeltaConfig,
        Rprop RpropConfig, Asgd AsgdConfig, Adafactor AdafactorConfig, Muon MuonConfig,
        Lion LionConfig, Lamb LambConfig, Adan AdanConfig,
    }
}

#[test]
fn optimizers_agree_with_torch_step_by_step() {
    sweep(
        "optimizer",
        &[
            ("f64", &|case| run::<Autodiff<NdArray<f64>>>(case, 1e-11)),
            ("f64 fused", &|case| run::<Autodiff<Fusion<NdArray<f64>>>>(case, 1e-11)),
            ("f32", &|case| run::<Autodiff<NdArray<f32>>>(case, 1e-6)),
        ],
    );
}

/// Every option of every config is in a case, with another value than its default.
#[test]
fn every_option_of_every_optimizer_has_a_case() {
    let cases = super::lines("optimizer");
    macro_rules! options {
        ($($rule:ident $config:ident,)*) => {$({
            let default: Value = serde_json::from_str(&$config::new().to_json()).unwrap();
            for (option, default) in default.as_object().unwrap() {
                let is_covered = cases.iter().any(|case| {
                    case["rule"] == stringify!($rule)
                        && case["config"].get(option).is_some_and(|value| value != default)
                });
                // Clipping is not the rule's, and bfloat16 agrees with no other order of sums.
                let is_shared = ["grad_clipping", "ns_bf16"].contains(&option.as_str());
                assert!(is_covered || is_shared, "{}: no case of {option}", stringify!($rule));
            }
        })*};
    }
    options! {
        Adam AdamConfig, AdamW AdamWConfig, Adamax AdamaxConfig, NAdam NAdamConfig, RAdam RAdamConfig,
        Sgd SgdConfig, RmsProp RmsPropConfig, Adagrad AdagradConfig, Adadelta AdadeltaConfig,
        Rprop RpropConfig, Asgd AsgdConfig, Adafactor AdafactorConfig, Muon MuonConfig,
        Lion LionConfig, Lamb LambConfig, Adan AdanConfig,
    }
}

#[test]
fn asgd_averages_as_torch_does() {
    type B = Autodiff<NdArray<f64>>;
    let cases = super::lines("optimizer");
    let case = cases.iter().find(|case| case.get("averaged").is_some()).expect("a case with averages");
    let (module, asgd) = steps::<B, Asgd>(case, 1e-11, config::<AsgdConfig>(case).init()).unwrap();
    asgd.averaged(module).compare("average", &case["averaged"], 1e-11).unwrap();
}

#[test]
fn global_norms_agree_with_torch() {
    type B = Autodiff<NdArray<f64>>;
    let problem = Problem::load();
    let module = problem.start::<B>();
    let norms = super::numbers(&super::lines("norms")[0]["norms"]);
    for (step, norm) in norms.into_iter().enumerate() {
        let mut grads = problem.gradients(&module, step, |_| true);
        assert!((grads.clip_by_global_norm(3.0) - norm).abs() < 1e-12);
        assert!((grads.global_norm() - 3.0).abs() < 1e-5);
    }
}
