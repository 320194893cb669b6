use super::contest::Verdict;
use super::file::TuneFile;
use super::key::Key;
use super::mode::Autotune;
use super::record::{Record, Records};
use super::trial::MakeTrial;
use super::worker::{Job, Worker, is_worker};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

/// Keys that are kept. Those that come later are answered by the model.
const MOST: usize = 4096;
/// Calls after which one that is worth it is measured, and those after which any is where all are.
const OFTEN: u64 = 32;
const TWICE: u64 = 2;
/// Multiplications of a call that is worth it. A launch takes as long as fewer.
const WORTH: u64 = 1 << 22;
/// Bytes of the tensors of a call that is measured.
const ROOM: u64 = 256 << 20;

/// Why a candidate was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// The model says that it is the fastest.
    Model,
    /// This process measured it.
    Measured,
    /// Another process did.
    Cached,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Why::Model => "by the model",
            Why::Measured => "measured",
            Why::Cached => "measured before",
        })
    }
}

/// A call that several kernels can compute, the candidates. All of it but the advice may be asked for the
/// sizes of its key.
pub trait Question {
    fn key(&self, mode: Autotune) -> Key;
    /// Names of the candidates, each of them once: the same for all calls of a key.
    fn candidates(&self) -> Vec<String>;
    /// Which of them a model says to be the fastest for a key.
    fn advice(&self, key: &Key) -> usize;
    /// Multiplications of a call.
    fn work(&self, key: &Key) -> u64;
    /// Bytes of its operands and result.
    fn room(&self, key: &Key) -> u64;
    /// Makes a call to measure.
    fn trial(&self, key: &Key) -> MakeTrial;
}

/// The candidate that computes a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    pub candidate: usize,
    pub why: Why,
}

/// Autotune result of a key, for reports.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Choice {
    pub key: String,
    pub candidate: String,
    pub why: Why,
    /// Candidate that the model recommends.
    pub advised: String,
    /// Median time of a call, where it was measured: of the candidate, and of the recommended one.
    pub time: Option<Duration>,
    pub advised_time: Option<Duration>,
    /// Number of calls of the key.
    pub asked: u64,
}

struct Known {
    candidates: Vec<String>,
    advised: usize,
    answer: Answer,
    time: Option<Duration>,
    advised_time: Option<Duration>,
    asked: u64,
    /// Whether the answer needs no further measurement.
    is_settled: bool,
}

#[derive(Default)]
struct State {
    known: HashMap<Key, Known>,
    /// Records of the file, once they were read.
    kept: Option<Records>,
}

/// Chooses kernels for the calls of a device: by a model at first, and by measurements once there are some.
pub struct Tuner {
    file: TuneFile,
    state: Mutex<State>,
    worker: Worker,
}

impl fmt::Debug for Tuner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tuner").field("file", &self.file).finish_non_exhaustive()
    }
}

impl Tuner {
    /// Creates a tuner. `device` names runtime and model: measurements of the same name are reused.
    pub fn new(device: &str) -> Self {
        Tuner { file: TuneFile::of_user(device), state: Mutex::default(), worker: Worker::default() }
    }

    /// Returns the candidate for a call at once. Measurements run later, on another thread.
    pub fn choose(&'static self, question: &dyn Question) -> Answer {
        let mode = Autotune::current();
        let key = question.key(mode);
        if mode == Autotune::Off || is_worker() {
            return Answer { candidate: question.advice(&key), why: Why::Model };
        }
        let mut state = self.lock();
        let State { known, kept } = &mut *state;
        if !known.contains_key(&key) {
            if known.len() >= MOST {
                return Answer { candidate: question.advice(&key), why: Why::Model };
            }
            let record = kept.get_or_insert_with(|| self.file.read()).find(&key.to_string());
            known.insert(key.clone(), Known::new(question, &key, record));
        }
        let found = known.get_mut(&key).expect("it is there or was just put there");
        found.asked += 1;
        let answer = found.answer;
        let is_wanted = match mode {
            Autotune::Off => false,
            Autotune::Min => found.asked >= OFTEN && question.work(&key) >= WORTH,
            Autotune::Full => found.asked >= TWICE,
        };
        if is_wanted && !found.is_settled {
            found.is_settled = true;
            if found.candidates.len() > 1 && question.room(&key) <= ROOM {
                let (candidates, advised) = (found.candidates.len(), found.advised);
                let make = question.trial(&key);
                drop(state);
                let publish = |key: &Key, verdict: &Verdict| self.publish(key, verdict);
                self.worker.hand(Job { key, candidates, advised, make }, publish);
            }
        }
        answer
    }

    /// Returns all keys so far and their choices, the most frequent first.
    pub fn choices(&self) -> Vec<Choice> {
        let state = self.lock();
        let mut choices: Vec<_> = state.known.iter().map(|(key, known)| known.choice(key)).collect();
        choices.sort_by(|a, b| b.asked.cmp(&a.asked).then_with(|| a.key.cmp(&b.key)));
        choices
    }

    /// From now on calls of `key` are computed by the winner.
    fn publish(&self, key: &Key, verdict: &Verdict) {
        let mut state = self.lock();
        let Some(known) = state.known.get_mut(key) else { return };
        known.answer = Answer { candidate: verdict.winner, why: Why::Measured };
        (known.time, known.advised_time) = (Some(verdict.time), verdict.advised);
        let name = |candidate: usize| known.candidates[candidate].clone();
        let nanos = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let record = Record {
            key: key.to_string(),
            winner: name(verdict.winner),
            nanos: nanos(verdict.time),
            advised: verdict.advised.map(|time| (name(known.advised), nanos(time))),
        };
        drop(state);
        self.file.merge(&[record]);
    }

    /// Questions may panic, and leave the state as it was.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Known {
    fn new(question: &dyn Question, key: &Key, record: Option<&Record>) -> Self {
        let (candidates, advised) = (question.candidates(), question.advice(key));
        let place = |name: &str| candidates.iter().position(|candidate| candidate == name);
        // A winner that is no candidate any more was one of another version.
        let found = record.and_then(|record| Some((place(&record.winner)?, record)));
        let (candidate, why) = found.map_or((advised, Why::Model), |(winner, _)| (winner, Why::Cached));
        let time = found.map(|(_, record)| Duration::from_nanos(record.nanos));
        let of_advised = found.and_then(|(_, record)| record.advised.as_ref());
        let of_advised = of_advised.filter(|(name, _)| *name == candidates[advised]);
        let advised_time = of_advised.map(|(_, nanos)| Duration::from_nanos(*nanos));
        let (answer, is_settled) = (Answer { candidate, why }, found.is_some());
        Known { candidates, advised, answer, time, advised_time, asked: 0, is_settled }
    }

    fn choice(&self, key: &Key) -> Choice {
        Choice {
            key: key.to_string(),
            candidate: self.candidates[self.answer.candidate].clone(),
            why: self.answer.why,
            advised: self.candidates[self.advised].clone(),
            time: self.time,
            advised_time: self.advised_time,
            asked: self.asked,
        }
    }
}
