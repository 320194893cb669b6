//! Values of fields with which a schedule would give infinite, NaN or negative rates, or none at all.

use super::{
    AnyScheduleConfig, ComposedLrSchedulerConfig, ConstantLrConfig, CosineAnnealingLrSchedulerConfig,
    CyclicLrSchedulerConfig, ExponentialLrSchedulerConfig, LinearLrSchedulerConfig,
    MultiStepLrSchedulerConfig, NoamLrSchedulerConfig, OneCycleLrSchedulerConfig,
    PolynomialLrSchedulerConfig, SequentialLrSchedulerConfig, StepLrSchedulerConfig, SwaLrSchedulerConfig,
};
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;
use burn_core::config::ConfigError;

/// Checks that `schedule` is refused for the value `got` of `field`, alone and inside of another schedule.
#[track_caller]
fn refused(schedule: impl Into<AnyScheduleConfig>, field: &str, got: &str) {
    let schedule = schedule.into();
    let error = schedule.try_init().unwrap_err();
    let ConfigError::Field { field: found, value, .. } = &error else { panic!("{error}") };
    assert_eq!((found.as_str(), value.as_str()), (field, got));
    let text = error.to_string();
    assert!(text.contains(&format!("Config: invalid `{field}`; expected ")), "{text}");
    assert!(text.ends_with(&format!(", got {got}")), "{text}");

    let whole = ConstantLrConfig::new(1.0).into();
    let outer = ComposedLrSchedulerConfig::new([whole, schedule].into()).try_init().unwrap_err();
    let ConfigError::Field { config, field: path, .. } = &outer else { panic!("{outer}") };
    assert_eq!(*config, "ComposedLrSchedulerConfig");
    assert_eq!(*path, format!("schedules[1].{field}"));
}

#[test]
fn constant_linear_and_cosine_refuse_nonsense() {
    refused(ConstantLrConfig::new(f64::NAN), "lr", "NaN");
    refused(ConstantLrConfig::new(-0.1), "lr", "-0.1");
    refused(LinearLrSchedulerConfig::new(-1.0, 0.5, 4), "initial_lr", "-1.0");
    refused(LinearLrSchedulerConfig::new(1.0, f64::INFINITY, 4), "final_lr", "inf");
    refused(LinearLrSchedulerConfig::new(1.0, 0.5, 0), "num_iters", "0");
    refused(CosineAnnealingLrSchedulerConfig::new(-1.0, 4), "initial_lr", "-1.0");
    refused(CosineAnnealingLrSchedulerConfig::new(1.0, 0), "num_iters", "0");
    refused(CosineAnnealingLrSchedulerConfig::new(1.0, 4).with_min_lr(-0.5), "min_lr", "-0.5");
    refused(CosineAnnealingLrSchedulerConfig::new(1.0, 4).with_period_factor(0), "period_factor", "0");
}

#[test]
fn exponential_step_and_multi_step_refuse_nonsense() {
    refused(ExponentialLrSchedulerConfig::new(1.0, -0.5), "gamma", "-0.5");
    refused(ExponentialLrSchedulerConfig::new(f64::NAN, 0.5), "initial_lr", "NaN");
    refused(StepLrSchedulerConfig::new(1.0, 0), "step_size", "0");
    refused(StepLrSchedulerConfig::new(1.0, 1).with_gamma(f64::NAN), "gamma", "NaN");
    refused(MultiStepLrSchedulerConfig::new(1.0, [4, 1].into()), "milestones", "[4, 1]");
    refused(MultiStepLrSchedulerConfig::new(1.0, [1].into()).with_gamma(-1.0), "gamma", "-1.0");
}

#[test]
fn noam_and_one_cycle_refuse_nonsense() {
    refused(NoamLrSchedulerConfig::new(1.0).with_model_size(0), "model_size", "0");
    refused(NoamLrSchedulerConfig::new(1.0).with_warmup_steps(0), "warmup_steps", "0");
    refused(NoamLrSchedulerConfig::new(-1.0), "factor", "-1.0");
    refused(OneCycleLrSchedulerConfig::new(1.0, 0), "num_iters", "0");
    refused(OneCycleLrSchedulerConfig::new(1.0, 9).with_pct_start(1.5), "pct_start", "1.5");
    refused(OneCycleLrSchedulerConfig::new(1.0, 9).with_div_factor(0.0), "div_factor", "0.0");
    refused(OneCycleLrSchedulerConfig::new(1.0, 9).with_final_div_factor(-1.0), "final_div_factor", "-1.0");
}

#[test]
fn polynomial_cyclic_and_swa_refuse_nonsense() {
    refused(
        OneCycleLrSchedulerConfig::new(1.0, 9).with_three_phase(true).with_pct_start(0.6),
        "pct_start",
        "0.6",
    );
    refused(PolynomialLrSchedulerConfig::new(f64::NAN, 4), "initial_lr", "NaN");
    refused(PolynomialLrSchedulerConfig::new(1.0, 0), "num_iters", "0");
    refused(PolynomialLrSchedulerConfig::new(1.0, 4).with_power(0.0), "power", "0.0");
    refused(PolynomialLrSchedulerConfig::new(1.0, 4).with_final_lr(-1.0), "final_lr", "-1.0");
    refused(CyclicLrSchedulerConfig::new(-1.0, 1.0), "base_lr", "-1.0");
    refused(CyclicLrSchedulerConfig::new(0.1, f64::INFINITY), "max_lr", "inf");
    refused(CyclicLrSchedulerConfig::new(0.1, 1.0).with_step_size_up(0), "step_size_up", "0");
    refused(CyclicLrSchedulerConfig::new(0.1, 1.0).with_step_size_down(Some(0)), "step_size_down", "0");
    refused(CyclicLrSchedulerConfig::new(0.1, 1.0).with_gamma(1.5), "gamma", "1.5");
    refused(SwaLrSchedulerConfig::new(f64::NAN, 0.1), "initial_lr", "NaN");
    refused(SwaLrSchedulerConfig::new(0.1, -0.5), "swa_lr", "-0.5");
}

#[test]
fn sequential_and_composed_refuse_nonsense() {
    let part = || AnyScheduleConfig::from(ConstantLrConfig::new(0.1));
    refused(SequentialLrSchedulerConfig::new(Vec::new(), Vec::new()), "schedules", "[]");
    let parts = || [part(), part(), part()].into();
    refused(SequentialLrSchedulerConfig::new(parts(), [5].into()), "milestones", "[5]");
    refused(SequentialLrSchedulerConfig::new(parts(), [5, 2].into()), "milestones", "[5, 2]");
    refused(ComposedLrSchedulerConfig::new(Vec::new()), "schedules", "[]");
}

#[test]
#[should_panic(expected = "NoamLrSchedulerConfig: invalid `model_size`; expected at least 1, got 0")]
fn init_panics_with_the_error_of_try_init() {
    let _scheduler = NoamLrSchedulerConfig::new(1.0).with_model_size(0).init();
}
