//! `cargo xtask scale`: step time and efficiency of data parallel training on many GPUs, by an alpha-beta
//! cost model.
//!
//! A message of `n` bytes takes `alpha + n / beta`. Collectives are rings; between hosts, each GPU of a host
//! exchanges its part with its counterparts. Buckets of gradients are reduced one after the other while the
//! rest of the backward pass runs.

mod link;
mod options;
mod step;

use options::{parse, summary};
use std::process::ExitCode;
use step::Step;

/// Most GPUs of the table.
const MOST: usize = 1024;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match parse(&arguments) {
        Ok(step) => {
            print!("{}", table(&step));
            ExitCode::SUCCESS
        }
        Err(reason) => {
            eprintln!("scale: {reason}");
            ExitCode::FAILURE
        }
    }
}

/// Returns a row for each power of two.
fn table(step: &Step) -> String {
    let alone = step.time(1);
    let mut text =
        format!("{}\n  GPUs  step ms  all-reduce ms  exposed ms  efficiency  speedup\n", summary(step));
    let counts = core::iter::successors(Some(2_usize), |count| Some(count * 2));
    for count in counts.take_while(|count| *count <= MOST) {
        let time = step.time(count);
        let efficiency = alone.total / time.total;
        text += &format!(
            "{count:6}  {:7.2}  {:13.2}  {:10.2}  {:8.1} %  {:7.1}\n",
            time.total * 1e3,
            time.communication * 1e3,
            time.exposed * 1e3,
            efficiency * 100.0,
            efficiency * count as f64
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn x_508_the_command_prints_step_time_and_efficiency_of_2_to_1024_gpus() {
        let text = table(&parse(&[]).unwrap());
        let rows: Vec<Vec<&str>> =
            text.lines().skip(2).map(|line| line.split_whitespace().collect()).collect();
        let counts: Vec<&str> = rows.iter().map(|row| row[0]).collect();
        assert_eq!(counts, ["2", "4", "8", "16", "32", "64", "128", "256", "512", "1024"]);
        let efficiency: Vec<f64> = rows.iter().map(|row| row[4].parse().unwrap()).collect();
        assert!(efficiency.iter().all(|share| *share > 0.0 && *share <= 100.0), "{efficiency:?}");
        // One host is faster than several.
        assert!(efficiency.windows(2).all(|pair| pair[0] >= pair[1]), "{efficiency:?}");
    }
}
