//! The program on several processes, against one process with the same batches.

#[path = "../../../crates/burn-collective/tests/mpi/ended_ranks.rs"]
mod ended_ranks;
#[path = "../examples/data-parallel.rs"]
#[allow(dead_code, reason = "a process runs it by itself")]
mod program;

use burn::backend::{Autodiff, NdArray};
use burn::collective::Communicator;
use burn::data::dataset::random::Generator;
use burn::data::dataset::transform::PartialDataset;
use burn::data::dataset::vision::DigitsDataset;
use burn::module::{Module, ModuleVisitor, ParamId};
use burn::prelude::*;
use burn::record::{DoublePrecisionSettings, NamedMpkFileRecorder};
use clap::Parser;
use data_parallel::{RunConfig, learner};
use ended_ranks::{ended_before, expect_none_left};
use guide::model::{Model, ModelConfig};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};
use tempfile::TempDir;

type B = NdArray<f64>;

#[derive(Default)]
struct Values(Vec<f64>);

impl ModuleVisitor<B> for Values {
    fn visit_float<const D: usize>(&mut self, _id: ParamId, tensor: &Tensor<B, D>) {
        self.0.extend(tensor.to_data().to_f64());
    }
}

/// Variable with the arguments of the program, for a process that `mpirun` starts.
const ARGUMENTS: &str = "DATA_PARALLEL_ARGUMENTS";

/// Runs the program, as one of several processes.
fn run_program(arguments: &str) {
    let args = program::Args::parse_from(arguments.split('\n'));
    program::run(&args, &Communicator::from_environment().unwrap()).unwrap();
}

