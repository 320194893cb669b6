//! The commands of the workspace. `cargo xtask` without arguments lists them.

mod bench;
mod build_loop;
mod check;
mod facade_docs;
mod fuzz;
mod lanes;
mod left_out;
mod libtorch;
mod lines;
mod new_op;
mod no_std;
mod onnx;
mod programs;
mod python;
mod spec;
mod tensorboard;
mod test;
mod tool;

use repository::{Outcome, exit_code, packages, process, rustdoc_json, workspace};
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  check                 formatting, repository rules, clippy, documentation: what CI asks, cheapest first
  tidy                  the repository rules alone
  facade-docs           the documentation of the crate `burn` alone: builds it and looks for pages and names
  test                  the tests, and one line that counts them
      --extended              also longer runs, the suites behind features and the guide
      --extended-only         only those
      --tools                 only those that need a program or a device (tmux, nvidia-smi), where it is there
      --candle                only the backend over candle
      --libtorch              only the backend over LibTorch, which `cargo xtask libtorch` fetches
      --web                   only the pages of the examples, in Chromium
      --web-brief             only those on the CPU backend
      --mpi                   only collectives of processes, by mpirun (openmpi-bin)
      --microcontroller       only a network on a Cortex-M4, in QEMU (qemu-system-arm)
  libtorch              fetches LibTorch 2.11 for the processor (500 MB from PyPI, by pip) and prints the variables that a
                        build with the feature `tch` needs
  no-std                builds the crates that promise `no_std` without their `std` feature
  lines                 counts the LLVM lines that a small program compiles; fails above the gate
  bench [OPTIONS]       runs the benches on two threads (RAYON_NUM_THREADS) and prints medians, ratios and bars
      --against torch,candle  the baselines to run in between (with `libtorch` also the backend over it)
      --python PATH           the interpreter that has torch (or the variable BURN_BENCH_PYTHON)
      --out FILE              where the JSON goes (default target/bench.json)
      --compare OLD.json      adds a column with the ratio to an earlier run
      --tolerance RATIO       fails when a workload takes more than RATIO times what it took in OLD.json
      --filter TEXT,TEXT      only workloads whose name contains one of the texts
      --rounds N              at most so many turns for each (default 15)
      --show A.json,B.json    measures nothing: shows these figures, the last of each workload
      --page FILE             the table as a page in Markdown
      --build                 times the one-line edit of a small program and of the guide instead
      --build-gpu             the same of a small program on Vulkan; the first build of its dependencies takes minutes
  tables                writes the book's tables of operations, layers, losses, optimizers and schedulers, with their
                        names in PyTorch; --check writes nothing and fails where they are stale
  book [--build-only]   compiles every snippet of the book and builds it when mdbook is installed
      --expand                writes the code that the pages include into them instead
  spec [--missing]      counts the rows of the specification that a test names
  scale [OPTIONS]       step time and efficiency of data parallel training on 2 to 1,024 GPUs, by a cost model
      --step-ms T             time of a step on one GPU; --backward SHARE, that of the backward pass in it
      --parameters N          number of parameters; --bytes N, those of a gradient of each; --bucket-mib N
      --latency-us T          alpha inside of a host; --bandwidth GB/S, the bus bandwidth
      --measured FIGURES      both from times of an all-reduce: GPUS,MIB,US,MIB,US
      --host-latency-us T     alpha between hosts; --host-bandwidth GB/S, of each GPU; --gpus-per-host N
      --no-overlap, --sharded all communication after the backward pass; optimizer state in parts (ZeRO)
  programs [OPTIONS]    random programs against PyTorch, 10,000 by default
      --count N               how many
      --seed S                of the first one; the others follow
      --python PATH           the interpreter that has torch
  fuzz [OPTIONS]        random calls, most of them wrong: refused or run, no panic
      --protocol              random clients of a server instead: answered or cut off
      --files                 damaged and hostile files instead: loaded or refused, within a bound of memory
      --names                 ONNX models with hostile names instead: their generated source has no item but those of a model
      --configs               configs of layers with wrong values instead: an error, and nothing large allocated
      --onnx                  nodes of ONNX operators that do not fit instead: run or refused, within small limits
      --minutes M             how long, 10 by default
      --seed S                to repeat an earlier run
  onnx [OPTIONS]        the official test cases of ONNX 1.22 on NdArray and Fusion<NdArray>, compared with the list of expected
                        failures; the data is fetched by pip, or lies in the folder of the variable BURN_ONNX_DATA
      --only TEXT             only cases whose name contains the text
      --kinds node,simple     only these folders
      --recorded              models are recorded first
      --sources               through generated source instead, which is compiled
      --write                 writes the list
      --export [--python P]   exports modules and runs them with onnxruntime instead
  tensorboard [OPTIONS] event files of a run, read by TensorBoard, which is fetched by pip
      --python PATH           an interpreter that has it
      --fetch-only            runs nothing
  new-op                the places that a new operation touches";

fn main() -> ExitCode {
    if let Some(code) = rustdoc_json::stand_in() {
        return code;
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (command, rest) = match arguments.split_first() {
        Some((command, rest)) => (command.as_str(), rest),
        None => ("help", &[][..]),
    };
    let words: Vec<&str> = rest.iter().map(String::as_str).collect();
    let outcome = match command {
        "check" => check::run(),
        "tidy" => tool::tidy(),
        "facade-docs" => facade_docs::run(),
        "test" => test::run(rest),
        "no-std" => no_std::run(),
        "onnx" => onnx::run(rest),
        "libtorch" => libtorch::run(rest),
        "lines" => lines::run(),
        "bench" => bench::run(rest),
        "tables" => tool::tables(&words),
        "tensorboard" => tensorboard::run(rest),
        "book" => tool::book(&words),
        "scale" => tool::run("scaling-model", &words),
        "spec" => spec::run(rest),
        "programs" => programs::run(rest),
        "fuzz" => fuzz::run(rest),
        "new-op" => new_op::run(),
        "help" | "--help" | "-h" => {
            println!("{USAGE}");
            Ok(())
        }
        other => Err(format!("unknown command `{other}`\n\n{USAGE}")),
    };
    exit_code(outcome.map_err(|reason| format!("xtask {command}: {reason}")))
}
