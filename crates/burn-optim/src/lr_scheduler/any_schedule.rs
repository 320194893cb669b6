use super::{
    ComposedLrSchedulerConfig, ConstantLrConfig, CosineAnnealingLrSchedulerConfig, CyclicLrSchedulerConfig,
    ExponentialLrSchedulerConfig, LinearLrSchedulerConfig, MultiStepLrSchedulerConfig, NoamLrSchedulerConfig,
    OneCycleLrSchedulerConfig, PolynomialLrSchedulerConfig, Schedule, ScheduledLr,
    SequentialLrSchedulerConfig, StepLrSchedulerConfig, SwaLrSchedulerConfig,
};
use crate::LearningRate;
use alloc::format;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_derive::fallible;

/// Any of the schedules, as a part of another one or in the config of a program. PyTorch has no counterpart.
#[derive(Config, Debug)]
pub enum AnyScheduleConfig {
    Constant(ConstantLrConfig),
    Linear(LinearLrSchedulerConfig),
    CosineAnnealing(CosineAnnealingLrSchedulerConfig),
    Exponential(ExponentialLrSchedulerConfig),
    Step(StepLrSchedulerConfig),
    MultiStep(MultiStepLrSchedulerConfig),
    Noam(NoamLrSchedulerConfig),
    OneCycle(OneCycleLrSchedulerConfig),
    Polynomial(PolynomialLrSchedulerConfig),
    Cyclic(CyclicLrSchedulerConfig),
    Swa(SwaLrSchedulerConfig),
    Sequential(SequentialLrSchedulerConfig),
    Composed(ComposedLrSchedulerConfig),
}

#[fallible(config)]
impl AnyScheduleConfig {
    /// Returns the scheduler, before its first step.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<ScheduledLr<Self>, ConfigError> {
        ScheduledLr::try_new(self.clone())
    }
}

/// Checks the schedules that are fields of another one.
pub(super) fn check_parts(check: FieldCheck, schedules: &[AnyScheduleConfig]) -> Result<(), ConfigError> {
    let mut parts = schedules.iter().enumerate();
    parts.try_for_each(|(index, schedule)| check.nested(&format!("schedules[{index}]"), schedule.validate()))
}

impl Schedule for AnyScheduleConfig {
    fn validate(&self) -> Result<(), ConfigError> {
        match self {
            Self::Constant(schedule) => schedule.validate(),
            Self::Linear(schedule) => schedule.validate(),
            Self::CosineAnnealing(schedule) => schedule.validate(),
            Self::Exponential(schedule) => schedule.validate(),
            Self::Step(schedule) => schedule.validate(),
            Self::MultiStep(schedule) => schedule.validate(),
            Self::Noam(schedule) => schedule.validate(),
            Self::OneCycle(schedule) => schedule.validate(),
            Self::Polynomial(schedule) => schedule.validate(),
            Self::Cyclic(schedule) => schedule.validate(),
            Self::Swa(schedule) => schedule.validate(),
            Self::Sequential(schedule) => schedule.validate(),
            Self::Composed(schedule) => schedule.validate(),
        }
    }
    fn rate(&self, step: usize) -> LearningRate {
        match self {
            Self::Constant(schedule) => schedule.rate(step),
            Self::Linear(schedule) => schedule.rate(step),
            Self::CosineAnnealing(schedule) => schedule.rate(step),
            Self::Exponential(schedule) => schedule.rate(step),
            Self::Step(schedule) => schedule.rate(step),
            Self::MultiStep(schedule) => schedule.rate(step),
            Self::Noam(schedule) => schedule.rate(step),
            Self::OneCycle(schedule) => schedule.rate(step),
            Self::Polynomial(schedule) => schedule.rate(step),
            Self::Cyclic(schedule) => schedule.rate(step),
            Self::Swa(schedule) => schedule.rate(step),
            Self::Sequential(schedule) => schedule.rate(step),
            Self::Composed(schedule) => schedule.rate(step),
        }
    }
}

macro_rules! part {
    ($($config:ident => $variant:ident;)*) => {$(
        impl From<$config> for AnyScheduleConfig {
            fn from(config: $config) -> Self {
                AnyScheduleConfig::$variant(config)
            }
        }
    )*};
}

part! {
    ConstantLrConfig => Constant;
    LinearLrSchedulerConfig => Linear;
    CosineAnnealingLrSchedulerConfig => CosineAnnealing;
    ExponentialLrSchedulerConfig => Exponential;
    StepLrSchedulerConfig => Step;
    MultiStepLrSchedulerConfig => MultiStep;
    NoamLrSchedulerConfig => Noam;
    OneCycleLrSchedulerConfig => OneCycle;
    PolynomialLrSchedulerConfig => Polynomial;
    CyclicLrSchedulerConfig => Cyclic;
    SwaLrSchedulerConfig => Swa;
    SequentialLrSchedulerConfig => Sequential;
    ComposedLrSchedulerConfig => Composed;
}

#[cfg(test)]
mod tests {
    use super::super::{LinearLrSchedulerConfig, LrScheduler};
    use super::AnyScheduleConfig;
    use burn_core::config::Config;
    use burn_ndarray::NdArray;

    #[test]
    fn a_scheduler_goes_on_from_its_record() {
        let config = AnyScheduleConfig::from(LinearLrSchedulerConfig::new(1.0, 0.0, 10));
        let mut first = config.init();
        (0..3).for_each(|_| _ = first.step());
        let record = first.to_record::<NdArray>();
        let read = AnyScheduleConfig::from_json(&config.to_json()).unwrap();
        let mut second = read.init().load_record::<NdArray>(record);
        assert_eq!(first.step(), second.step());
        assert!((first.step() - 0.6).abs() < 1e-12);
    }
}