/// Returns the command that starts so many processes, without their program.
fn launcher(ranks: usize) -> Command {
    let mut command = Command::new("mpirun");
    // Without a binding, which gives two processes one processor each and four all of them: sums of kernels
    // depend on the number of threads.
    command.args(["--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "--timeout", "400"]);
    command.args(["-n", &ranks.to_string()]);
    command
}

/// Runs one test of this program alone.
fn one_test(command: &mut Command, test: &str) {
    command.arg(std::env::current_exe().unwrap()).args(["--exact", test, "--nocapture"]);
}

/// Runs the calling test on so many processes, which run the program, and returns the weights that it saves.
fn weights(test: &str, ranks: usize, arguments: &[&str], folder: &Path) -> Vec<f64> {
    let file = folder.join(format!("ranks-{ranks}"));
    let mut line =
        vec!["data-parallel", "--images", "700", "--epochs", "1", "--save", file.to_str().unwrap()];
    line.extend(arguments);
    let mut command = launcher(ranks);
    one_test(&mut command, test);
    let output = command.env(ARGUMENTS, line.join("\n")).output();
    let output = output.expect("mpirun is installed (openmpi-bin)");
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    assert!(text.contains(&format!("{ranks} ranks, test accuracy")), "{text}");
    saved(&file, 64)
}

/// Loads the weights of a model that was saved.
fn saved(file: &Path, hidden_size: usize) -> Vec<f64> {
    let device = Default::default();
    let model: Model<B> = ModelConfig::new(10, hidden_size).init(&device);
    let recorder = NamedMpkFileRecorder::<DoublePrecisionSettings>::new();
    let model = model.load_file(file, &recorder, &device).unwrap();
    let mut values = Values::default();
    model.visit(&mut values);
    assert!(values.0.len() > 1000);
    values.0
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

#[test]
fn x_503_processes_in_a_fixed_order_have_the_bits_of_one() {
    if let Ok(arguments) = std::env::var(ARGUMENTS) {
        return run_program(&arguments);
    }
    let test = "x_503_processes_in_a_fixed_order_have_the_bits_of_one";
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["--float", "f64", "--fixed-order", "4"];
    let one = weights(test, 1, &arguments, folder.path());
    for ranks in [2, 4] {
        assert!(bits(&one) == bits(&weights(test, ranks, &arguments, folder.path())), "{ranks} ranks");
    }
}

#[test]
fn x_503_four_processes_in_f32_are_close_to_one() {
    if let Ok(arguments) = std::env::var(ARGUMENTS) {
        return run_program(&arguments);
    }
    let test = "x_503_four_processes_in_f32_are_close_to_one";
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["--dropout", "0"];
    let [one, four] = [1, 4].map(|ranks| weights(test, ranks, &arguments, folder.path()));
    let error = one.iter().zip(&four).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
    assert!(error < 1e-5, "{error}");
}

/// Variable with the folder of a run that is killed, and its dropout.
const RUN: &str = "DATA_PARALLEL_RUN";
/// Hidden units of the model of such a run.
const HIDDEN: usize = 8;

/// Runs one rank of a run that is killed.
fn run_rank(run: &str) {
    let (folder, dropout) = run.split_once('\n').unwrap();
    let folder = Path::new(folder);
    let group = Communicator::from_environment().unwrap();
    group.set_timeout(Duration::from_secs(60));
    println!("\nrank {} is process {}", group.rank(), std::process::id());
    let config = RunConfig::new()
        .with_num_epochs(5)
        .with_batch_size(32)
        .with_hidden_size(HIDDEN)
        .with_dropout(dropout.parse().unwrap());
    let (train, valid) = DigitsDataset::train_test_mnist(42);
    // The last batch has fewer items than ranks.
    let data = (PartialDataset::new(train, 0, 97), PartialDataset::new(valid, 0, 65));
    let result =
        learner::train::<Autodiff<B>>(&folder.join("run"), &config, data, group.clone(), &Default::default());
    match result {
        Ok(model) => {
            if group.rank() == 0 {
                let recorder = NamedMpkFileRecorder::<DoublePrecisionSettings>::new();
                let model = burn::module::AutodiffModule::valid(&model);
                model.save_file(folder.join("model"), &recorder).unwrap();
            }
            eprintln!("\n{}", trained(group.rank()));
        }
        Err(error) => {
            eprintln!("\nrank {}: {error}", group.rank());
            std::process::exit(1);
        }
    }
}

/// The line that a rank prints after training.
fn trained(rank: usize) -> String {
    format!("rank {rank} has trained")
}

/// Ranks of a run, which all run.
struct Ranks {
    mpirun: Child,
    /// Files with the errors of each rank.
    errors: TempDir,
    processes: Vec<u32>,
    output: thread::JoinHandle<()>,
}

fn start(ranks: usize, folder: &Path, dropout: f64) -> Ranks {
    let errors = tempfile::tempdir().unwrap();
    let mut command = launcher(ranks);
    // A rank that ends with an error makes `mpirun` end the job, and what it has not yet passed on is lost:
    // each rank writes to a file of its own.
    let redirect = "exec \"$0\" \"$@\" 2>\"$ERRORS/$OMPI_COMM_WORLD_RANK\"";
    one_test(command.args(["sh", "-c", redirect]), "x_503_a_killed_run_goes_on_to_the_same_weights");
    command.env(RUN, format!("{}\n{dropout}", folder.display())).env("ERRORS", errors.path());
    let mut mpirun = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut processes = vec![0; ranks];
    let mut lines = BufReader::new(mpirun.stdout.take().unwrap()).lines();
    while processes.contains(&0) {
        let line = lines.next().expect("every rank starts").unwrap();
        if line.starts_with("rank ") && line.contains(" is process ") {
            let numbers: Vec<u32> = line.split(' ').filter_map(|word| word.parse().ok()).collect();
            processes[numbers[0] as usize] = numbers[1];
        }
    }
    let output = thread::spawn(move || lines.for_each(drop));
    Ranks { mpirun, errors, processes, output }
}

impl Ranks {
    /// Waits until all processes have ended: whether they ended well, and their errors.
    fn finish(mut self) -> (bool, String) {
        let mut text = Vec::new();
        self.mpirun.stderr.take().unwrap().read_to_end(&mut text).unwrap();
        let status = self.mpirun.wait().unwrap();
        self.output.join().unwrap();
        expect_none_left(&self.processes);
        for rank in 0..self.processes.len() {
            text.extend(std::fs::read(self.errors.path().join(rank.to_string())).unwrap());
        }
        (status.success(), String::from_utf8_lossy(&text).into_owned())
    }
}

/// Variable with the number of kills; `scripts/nightly kills` sets 30.
const KILLS: &str = "BURN_KILLS";
/// How many, unless the variable says it.
const FEW_KILLS: usize = 8;

fn kills() -> usize {
    std::env::var(KILLS).map_or(FEW_KILLS, |text| text.parse().expect("BURN_KILLS is a number of kills"))
}

/// Runs whose ranks are killed and that are resumed.
struct KilledRuns<'a> {
    /// Number of ranks of each start of a run; later starts have the last one.
    ranks: &'a [usize],
    dropout: f64,
    /// A rank is killed within this time, about half that of a run.
    time: Duration,
}

impl KilledRuns<'_> {
    /// Kills `kills` ranks in as many runs as that takes, and checks the weights of each run.
    fn kill(&self, kills: usize, check: impl Fn(&[f64])) {
        let mut random = Generator::with_stream(7, self.ranks.len() as u64);
        let (mut killed, mut runs, mut time) = (0, 0, self.time);
        while killed < kills {
            let folder = tempfile::tempdir().unwrap();
            let in_run = self.run(folder.path(), kills - killed, time, &mut random);
            check(&saved(&folder.path().join("model"), HIDDEN));
            (killed, runs) = (killed + in_run, runs + 1);
            if in_run == 0 {
                // The machine is less busy than when the time was measured.
                time /= 2;
                assert!(!time.is_zero(), "runs are over before a rank is killed");
            }
        }
        println!("{killed} kills in {runs} runs on {:?} ranks, all resumed to the same weights", self.ranks);
    }

    /// Kills a random rank at a random moment and starts the run again, until it is over; returns how often.
    fn run(&self, folder: &Path, kills: usize, time: Duration, random: &mut Generator) -> usize {
        let mut killed = 0;
        for start_number in 0.. {
            let count = self.ranks[start_number.min(self.ranks.len() - 1)];
            let run = start(count, folder, self.dropout);
            if killed == kills {
                let (is_done, text) = run.finish();
                assert!(is_done, "{text}");
                break;
            }
            sleep(Duration::from_micros(random.below(time.as_micros() as usize) as u64));
            let rank = random.below(count);
            let process = run.processes[rank].to_string();
            let kill = Command::new("kill").args(["-KILL", &process]).stderr(Stdio::null()).status();
            let is_killed = kill.unwrap().success();
            let (is_done, text) = run.finish();
            if is_done {
                break;
            }
            assert!(is_killed, "{text}");
            killed += 1;
            assert_named(rank, count, &text);
        }
        killed
    }
}

/// Checks that one of the other ranks names the rank that was killed.
fn assert_named(killed: usize, ranks: usize, text: &str) {
    let mut others = (0..ranks).filter(|other| *other != killed);
    // A rank that ends with the error makes `mpirun` end the others, maybe before they have said it.
    let error = others.clone().any(|other| {
        text.lines().any(|line| {
            line.starts_with(&format!("rank {other}: ")) && line.contains(&format!("rank {killed} "))
        })
    });
    // The launcher ended a rank that was in no collective, or had not passed on the error yet.
    let outside = text.lines().any(|line| ended_before(line).contains(&killed));
    // The rank was killed after the last collective, when the others had ended well.
    let is_late = others.all(|other| text.contains(&trained(other)));
    assert!(error || outside || is_late, "no rank names rank {killed}:\n{text}");
}

#[test]
fn x_503_a_killed_run_goes_on_to_the_same_weights() {
    if let Ok(run) = std::env::var(RUN) {
        return run_rank(&run);
    }
    let folder = tempfile::tempdir().unwrap();
    let run = start(3, folder.path(), 0.5);
    let begin = Instant::now();
    let (is_done, text) = run.finish();
    assert!(is_done, "{text}");
    let time = begin.elapsed() / 2;
    let expected = saved(&folder.path().join("model"), HIDDEN);
    // The same number of ranks: the same bits, with dropout.
    let kills = kills();
    let on_other_numbers = kills * 2 / 5;
    KilledRuns { ranks: &[3], dropout: 0.5, time }.kill(kills - on_other_numbers, |found| {
        assert!(bits(found) == bits(&expected), "resumed runs have other weights");
    });

    // Other numbers of ranks: the same sums in another order. Dropout is another one on other ranks.
    let folder = tempfile::tempdir().unwrap();
    let (is_done, text) = start(1, folder.path(), 0.0).finish();
    assert!(is_done, "{text}");
    let expected = saved(&folder.path().join("model"), HIDDEN);
    KilledRuns { ranks: &[3, 2, 4, 3, 1], dropout: 0.0, time }.kill(on_other_numbers, |found| {
        let error = found.iter().zip(&expected).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
        assert!(error < 1e-9, "{error}");
    });
}
