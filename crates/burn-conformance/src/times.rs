//! Times of calls on devices, where `BURN_MEASURE` asks for them: it is 1, or a part of the names to measure.

use burn_backend::*;
use burn_tensor::{Tensor, TensorPrimitive, activation};
use std::time::{Duration, Instant};

/// Whether times are wanted; says that they are not.
pub fn are_wanted() -> bool {
    let wanted = std::env::var_os("BURN_MEASURE").is_some();
    if !wanted {
        eprintln!("skipped: times are measured with BURN_MEASURE");
    }
    wanted
}

/// Whether the time of this name is wanted.
pub fn is_wanted(name: &str) -> bool {
    let wanted = std::env::var("BURN_MEASURE").unwrap_or_default();
    wanted == "1" || name.contains(&wanted)
}

/// Prints a name, a tab and the median time of a call in microseconds. A call hands over all that it makes, for nothing else is computed.
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

/// Reports what waits for memory: GELU as a user writes it, softmax, layer norm, sums of rows and of columns.
pub fn memory_bound<B: Backend>(prefix: &str, suffix: &str, dtype: DType, device: &B::Device) {
    let report = |name: &str, task: &dyn Fn() -> Vec<B::Tensor>| {
        report::<B>(&format!("{prefix}{name} {suffix}"), device, task);
    };
    let primitive = |x: Tensor<B, 3>| x.into_primitive().tensor();
    let x: Tensor<B, 3> =
        Tensor::from_primitive(TensorPrimitive::Float(normal::<B>([32, 512, 2048], dtype, device)));
    report("gelu chain", &|| {
        let half = (x.clone() / 2_f64.sqrt()).erf() + 1;
        vec![primitive(x.clone() * half / 2)]
    });
    drop(x);
    let x: Tensor<B, 2> =
        Tensor::from_primitive(TensorPrimitive::Float(normal::<B>([8192, 4096], dtype, device)));
    report("softmax", &|| vec![activation::softmax(x.clone(), 1).into_primitive().tensor()]);
    drop(x);
    let x = normal::<B>([16_384, 1024], dtype, device);
    report("layer norm", &|| {
        vec![B::layer_norm(LayerNormArgs { x: x.clone(), weight: None, bias: None, epsilon: 1e-5 })]
    });
    let x = normal::<B>([8192, 8192], dtype, device);
    for (dim, place) in [(1, "last"), (0, "first")] {
        report(&format!("sum {place}"), &|| vec![B::reduce(ReduceOp::Sum, x.clone(), Dims::from([dim]))]);
    }
}
