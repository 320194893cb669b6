// ANCHOR: program
use burn::lr_scheduler::{
    CosineAnnealingLrSchedulerConfig, LinearLrSchedulerConfig, LrScheduler, SequentialLrSchedulerConfig,
};

fn main() {
    // 10 steps of linear warm-up, then 30 steps of cosine annealing.
    let warm_up = LinearLrSchedulerConfig::new(1e-6, 1e-3, 10);
    let decay = CosineAnnealingLrSchedulerConfig::new(1e-3, 30);
    let mut scheduler = SequentialLrSchedulerConfig::new(vec![warm_up.into(), decay.into()], vec![10]).init();
    for step in 0..40 {
        let rate = scheduler.step();
        if step % 10 == 0 {
            println!("step {step}: {rate:.6}");
        }
    }
}
// ANCHOR_END: program

#[test]
fn x_701_learning_rate_schedulers() {
    crate::page_output::page_prints!("building-blocks/lr-schedulers.md");
}
