use super::{
    ComposedLrSchedulerConfig, ConstantLrConfig, CosineAnnealingLrSchedulerConfig,
    ExponentialLrSchedulerConfig, LinearLrSchedulerConfig, LrScheduler, MultiStepLrSchedulerConfig,
    NoamLrSchedulerConfig, OneCycleLrSchedulerConfig, SequentialLrSchedulerConfig, StepLrSchedulerConfig,
};
use crate::LearningRate;
use burn_core::config::Config;
use burn_core::tensor::Backend;
use core::fmt::Debug;

/// A learning rate that is a formula of the number of steps that were taken.
pub trait Schedule: Clone + Debug + Send + Sync {
    /// The rate of step `step`, from 0.
    fn rate(&self, step: usize) -> LearningRate;
}

/// Goes through a schedule, step by step.
#[derive(Clone, Debug)]
pub struct ScheduledLr<S> {
    schedule: S,
    step: usize,
}

impl<S: Schedule> ScheduledLr<S> {
    /// A scheduler before its first step.
    pub fn new(schedule: S) -> Self {
        ScheduledLr { schedule, step: 0 }
    }
}

/// The state is the number of steps that were taken.
impl<S: Schedule> LrScheduler for ScheduledLr<S> {
    type Record<B: Backend> = usize;

    fn step(&mut self) -> LearningRate {
        let rate = self.schedule.rate(self.step);
        self.step += 1;
        rate
    }
    fn to_record<B: Backend>(&self) -> usize {
        self.step
    }
    fn load_record<B: Backend>(mut self, record: usize) -> Self {
        self.step = record;
        self
    }
}

/// Any of the schedules, as a part of another one or in the config of a program.
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
    Sequential(SequentialLrSchedulerConfig),
    Composed(ComposedLrSchedulerConfig),
}

impl AnyScheduleConfig {
    /// The scheduler.
    pub fn init(&self) -> ScheduledLr<Self> {
        ScheduledLr::new(self.clone())
    }
}

impl Schedule for AnyScheduleConfig {
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
