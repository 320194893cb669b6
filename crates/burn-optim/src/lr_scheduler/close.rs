use super::Schedule;

/// Checks the rates of the first steps.
#[track_caller]
pub fn assert_rates(schedule: &impl Schedule, expected: &[f64]) {
    for (step, expected) in expected.iter().enumerate() {
        let found = schedule.rate(step);
        assert!((found - expected).abs() < 1e-12, "step {step}: {found}, expected {expected}");
    }
}
