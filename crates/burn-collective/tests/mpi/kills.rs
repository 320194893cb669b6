//! Processes that are killed or stopped while they call collectives.

use crate::ended_ranks::{END, ended_before, expect_none_left};
use crate::tensors::{B, numbers, vector};
use crate::{ERRORS, RANK, errors, mpirun};
use burn::collective::{CollectiveError, Communicator, Reduction};
use burn::data::dataset::random::Generator;
use burn::tensor::Float;
use std::env::current_exe;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, ExitCode, Stdio};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Name of [`collectives_without_end`].
pub const PROGRAM: &str = "collectives_without_end";
/// Timeout of the ranks.
const TIMEOUT: Duration = Duration::from_secs(2);

fn step(group: &Communicator, pair: &Communicator, number: usize) -> Result<(), CollectiveError> {
    let (rank, ranks) = (group.rank(), group.world_size());
    let count = [3, 4000, 200_000][number % 3];
    group.all_reduce(vector(&numbers(rank, count)), Reduction::Sum)?;
    pair.all_gather(vector(&numbers(rank, count)), 0)?;
    group.send(vector(&numbers(rank, count)), (rank + 1) % ranks)?;
    group.receive::<B, 1, Float>((rank + ranks - 1) % ranks, &Default::default())?;
    group.broadcast(vector(&numbers(rank, count)), number % ranks)?;
    group.barrier()
}

/// Says its process id, and calls collectives until one fails.
pub fn collectives_without_end(group: &Communicator) -> ExitCode {
    let run = || {
        group.set_timeout(TIMEOUT);
        let pair = group.split(Some(group.rank() as u64 / 2), 0)?.expect("a color was given");
        println!("rank {} is process {}", group.rank(), std::process::id());
        (0..usize::MAX).try_for_each(|number| step(group, &pair, number))
    };
    let error = run().expect_err("it has no end");
    eprintln!("rank {}: {error}", group.rank());
    ExitCode::FAILURE
}

/// Ranks of the program, which all run.
struct Ranks {
    mpirun: Child,
    errors: TempDir,
    processes: Vec<u32>,
}

fn start(ranks: usize) -> Ranks {
    let mut command = mpirun(PROGRAM, ranks);
    // Open MPI aborts a rank that reads the memory of one that was killed meanwhile, before the rank can name
    // the error.
    command.env("OMPI_MCA_btl_vader_single_copy_mechanism", "none");
    let errors = tempfile::tempdir().unwrap();
    command.env(ERRORS, errors.path());
    let mut mpirun = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut processes = vec![0; ranks];
    let mut lines = BufReader::new(mpirun.stdout.take().unwrap()).lines();
    for _ in 0..ranks {
        let line = lines.next().expect("every rank starts").unwrap();
        let numbers: Vec<u32> = line.split(' ').filter_map(|word| word.parse().ok()).collect();
        processes[numbers[0] as usize] = numbers[1];
    }
    Ranks { mpirun, errors, processes }
}

fn signal(process: u32, name: &str) {
    let status = Command::new("kill").args([&format!("-{name}"), &process.to_string()]).status().unwrap();
    assert!(status.success(), "process {process} is not there");
}

impl Ranks {
    /// Waits until all processes have ended, and returns what they said of errors.
    fn finish(mut self) -> String {
        let mut launcher = self.mpirun.stderr.take().unwrap();
        let reader = thread::spawn(move || {
            let mut text = Vec::new();
            launcher.read_to_end(&mut text).unwrap();
            String::from_utf8_lossy(&text).into_owned()
        });
        let start = Instant::now();
        let status = loop {
            match self.mpirun.try_wait().unwrap() {
                Some(status) => break status,
                None if start.elapsed() > END => {
                    self.mpirun.kill().unwrap();
                    panic!("mpirun still runs after {END:?}");
                }
                None => sleep(Duration::from_millis(10)),
            }
        };
        assert!(!status.success(), "{status}");
        expect_none_left(&self.processes);
        reader.join().unwrap() + &errors(self.errors.path(), self.processes.len())
    }
}

pub fn thirty_kills() {
    const RANKS: usize = 3;
    let mut random = Generator::with_stream(42, 0);
    let (mut in_collective, mut outside) = (0, 0);
    for round in 0..30 {
        let ranks = start(RANKS);
        sleep(Duration::from_micros(random.below(60_000) as u64));
        let killed = random.below(RANKS);
        signal(ranks.processes[killed], "KILL");
        let text = ranks.finish();
        for rank in (0..RANKS).filter(|rank| *rank != killed) {
            // `mpirun` kills after a second, in which a busy machine may not run a rank, or not let it end
            // before it says where it stands.
            let own = format!("rank {rank}: ");
            let lines: Vec<&str> = text.lines().filter(|line| line.starts_with(&own)).collect();
            let errors = lines.iter().filter(|line| line.contains(&format!("rank {killed} ended"))).count();
            let ends = lines.iter().filter(|line| ended_before(line).contains(&killed)).count();
            assert!(errors < 2 && ends < 2 && errors + ends == lines.len(), "round {round}: {text}");
            in_collective += errors;
            outside += usize::from(errors == 0 && ends > 0);
        }
    }
    println!("{in_collective} ranks named the collective and the rank, {outside} outside of one the rank");
    assert!(in_collective + outside > 50, "nearly all of the 60 ranks have time to say it");
    assert!(in_collective > outside, "ranks are in collectives most of the time");
}

/// A process that is stopped answers nothing, and is there all the same.
pub fn a_stopped_rank() {
    for stopped in 0..3 {
        let ranks = start(3);
        sleep(Duration::from_millis(20));
        signal(ranks.processes[stopped], "STOP");
        let text = ranks.finish();
        let error = format!("expected all ranks, got none of [{stopped}]");
        assert!(text.contains(&error) && text.contains("waited 2s"), "{text}");
    }
}

/// Runs one rank with variables of a launcher that is not that of the library.
pub fn alone(variables: &[(&str, &str)]) -> String {
    let program = current_exe().unwrap();
    let output =
        Command::new(program).args([RANK, PROGRAM]).envs(variables.iter().copied()).output().unwrap();
    assert!(!output.status.success());
    String::from_utf8_lossy(&output.stderr).into_owned()
}

pub fn without_mpirun() {
    let text = alone(&[("RANK", "1"), ("WORLD_SIZE", "4")]);
    assert!(text.contains("Mpi::init: rank 1: `torchrun` or `burn-launch` started 4 processes"), "{text}");
    assert!(text.contains("burn-launch --mpi"), "{text}");
    let text = alone(&[("BURN_MPI_LIBRARY", "/nowhere/libmpi.so")]);
    assert!(text.contains("BURN_MPI_LIBRARY: /nowhere/libmpi.so"), "{text}");
    // A library that is none of MPI.
    let text = alone(&[("BURN_MPI_LIBRARY", "libm.so.6")]);
    assert!(text.contains("the MPI library has no function MPI_Comm_dup. Install"), "{text}");
}
