use super::link::{Cluster, Link};
use super::step::Step;

const MIB: f64 = 1048576.0;

/// Figures of GPT-2 124M in f32 gradients on H100, with NVLink inside of a host and 400 Gbit/s a GPU between
/// hosts.
const DEFAULT: Step = Step {
    cluster: Cluster {
        gpus_per_host: 8,
        inside: Link { latency: 10e-6, bandwidth: 354e9 },
        between: Link { latency: 20e-6, bandwidth: 45e9 },
    },
    compute: 36.5e-3,
    backward: 2.0 / 3.0,
    gradient_bytes: 124.4e6 * 4.0,
    bucket_bytes: 25.0 * MIB,
    overlap: true,
    sharded: false,
};

/// Reads options such as `--step-ms 36.5`.
pub(super) fn parse(arguments: &[String]) -> Result<Step, String> {
    let mut step = DEFAULT;
    let mut parameters = (124.4e6, 4.0);
    let mut rest = arguments.iter();
    while let Some(option) = rest.next() {
        match option.as_str() {
            "--no-overlap" => step.overlap = false,
            "--sharded" => step.sharded = true,
            "--measured" => step.cluster.inside = measured(rest.next())?,
            name => {
                let value = positive(name, rest.next())?;
                match name {
                    "--step-ms" => step.compute = value * 1e-3,
                    "--backward" if value <= 1.0 => step.backward = value,
                    "--backward" => {
                        return Err(format!("--backward: expected a share up to 1, got {value}"));
                    }
                    "--parameters" => parameters.0 = value,
                    "--bytes" => parameters.1 = value,
                    "--bucket-mib" => step.bucket_bytes = value * MIB,
                    "--latency-us" => step.cluster.inside.latency = value * 1e-6,
                    "--bandwidth" => step.cluster.inside.bandwidth = value * 1e9,
                    "--host-latency-us" => step.cluster.between.latency = value * 1e-6,
                    "--host-bandwidth" => step.cluster.between.bandwidth = value * 1e9,
                    "--gpus-per-host" => step.cluster.gpus_per_host = value.max(1.0) as usize,
                    _ => return Err(format!("unknown option {name}; `cargo xtask` lists them")),
                }
            }
        }
    }
    step.gradient_bytes = parameters.0 * parameters.1;
    Ok(step)
}

/// Returns the figures of a step on one line.
pub(super) fn summary(step: &Step) -> String {
    let Step { cluster, compute, gradient_bytes, bucket_bytes, .. } = step;
    format!(
        "{:.1} ms a step on one GPU, {:.0} MiB of gradients in buckets of {:.0} MiB, {} GPUs a host; {:.0} us and {:.0} GB/s \
         inside of it, {:.0} us and {:.0} GB/s between",
        compute * 1e3,
        gradient_bytes / MIB,
        bucket_bytes / MIB,
        cluster.gpus_per_host,
        cluster.inside.latency * 1e6,
        cluster.inside.bandwidth / 1e9,
        cluster.between.latency * 1e6,
        cluster.between.bandwidth / 1e9
    )
}

/// Reads the link from two times of an all-reduce: `GPUS,MIB,MICROSECONDS,MIB,MICROSECONDS`.
fn measured(value: Option<&String>) -> Result<Link, String> {
    let found = value.map_or("nothing", String::as_str);
    let numbers: Option<Vec<f64>> = found.split(',').map(|number| number.parse().ok()).collect();
    let error = || format!("--measured: expected GPUS,MIB,US,MIB,US with the larger size last, got {found}");
    let [gpus, small, small_time, large, large_time] = numbers.ok_or_else(error)?[..] else {
        return Err(error());
    };
    let is_right = gpus >= 2.0 && small > 0.0 && large > small && small_time > 0.0 && large_time > small_time;
    if !is_right {
        return Err(error());
    }
    let link = Link::from_all_reduce(
        gpus as usize,
        (small * MIB, small_time * 1e-6),
        (large * MIB, large_time * 1e-6),
    );
    Ok(Link { latency: link.latency.max(0.0), ..link })
}

fn positive(name: &str, value: Option<&String>) -> Result<f64, String> {
    let number = value.and_then(|text| text.parse().ok());
    number.filter(|number: &f64| number.is_finite() && *number > 0.0).ok_or_else(|| {
        format!("{name}: expected a number above 0, got {}", value.map_or("nothing", String::as_str))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Result<Step, String> {
        parse(&line.split_whitespace().map(str::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn options_change_the_figures_and_wrong_ones_are_named() {
        let step = of("--step-ms 100 --parameters 1e9 --bytes 2 --bandwidth 200 --no-overlap").unwrap();
        assert_eq!((step.compute, step.gradient_bytes, step.cluster.inside.bandwidth), (0.1, 2e9, 2e11));
        assert!(!step.overlap);
        // 2 GPUs: 1 GiB in 3245 us, 64 MiB in 255.
        let link = of("--measured 2,64,255,1024,3245").unwrap().cluster.inside;
        assert!((link.bandwidth / (960.0 * 1048576.0 / 2990e-6) - 1.0).abs() < 1e-9, "{link:?}");
        let errors = [
            ("--measured 2,64,255", "--measured: expected GPUS,MIB,US,MIB,US"),
            ("--measured 2,64,255,32,3245", "--measured: expected GPUS,MIB,US,MIB,US"),
            ("--bandwidth", "--bandwidth: expected a number above 0, got nothing"),
            ("--bandwidth -3", "--bandwidth: expected a number above 0, got -3"),
            ("--backward 2", "--backward: expected a share up to 1, got 2"),
            ("--gpus 3", "unknown option --gpus"),
        ];
        for (line, expected) in errors {
            let error = of(line).unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
