//! The share of a training that the dashboard takes at ten frames a second. It needs a terminal of usual
//! size.
//!
//! ```text
//! cargo run --release --package benches --example dashboard-speed
//! ```
//!
//! Steps of ten milliseconds report four metrics each; the share is the time that the thread of the dashboard
//! works, and that the step waits for it. The target is 1 % of the time of a processor. Linux only: the times
//! of a thread are read in `/proc`.

use burn::data::dataloader::Progress;
use burn::train::Split;
use burn::train::metric::{MetricEntry, NumericEntry};
use burn::train::renderer::{DashboardRenderer, Interrupter, MetricState, MetricsRenderer, TrainingProgress};
use std::time::{Duration, Instant};

const STEP: Duration = Duration::from_millis(10);
const STEPS: usize = 2_000;
const BAR: f64 = 0.01;

fn main() {
    let mut dashboard = DashboardRenderer::open(Interrupter::default()).expect("a terminal is there");
    let start = Instant::now();
    let mut waited = Duration::ZERO;
    for step in 1..=STEPS {
        let end = start + STEP * step as u32;
        let report = Instant::now();
        for (name, value) in [("Loss", 1.0), ("Accuracy", 90.0), ("Learning Rate", 1e-3), ("CPU Usage", 50.0)]
        {
            let value = value * (1.0 + 0.1 * (step as f64 / 30.0).sin());
            let entry = NumericEntry { value, count: 64 };
            let entry = MetricEntry::new(name, format!("{value:.4}"), entry.to_string());
            dashboard.update(Split::Train, MetricState::Numeric(entry, value));
        }
        dashboard.render(Split::Train, progress(step));
        waited += report.elapsed();
        std::thread::sleep(end.saturating_duration_since(Instant::now()));
    }
    let (elapsed, drawing) = (start.elapsed().as_secs_f64(), drawing());
    drop(dashboard);
    let drawing = drawing.expect("the times of threads are in /proc").as_secs_f64() / elapsed;
    let waiting = waited.as_secs_f64() / elapsed;
    println!("drawing {:.3} % of a processor, a step waits {:.3} %", 100.0 * drawing, 100.0 * waiting);
    assert!(drawing + waiting <= BAR, "{:.2} % is above the bar of 1 %", 100.0 * (drawing + waiting));
}

fn progress(step: usize) -> TrainingProgress {
    TrainingProgress { progress: Progress::new(step, STEPS), epoch: 1, epoch_total: 1, iteration: step }
}

/// Time that the thread of the dashboard has worked so far.
fn drawing() -> Option<Duration> {
    let threads = std::fs::read_dir("/proc/self/task").ok()?;
    let path = threads.filter_map(|thread| Some(thread.ok()?.path())).find(|path| {
        std::fs::read_to_string(path.join("comm")).is_ok_and(|name| name.trim() == "burn-dashboard")
    })?;
    let times = std::fs::read_to_string(path.join("schedstat")).ok()?;
    Some(Duration::from_nanos(times.split_whitespace().next()?.parse().ok()?))
}
