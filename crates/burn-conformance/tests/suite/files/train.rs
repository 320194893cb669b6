use super::target::Target;
use burn_train::Split;
use burn_train::checkpoint::{CheckpointState, CheckpointStore};
use burn_train::history::MetricHistory;
use burn_train::logger::FileMetricLogger;
use std::path::Path;

const STATE: &str = "checkpoint/state-1.json";
const LOG: &str = "log/epoch-1/Loss.log";

fn load_checkpoint(folder: &Path) -> Result<(), String> {
    let store = CheckpointStore::open(folder.join("checkpoint")).map_err(|error| error.to_string())?;
    store.newest().map_err(|error| error.to_string())?;
    store.load(1).map(drop).map_err(|error| error.to_string())
}

fn load_log(folder: &Path) -> Result<(), String> {
    FileMetricLogger::read(folder.join("log"), 1, "Loss").map(drop).map_err(|error| error.to_string())
}

pub fn targets(folder: &Path) -> Vec<Target> {
    let store = CheckpointStore::open(folder.join("checkpoint")).expect("the folder can be written");
    let mut history = MetricHistory::default();
    history.record(Split::Valid, 1, "Loss", 0.25, "0.25,4");
    let state = CheckpointState { epoch: 1, lr: Some(0.1), history, ..Default::default() };
    let write = &mut |_, path: std::path::PathBuf| {
        std::fs::write(path.with_extension("mpk"), "a part").expect("the folder can be written");
        Ok(())
    };
    store.save(state, write).expect("the folder can be written");
    let log = folder.join(LOG);
    std::fs::create_dir_all(log.parent().expect("it has a folder")).expect("the folder can be written");
    std::fs::write(log, "0.5,64\nNaN,64\n0.125,3\n").expect("the folder can be written");
    vec![
        Target::of_file(folder, "checkpoint", STATE, None, load_checkpoint),
        Target::of_file(folder, "log", LOG, None, load_log),
    ]
}
