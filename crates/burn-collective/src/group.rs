//! A group of ranks: each call is agreed upon, then bytes move, and after an error no call goes on.

use crate::frame::{CallFields, Frame, check_agreement};
use crate::launch::Settings;
use crate::{CollectiveError, Engine, Part, TransportError};
use burn_ir::{DType, DataError, Shape, TensorData};
use std::collections::VecDeque;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Calls that the debug mode reports with an error.
const REPORTED_CALLS: usize = 16;

#[derive(Debug)]
pub struct Group {
    pub engine: Arc<dyn Engine>,
    settings: Mutex<Settings>,
    /// Number of calls, and the last of them, in the debug mode.
    calls: Mutex<(u64, VecDeque<String>)>,
    /// Error after which the ranks may be at different calls.
    failure: Mutex<Option<CollectiveError>>,
    /// First failure of this group and of those that it was split from or into: others hear of it when the
    /// rank ends.
    first_failure: Arc<Mutex<Option<String>>>,
    /// Calls of several threads of one rank come one after the other.
    in_call: Mutex<()>,
}

impl Group {
    pub fn new(engine: Arc<dyn Engine>, settings: Settings) -> Self {
        let (calls, failure, first_failure) = (Mutex::default(), Mutex::new(None), Arc::default());
        Group {
            engine,
            settings: Mutex::new(settings),
            calls,
            failure,
            first_failure,
            in_call: Mutex::new(()),
        }
    }

    /// Returns a part of this group.
    pub fn part(&self, engine: Arc<dyn Engine>) -> Self {
        let mut part = Group::new(engine, self.settings());
        part.first_failure = self.first_failure.clone();
        part
    }

    pub fn rank(&self) -> usize {
        self.engine.rank()
    }

    pub fn world_size(&self) -> usize {
        self.engine.world_size()
    }

    /// Runs a collective after all ranks have agreed on its fields. `checked` are the fields, or the error
    /// that this rank found in its arguments, which ends the call on all ranks.
    pub fn call<T>(
        &self,
        operation: &str,
        checked: Result<CallFields, CollectiveError>,
        body: impl FnOnce(&CollectiveCall) -> Result<T, CollectiveError>,
    ) -> Result<T, CollectiveError> {
        let _in_call = self.in_call.lock().unwrap_or_else(PoisonError::into_inner);
        self.check_failure()?;
        let call = CollectiveCall { group: self, operation, deadline: self.deadline() };
        let frame = match &checked {
            Ok(fields) => Frame::Call(fields.clone()),
            Err(error) => Frame::Failed(error.to_string()),
        };
        self.record(&checked);
        let frames = call.frames(frame).map_err(|error| self.fail(error))?;
        let fields = checked?;
        match check_agreement(&fields, &frames) {
            Ok(()) => {}
            // All ranks have left the call, so that the next one can be made.
            Err(error @ CollectiveError::RankFailed { .. }) => return Err(error),
            Err(error) => return Err(self.fail(error)),
        }
        body(&call).map_err(|error| match error {
            // All ranks have found it.
            error @ CollectiveError::Argument { .. } => error,
            error => self.fail(error),
        })
    }

