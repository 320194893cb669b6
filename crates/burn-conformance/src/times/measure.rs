use burn_backend::*;
use std::time::{Duration, Instant};

/// Whether the time of this name is wanted: the variable `BURN_MEASURE` may be a part of the names.
pub fn is_wanted(name: &str) -> bool {
    let wanted = std::env::var("BURN_MEASURE").unwrap_or_default();
    name.contains(&wanted)
}

/// Prints a name, a tab and the median time of a call in microseconds. A call hands over all that it makes,
/// for nothing else is computed.
pub fn report<B: Backend>(name: &str, device: &B::Device, task: &dyn Fn() -> Vec<B::Tensor>) {
    if !is_wanted(name) {
        return;
    }
    let run = |rounds: usize| {
        let start = Instant::now();
        for _ in 0..rounds {
            // They are where they shall be, so this starts what was queued and waits for nothing.
            task().into_iter().for_each(|x| drop(B::to_device(x, device)));
        }
        B::sync(device);
        start.elapsed().as_secs_f64() / rounds as f64
    };
    // A device that rested is slower at first.
    let start = Instant::now();
    while start.elapsed() < Duration::from_millis(200) {
        run(2);
    }
    let rounds = (0.05 / run(2)).clamp(1.0, 200.0) as usize;
    let mut times: Vec<f64> = (0..7).map(|_| run(rounds)).collect();
    times.sort_by(f64::total_cmp);
    println!("{name}\t{:.1}", times[3] * 1e6);
}

/// Numbers of a normal distribution.
pub fn normal<B: Backend>(shape: impl Into<Shape>, dtype: DType, device: &B::Device) -> B::Tensor {
    let spec = TensorSpec::new(shape, DType::F32);
    B::cast(B::random(spec, Distribution::Normal(0.0, 1.0), device), dtype)
}
