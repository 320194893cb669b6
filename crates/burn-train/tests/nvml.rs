//! Metrics of an NVIDIA GPU beside those that the driver's program prints.

use burn_train::metric::{CudaMetric, GpuTemperatureMetric, Metric, MetricMetadata, Numeric};
use std::process::Command;

/// Temperature, used and whole memory in MiB, as the driver's program prints them.
fn by_nvidia_smi() -> [f64; 3] {
    let query = "--query-gpu=temperature.gpu,memory.used,memory.total";
    let output = Command::new("nvidia-smi").args([query, "--format=csv,noheader,nounits", "--id=0"]).output();
    let text = String::from_utf8(output.expect("it is there with the driver").stdout).expect("it is text");
    let numbers: Vec<f64> = text.trim().split(", ").map(|part| part.parse().expect("a number")).collect();
    numbers.try_into().expect("three numbers")
}

#[test]
fn tr_025_metrics_of_an_nvidia_gpu_are_those_of_nvidia_smi() {
    let [celsius, used, total] = by_nvidia_smi();
    let (mut cuda, mut temperature) = (CudaMetric::new(), GpuTemperatureMetric::new());
    assert!(cuda.is_available() && temperature.is_available());
    let entry = cuda.update(&(), &MetricMetadata::default());
    temperature.update(&(), &MetricMetadata::default());

    // Such as `87.0 % of GPU 0, 12.5 of 80.0 GiB`.
    let memory = entry.formatted.strip_suffix(" GiB").expect("memory in GiB");
    let mut words =
        memory.split(|c: char| !c.is_ascii_digit() && c != '.').filter(|word| !word.is_empty()).rev();
    let mut mib = || words.next().expect("a number").parse::<f64>().expect("a number") * 1024.0;
    let (whole, in_use) = (mib(), mib());
    // Rounded to 0.1 GiB.
    assert!((whole - total).abs() <= 0.01 * total + 52.0, "{}, expected a total of {total}", entry.formatted);
    // The driver may count what it keeps for itself as used.
    assert!((in_use - used).abs() <= 2048.0, "{}, expected {used} to be used", entry.formatted);

    assert!((0.0..=100.0).contains(&cuda.value()), "{entry:?}");
    let degrees = temperature.value();
    assert!((degrees - celsius).abs() <= 5.0, "{degrees} degrees, expected {celsius}");
}