    pub fn settings(&self) -> Settings {
        *self.settings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn timeout(&self) -> Duration {
        self.settings().timeout
    }

    pub fn set_timeout(&self, timeout: Duration) {
        self.settings.lock().unwrap_or_else(PoisonError::into_inner).timeout = timeout;
    }

    /// Keeps a call for the report of an error, in the debug mode.
    fn record(&self, call: &Result<CallFields, CollectiveError>) {
        if self.settings().detail {
            let text = match call {
                Ok(fields) => fields.to_string(),
                Err(error) => error.to_string(),
            };
            let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
            calls.0 += 1;
            let number = calls.0;
            calls.1.push_back(format!("#{number} {text}"));
            if calls.1.len() > REPORTED_CALLS {
                calls.1.pop_front();
            }
        }
    }

    /// Writes the error and the calls before it to the standard error stream, in the debug mode.
    fn report(&self, error: &CollectiveError) {
        if self.settings().detail {
            let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
            let mut text = format!("rank {} of {}: {error}\n", self.rank(), self.world_size());
            for call in &calls.1 {
                text += &format!("rank {} called {call}\n", self.rank());
            }
            // Where the stream is closed, no one reads it.
            let _ = std::io::stderr().write_all(text.as_bytes());
        }
    }

    /// Takes part in a call whose arguments are wrong on this rank, so that it ends on all ranks.
    pub fn refuse(&self, operation: &str, error: CollectiveError) -> CollectiveError {
        self.call(operation, Err(error.clone()), |_call| Ok(())).err().unwrap_or(error)
    }

    pub fn deadline(&self) -> Instant {
        let now = Instant::now();
        // A timeout that the clock cannot count is as good as none.
        now.checked_add(self.timeout()).unwrap_or_else(|| now + Duration::from_secs(1 << 30))
    }

    pub fn check_failure(&self) -> Result<(), CollectiveError> {
        let failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.clone().map_or(Ok(()), Err)
    }

    /// Keeps the error for later calls, and sends it to the other ranks.
    pub fn fail(&self, error: CollectiveError) -> CollectiveError {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        if failure.is_none() {
            *failure = Some(error.clone());
            self.report(&error);
            let mut first = self.first_failure.lock().unwrap_or_else(PoisonError::into_inner);
            first.get_or_insert_with(|| error.to_string());
            // Ranks that come later shall not take this call for one that went well.
            let is_late = matches!(error, CollectiveError::Timeout { .. });
            self.engine.abandon(Frame::Failed(error.to_string()).encode(), is_late);
        }
        error
    }

    /// Returns the error of this rank for one of the engine.
    pub fn error(&self, operation: &str, error: TransportError) -> CollectiveError {
        let (operation, rank) = (operation.to_string(), self.rank());
        match error {
            TransportError::Timeout { missing } => {
                CollectiveError::Timeout { operation, rank, missing, timeout: self.timeout() }
            }
            TransportError::Ended { rank, frame } => match Frame::decode(&frame) {
                Frame::Failed(message) => CollectiveError::RankFailed { operation, rank, message },
                Frame::Call(_) | Frame::Ended => CollectiveError::RankEnded { operation, rank },
            },
            TransportError::Terminated { missing } => {
                CollectiveError::Terminated { operation, rank, missing }
            }
            TransportError::Memory(source) => CollectiveError::Data { operation, rank, source },
            TransportError::Library(message) => CollectiveError::Library { operation, rank, message },
        }
    }

    pub fn argument(
        &self,
        operation: &str,
        argument: &'static str,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> CollectiveError {
        let (operation, rank) = (operation.to_string(), self.rank());
        CollectiveError::Argument {
            operation,
            rank,
            argument,
            expected: expected.into(),
            found: found.into(),
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let first = self.first_failure.lock().unwrap_or_else(PoisonError::into_inner);
        let frame = first.clone().map_or(Frame::Ended, Frame::Failed);
        self.engine.abandon(frame.encode(), false);
    }
}

/// A collective that all ranks have agreed on.
pub struct CollectiveCall<'a> {
    pub group: &'a Group,
    pub operation: &'a str,
    pub deadline: Instant,
}

impl CollectiveCall<'_> {
    pub fn frames(&self, frame: Frame) -> Result<Vec<Vec<u8>>, CollectiveError> {
        let frames = self.group.engine.exchange_frames(frame.encode(), self.deadline);
        frames.map_err(|error| self.group.error(self.operation, error))
    }

    pub fn exchange(&self, parts: Vec<Part>, lengths: &[usize]) -> Result<Vec<Part>, CollectiveError> {
        let parts = self.group.engine.exchange(parts, lengths, self.deadline);
        parts.map_err(|error| self.group.error(self.operation, error))
    }

    pub fn data_error(&self, source: DataError) -> CollectiveError {
        CollectiveError::Data { operation: self.operation.to_string(), rank: self.group.rank(), source }
    }

    /// Returns memory for a result.
    pub fn zeroed(&self, shape: Shape, dtype: DType) -> Result<TensorData, CollectiveError> {
        TensorData::zeroed(shape, dtype).map_err(|source| self.data_error(source))
    }
}

impl CollectiveCall<'_> {
    /// Gives every rank the same bytes, and returns those of each, which may differ in length.
    pub fn gather_bytes(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, CollectiveError> {
        let fields = CallFields::new("length").with("bytes", bytes.len());
        let frames = self.frames(Frame::Call(fields))?;
        let length = |frame: &Vec<u8>| match Frame::decode(frame) {
            Frame::Call(fields) => fields.get("bytes").and_then(|bytes| bytes.parse().ok()),
            Frame::Failed(_) | Frame::Ended => None,
        };
        let lengths: Option<Vec<usize>> = frames.iter().map(length).collect();
        let Some(lengths) = lengths else {
            return Err(check_agreement(&CallFields::new(self.operation), &frames).err().unwrap_or_else(
                || self.group.error(self.operation, TransportError::Library("a length is missing".into())),
            ));
        };
        let data = Part::whole(Arc::new(TensorData::new(bytes, [bytes.len()])));
        let parts = self.exchange(vec![data; self.group.world_size()], &lengths)?;
        Ok(parts.iter().map(|part| part.as_bytes().to_vec()).collect())
    }
}
