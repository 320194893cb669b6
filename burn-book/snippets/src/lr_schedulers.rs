use burn::backend::NdArray;
use burn::lr_scheduler::*;

#[test]
fn a_scheduler_returns_the_rate_of_each_step() {
    // ANCHOR: step
    let mut scheduler = CosineAnnealingLrSchedulerConfig::new(1e-3, 1000).init();
    let first = scheduler.step();
    // ANCHOR_END: step
    assert_eq!(first, 1e-3);
}

#[test]
fn warm_up_and_decay_follow_each_other() {
    // ANCHOR: warm_up
    let warm_up = LinearLrSchedulerConfig::new(1e-6, 1e-3, 100);
    let decay = CosineAnnealingLrSchedulerConfig::new(1e-3, 900);
    let mut scheduler =
        SequentialLrSchedulerConfig::new(vec![warm_up.into(), decay.into()], vec![100]).init();
    // ANCHOR_END: warm_up
    let rates: Vec<f64> = (0..200).map(|_| scheduler.step()).collect();
    assert!(rates[0] < rates[50] && rates[100] == 1e-3 && rates[199] < 1e-3);
}

#[test]
fn a_plateau_reduces_the_rate() {
    let validate = |epoch: usize| [1.0, 0.5, 0.5, 0.5][epoch];
    // ANCHOR: plateau
    let mut scheduler = ReduceOnPlateauLrSchedulerConfig::new(1e-3).with_patience(1).init();
    for epoch in 0..4 {
        let lr = scheduler.step();
        println!("epoch {epoch}: {lr}");
        scheduler.report(validate(epoch));
    }
    // ANCHOR_END: plateau
    assert_eq!(scheduler.step(), 1e-4);
}

#[test]
fn a_scheduler_goes_on_from_its_record() {
    let config = ExponentialLrSchedulerConfig::new(1.0, 0.5);
    let mut scheduler = config.init();
    let _ = scheduler.step();
    // ANCHOR: record
    let record = scheduler.to_record::<NdArray>();
    let mut resumed = config.init().load_record::<NdArray>(record);
    // ANCHOR_END: record
    assert_eq!(resumed.step(), 0.5);
}

// ANCHOR: own
/// Half of the learning rate every ten steps, and never below a floor.
#[derive(Clone, Debug)]
struct Halving {
    initial: f64,
    floor: f64,
}

impl Schedule for Halving {
    fn rate(&self, step: usize) -> f64 {
        (self.initial * 0.5_f64.powi((step / 10) as i32)).max(self.floor)
    }
}
// ANCHOR_END: own

#[test]
fn a_formula_is_a_schedule() {
    // ANCHOR: own_use
    let mut scheduler = ScheduledLr::new(Halving { initial: 1.0, floor: 0.1 });
    // ANCHOR_END: own_use
    let rates: Vec<f64> = (0..50).map(|_| scheduler.step()).collect();
    assert_eq!([rates[0], rates[10], rates[49]], [1.0, 0.5, 0.1]);
}
