//! The dashboard on a terminal, driven by keys and the mouse. The terminal is one of `tmux`: `cargo xtask
//! test` runs these tests where that is installed.

#[path = "../fixture/mod.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod fixture;
mod signals;
mod terminal;
mod tmux;

use burn_optim::SgdConfig;
use burn_train::LearnerBuilder;
use burn_train::callback::{BatchEnd, CallbackResult, TrainingCallback};
use burn_train::metric::{AccuracyMetric, LossMetric};
use fixture::{Model, train_loader, valid_loader};
use std::path::Path;
use std::time::Duration;
use std::{env, fs};
use tmux::Tmux;

const FOLDER: &str = "BURN_TRAIN_TEST_DASHBOARD";
const EPOCHS: &str = "BURN_TRAIN_TEST_EPOCHS";

/// Lets a batch take some time, so that there is something to see.
struct Slow;

impl TrainingCallback for Slow {
    fn on_batch_end(&mut self, _batch: &BatchEnd<'_>) -> CallbackResult {
        std::thread::sleep(Duration::from_millis(5));
        Ok(())
    }
}

/// The test that is the program on the terminal.
const ENTRY: &str = "tr_029_the_dashboard_is_driven_by_keys_and_the_mouse";

/// The program on the terminal.
fn train(folder: &Path) {
    fs::write(folder.join("process"), std::process::id().to_string()).unwrap();
    let epochs = env::var(EPOCHS).map_or(1_000_000, |epochs| epochs.parse().unwrap());
    let learner = LearnerBuilder::new(folder)
        .metric_train_numeric(LossMetric::new())
        .metric_valid_numeric(LossMetric::new())
        .metric_train_numeric(AccuracyMetric::new())
        .callback(Slow)
        .with_file_checkpointer(burn_core::record::CompactRecorder::new())
        .num_epochs(epochs)
        .summary()
        .build(Model::new(8), SgdConfig::new().init(), 0.1);
    learner.fit(train_loader(), valid_loader());
    fs::write(folder.join("ended"), "").unwrap();
}

/// Runs the program on a terminal, with a command of the shell before and one after it.
fn start(folder: &Path, epochs: usize, (before, after): (&str, &str)) -> Tmux {
    let program = env::current_exe().unwrap();
    let command = format!(
        "{before}{FOLDER}='{}' {EPOCHS}={epochs} '{}' --exact {ENTRY} --nocapture --test-threads=1; {after}sleep 600",
        folder.display(),
        program.display()
    );
    Tmux::start(&command, (100, 30))
}

#[test]
fn tr_029_the_dashboard_is_driven_by_keys_and_the_mouse() {
    if let Ok(folder) = env::var(FOLDER) {
        return train(Path::new(&folder));
    }
    let folder = tempfile::tempdir().unwrap();
    let terminal = start(folder.path(), 1_000_000, ("", ""));
    terminal.wait_for(&["Status    ", "Iteration", " Loss \u{2502} Accuracy", "Loss: Full history"]);
    let screen = terminal.wait_for_curve();

    terminal.key("Right");
    terminal.wait_for(&["Accuracy: Full history"]);
    terminal.key("Down");
    terminal.wait_for(&["Accuracy: Recent history"]);

    // Columns and rows of the mouse count from 1: the first tab, and the middle of the plot.
    let row = screen.lines().position(|line| line.contains(" Loss \u{2502} Accuracy")).unwrap();
    let line: Vec<char> = screen.lines().nth(row).unwrap().chars().collect();
    let column = line.windows(4).position(|part| *part == ['L', 'o', 's', 's']).unwrap();
    terminal.click(column + 1, row + 1);
    terminal.wait_for(&["Loss: Recent history"]);
    terminal.click(column + 20, row + 8);
    terminal.wait_for(&["Loss: Full history"]);

    terminal.key("q");
    terminal.wait_for(&["Quit?", "s  stop: finish this step and save a checkpoint of it"]);
    terminal.key("c");
    terminal.wait_without("Quit?");
    terminal.key("q");
    terminal.wait_for(&["Quit?"]);
    terminal.key("s");
    // The summary is printed on the terminal that was given back.
    terminal.wait_for(&["| Train | Accuracy |", "test result: ok. 1 passed"]);
    assert!(folder.path().join("ended").exists());
    let checkpoints = fs::read_dir(folder.path().join("checkpoint")).unwrap().count();
    assert!(checkpoints >= 4, "{checkpoints} files of checkpoints");
}
