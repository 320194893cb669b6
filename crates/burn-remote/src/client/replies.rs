use super::oneshot;
use crate::client::RemoteError;
use crate::wire::{Failure, Frame, Kind, Reply, ReplyId, first};
use burn_backend::{DataError, TensorData, TensorDataPieces, TensorSpec};
use std::collections::HashMap;

/// Content of a reply.
#[derive(Debug)]
pub enum Answer {
    Data(TensorData),
    Spec(TensorSpec),
    Done,
}

/// Expected content of a reply.
#[derive(Clone, Debug)]
pub enum Expected {
    /// Data of this shape and dtype.
    Data(TensorSpec),
    /// Coordinates, at most as many as in `most`.
    Coordinates {
        most: TensorSpec,
    },
    Done,
}

pub type Answered = oneshot::Sender<Result<Answer, RemoteError>>;

/// Pending requests, and the tensor that is being received.
#[derive(Debug, Default)]
pub struct Replies {
    asked: HashMap<ReplyId, (Expected, Answered)>,
    download: Option<Download>,
}

/// A tensor that is on the way.
#[derive(Debug)]
struct Download {
    /// Bytes that are missing.
    missing: usize,
    /// Memory for the bytes, or the error of its allocation: then they are discarded.
    place: Result<TensorDataPieces, DataError>,
    answered: Answered,
}

impl Replies {
    pub fn ask(&mut self, id: ReplyId, expected: Expected, answered: Answered) {
        self.asked.insert(id, (expected, answered));
    }

    pub fn forget(&mut self, id: ReplyId) -> Option<Answered> {
        self.asked.remove(&id).map(|(_, answered)| answered)
    }

    /// Takes all pending requests.
    pub fn take_all(&mut self) -> Vec<Answered> {
        let download = self.download.take().map(|download| download.answered);
        self.asked.drain().map(|(_, (_, answered))| answered).chain(download).collect()
    }

    /// # Errors
    /// When the reply belongs to no request.
    pub fn receive(&mut self, frame: &Frame<'_>) -> Result<(), String> {
        match frame.kind {
            Kind::Messages => self.replies(frame.payload),
            Kind::Data => self.bytes(frame.payload),
            Kind::Ack | Kind::Fault => Err("a frame without a number".into()),
        }
    }

    fn replies(&mut self, mut payload: &[u8]) -> Result<(), String> {
        while !payload.is_empty() {
            if self.download.is_some() {
                return Err("a reply within a tensor".into());
            }
            let (reply, rest) = first::<Reply>(payload).map_err(|malformed| malformed.to_string())?;
            payload = rest;
            self.reply(reply)?;
        }
        Ok(())
    }

    fn reply(&mut self, reply: Reply) -> Result<(), String> {
        let id = reply.id();
        let (expected, answered) =
            self.asked.remove(&id).ok_or_else(|| format!("a reply to no question: {id}"))?;
        match (reply, expected) {
            (Reply::Failed { failure, .. }, _) => answered.send(Err(RemoteError::Failed(failure))),
            (Reply::Data { data, .. }, Expected::Data(spec))
                if data.shape == spec.shape && data.dtype == spec.dtype =>
            {
                answered.send(Ok(Answer::Data(data)));
            }
            (Reply::Download { spec: found, .. }, Expected::Data(spec)) if found == spec => {
                let missing = spec.shape.num_elements() * spec.dtype.size();
                self.download = Some(Download { missing, place: TensorDataPieces::new(spec), answered });
            }
            (Reply::Spec { spec, .. }, Expected::Coordinates { most }) if is_within(&spec, &most) => {
                answered.send(Ok(Answer::Spec(spec)));
            }
            (Reply::Done { .. }, Expected::Done) => answered.send(Ok(Answer::Done)),
            (_, expected) => return Err(format!("an answer that is not {expected:?}")),
        }
        Ok(())
    }

    fn bytes(&mut self, bytes: &[u8]) -> Result<(), String> {
        let mut download = self.download.take().ok_or("bytes of no tensor")?;
        let missing = download.missing.checked_sub(bytes.len());
        download.missing = missing.ok_or("more bytes than the tensor has")?;
        if let Ok(pieces) = &mut download.place {
            pieces.push(bytes).map_err(|error| error.to_string())?;
        }
        if download.missing > 0 {
            self.download = Some(download);
            return Ok(());
        }
        let data = download.place.and_then(TensorDataPieces::finish);
        download
            .answered
            .send(data.map(Answer::Data).map_err(|error| RemoteError::Failed(Failure::Data(error))));
        Ok(())
    }
}

fn is_within(spec: &TensorSpec, most: &TensorSpec) -> bool {
    let [count, rank] = most.shape[..] else { return false };
    spec.dtype == most.dtype && spec.shape.rank() == 2 && spec.shape[0] <= count && spec.shape[1] == rank
}
