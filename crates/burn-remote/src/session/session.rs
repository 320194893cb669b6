use super::budget::{Account, Budget};
use super::catch_panic::catch_panic;
use super::check;
use super::download::Download;
use super::limits::Limits;
use super::tensors::{Outcome, Reserved, Tensors};
use super::upload::Upload;
use crate::channel::{Channel, Ended};
use crate::wire::{Argument, Failure, Fault, Frame, HEADER, Kind, Reply, ReplyId, Request, TensorId, first};
use burn_backend::Backend;
use burn_backend::dynamic::{Dynamic, DynamicDevice, DynamicTensor};
use burn_backend::memory_budget::MemoryScope;
use burn_backend::rng_replay::{self, Stream};
use burn_backend::{
    Creation, DType, HasSpec, Operation, Outputs, TensorData, TensorSpec, block_on, output_specs,
};
use std::sync::Arc;

/// Data of at most so many bytes is part of a reply.
const INLINE: usize = 64 << 10;

/// Bytes of a tensor in a frame, unless the limit is lower: few enough to stay in a cache while they are
/// copied.
const PIECE: usize = 256 << 10;

/// Destination of a session's replies.
pub trait Outlet {
    /// # Errors
    /// When the channel is closed.
    fn reply(&self, reply: &Reply) -> Result<(), Ended>;

    /// The next bytes of the data that was announced last.
    ///
    /// # Errors
    /// When the channel is closed.
    fn bytes(&self, bytes: &[u8]) -> Result<(), Ended>;
}

impl Outlet for Channel {
    fn reply(&self, reply: &Reply) -> Result<(), Ended> {
        self.send(reply)
    }
    fn bytes(&self, bytes: &[u8]) -> Result<(), Ended> {
        self.send_bytes(bytes)
    }
}

/// Continuation of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Next,
    /// The client does not want it any more, or does not listen.
    End,
}

impl Step {
    /// Returns the next step after a send: the session ends where the send failed.
    fn after(sent: Result<(), Ended>) -> Self {
        if sent.is_ok() { Step::Next } else { Step::End }
    }
}

/// Server side of a session: the tensors of a client on one device. Requests are untrusted.
#[derive(Debug)]
pub struct Session {
    device: DynamicDevice,
    limits: Limits,
    tensors: Tensors,
    /// Random stream of the session, independent of other sessions.
    stream: Stream,
    /// The stream from the next request on, if the client wants another one.
    seeded: Option<Stream>,
    upload: Option<Announced>,
    /// First failure that no reply has returned yet.
    unreported: Option<Arc<Failure>>,
    /// Memory scope in which calls run: their workspace is charged to the session.
    memory: MemoryScope,
}

/// A tensor that the client has announced.
#[derive(Debug)]
struct Announced {
    output: TensorId,
    /// Bytes that are missing.
    missing: usize,
    /// Upload in progress; `None` if its bytes are discarded, because the tensor has already failed.
    upload: Option<(Upload, Reserved)>,
}

impl Session {
    /// Creates a session without tensors on `device`.
    pub fn new(device: DynamicDevice, limits: Limits, budget: Arc<Budget>) -> Self {
        let account = Arc::new(Account::new(budget, limits.session_bytes));
        let tensors = Tensors::new(account.clone());
        Session {
            device,
            limits,
            tensors,
            stream: Stream::default(),
            seeded: None,
            upload: None,
            unreported: None,
            memory: MemoryScope::new(account),
        }
    }

    /// Executes the requests of a numbered frame.
    ///
    /// # Errors
    /// When the client does not keep to the protocol, after which the session is not to be used any more.
    pub fn handle(&mut self, frame: &Frame<'_>, outlet: &dyn Outlet) -> Result<Step, Fault> {
        let limit = self.limits.frame_bytes;
        if HEADER + frame.payload.len() > limit {
            return Err(Fault::FrameSize { limit: limit as u64 });
        }
        let memory = self.memory.clone();
        memory.run(|| match frame.kind {
            Kind::Messages => self.requests(frame.payload, outlet),
            Kind::Data => self.data(frame.payload),
            Kind::Ack | Kind::Fault => Err(Fault::Order("a frame without a number".into())),
        })
    }

    fn requests(&mut self, mut payload: &[u8], outlet: &dyn Outlet) -> Result<Step, Fault> {
        while !payload.is_empty() {
            if self.upload.is_some() {
                return Err(Fault::Order("a request within a tensor".into()));
            }
            let (request, rest) =
                first::<Request>(payload).map_err(|malformed| Fault::Malformed(malformed.0))?;
            payload = rest;
            let mut stream = self.stream;
            let step = rng_replay::own(&mut stream, || self.request(request, outlet));
            self.stream = self.seeded.take().unwrap_or(stream);
            if step? == Step::End {
                return Ok(Step::End);
            }
        }
        Ok(Step::Next)
    }

    fn request(&mut self, request: Request, outlet: &dyn Outlet) -> Result<Step, Fault> {
        match request {
            Request::Create { creation, output } => {
                self.unused(output)?;
                let created = self.create(creation);
                self.keep(output, created)?;
            }
            Request::Upload { spec, output } => {
                self.unused(output)?;
                self.announce(&spec, output)?;
            }
            Request::Execute { op, outputs } => self.execute(op, &outputs)?,
            Request::Drop(id) => drop(self.tensors.remove(id)),
            Request::Seed(seed) => {
                self.seeded = Some(Stream::new(seed));
                // For backends whose generator knows no streams.
                self.device.backend().seed(seed);
            }
            Request::Read { x, reply } => return self.read(x, reply, outlet),
            Request::ArgWhere { mask, index, output, reply } => {
                self.unused(output)?;
                let answer = match self.argwhere(mask, index) {
                    Ok((spec, found)) => {
                        self.keep(output, Ok(found))?;
                        Reply::Spec { reply, spec }
                    }
                    Err(failure) => self.failed_reply(reply, failure),
                };
                return Ok(Step::after(outlet.reply(&answer)));
            }
            Request::Sync { reply } => {
                let synced = catch_panic("sync", || Dynamic::sync(&self.device)).map_err(Arc::new);
                let answer = match self.unreported.take().map_or(synced, Err) {
                    Ok(()) => Reply::Done { reply },
                    Err(failure) => self.failed_reply(reply, failure),
                };
                return Ok(Step::after(outlet.reply(&answer)));
            }
            Request::Goodbye => return Ok(Step::End),
        }
        Ok(Step::Next)
    }

    /// # Errors
    /// When a client names two tensors the same.
    fn unused(&self, id: TensorId) -> Result<(), Fault> {
        if self.tensors.has(id) { Err(Fault::Order(format!("there is a tensor {id}"))) } else { Ok(()) }
    }

    /// # Errors
    /// When there is not even room for a failure.
    fn keep(&mut self, id: TensorId, made: Outcome<(DynamicTensor, Reserved)>) -> Result<(), Fault> {
        match made {
            Ok((tensor, reserved)) => self.tensors.insert(id, tensor, reserved),
            Err(failure) => {
                self.unreported.get_or_insert_with(|| failure.clone());
                let kept = self.tensors.insert_failure(id, failure);
                kept.map_err(|error| Fault::Order(format!("tensor {id}: {error}")))?;
            }
        }
        Ok(())
    }

    /// Creates the reply for a failure.
    fn failed_reply(&mut self, reply: ReplyId, failure: Arc<Failure>) -> Reply {
        if self.unreported.as_ref().is_some_and(|unreported| Arc::ptr_eq(unreported, &failure)) {
            self.unreported = None;
        }
        Reply::Failed { reply, failure: (*failure).clone() }
    }

    /// Runs `make` after reserving the bytes of its result.
    fn make<T>(&mut self, call: &str, spec: &TensorSpec, make: impl FnOnce() -> T) -> Outcome<(T, Reserved)> {
        let reserved = self.tensors.reserve(spec)?;
        self.or_release(catch_panic(call, make), reserved)
    }

    fn create(&mut self, creation: Creation) -> Outcome<(DynamicTensor, Reserved)> {
        check::creation(&creation)?;
        let device = self.device.clone();
        self.make("creation", &creation.spec(), || Dynamic::create(creation, &device))
    }

    fn announce(&mut self, spec: &TensorSpec, output: TensorId) -> Result<(), Fault> {
        let Some(missing) = spec.shape.checked_num_elements().and_then(|n| n.checked_mul(spec.dtype.size()))
        else {
            return Err(Fault::Order(format!("an upload of shape {:?}", spec.shape)));
        };
        if missing == 0 {
            return Err(Fault::Order("an upload without bytes".into()));
        }
        let upload = self.begin(spec);
        self.upload = Some(Announced { output, missing, upload: self.wanted(output, upload)? });
        Ok(())
    }

    /// Room for a tensor whose bytes are on the way.
    fn begin(&mut self, spec: &TensorSpec) -> Outcome<(Upload, Reserved)> {
        check::spec(spec)?;
        let reserved = self.tensors.reserve(spec)?;
        self.or_release(Upload::new(spec.clone(), self.device.clone()), reserved)
    }

    /// Returns the result with its reserved bytes, or releases them if the call failed.
    fn or_release<T>(&mut self, made: Result<T, Failure>, reserved: Reserved) -> Outcome<(T, Reserved)> {
        match made {
            Ok(made) => Ok((made, reserved)),
            Err(failure) => {
                self.tensors.release(reserved);
                Err(Arc::new(failure))
            }
        }
    }

    /// Continues an upload; if it fails, the tensor is replaced by the failure.
    fn wanted<T>(&mut self, output: TensorId, upload: Outcome<T>) -> Result<Option<T>, Fault> {
        match upload {
            Ok(upload) => Ok(Some(upload)),
            Err(failure) => self.keep(output, Err(failure)).map(|()| None),
        }
    }

    fn data(&mut self, bytes: &[u8]) -> Result<Step, Fault> {
        let Some(Announced { output, missing, upload }) = self.upload.take() else {
            return Err(Fault::Order("bytes of no tensor".into()));
        };
        let missing = missing.checked_sub(bytes.len());
        let missing = missing.ok_or_else(|| Fault::Order("more bytes than the tensor has".into()))?;
        let upload = match upload {
            None => None,
            Some((mut upload, reserved)) => {
                let pushed = upload.push(bytes).map(|()| upload);
                let pushed = self.or_release(pushed, reserved);
                self.wanted(output, pushed)?
            }
        };
        if missing > 0 {
            self.upload = Some(Announced { output, missing, upload });
        } else if let Some((upload, reserved)) = upload {
            let made = self.or_release(upload.finish(), reserved);
            self.keep(output, made)?;
        }
        Ok(Step::Next)
    }

    fn execute(&mut self, op: Operation<Argument>, outputs: &Outputs<TensorId>) -> Result<(), Fault> {
        outputs.map_ref(|id| self.unused(*id)).all()?;
        let mut ids = Vec::with_capacity(3);
        outputs.visit(|id| ids.push(*id));
        if let Some(twice) = (1..ids.len()).find(|&at| ids[..at].contains(&ids[at])) {
            return Err(Fault::Order(format!("two results are named {}", ids[twice])));
        }
        match self.run(op, outputs) {
            Ok(made) => {
                let mut kept = Ok(());
                let mut ids = ids.into_iter();
                made.map(|one| {
                    if let (Some(id), Ok(())) = (ids.next(), &kept) {
                        kept = self.keep(id, Ok(one));
                    }
                });
                kept
            }
            Err(failure) => outputs.map_ref(|id| self.keep(*id, Err(failure.clone()))).all(),
        }
    }

    fn run(
        &mut self,
        op: Operation<Argument>,
        outputs: &Outputs<TensorId>,
    ) -> Outcome<Outputs<(DynamicTensor, Reserved)>> {
        let mut missing = None;
        let op = op.map(|argument| match self.tensors.take(argument) {
            Ok(x) => Some(x),
            Err(failure) => {
                missing.get_or_insert(failure);
                None
            }
        });
        if let Some(failure) = missing {
            return Err(failure);
        }
        let op = op.map(|operand| operand.expect("none is missing"));
        let specs = output_specs(&op).map_err(|error| Failure::Refused(error.to_string()))?;
        let mut ranks = Ok(());
        specs.visit(|spec| ranks = ranks.clone().and_then(|()| check::rank(spec)));
        ranks?;
        let (name, reserved) = (op.name(), self.reserve(&specs, outputs)?);
        match catch_panic(name, || Dynamic::execute(op)) {
            Ok(results) => {
                let mut pairs = Vec::with_capacity(3);
                results.map(|x| pairs.push(x));
                let mut pairs = pairs.into_iter();
                Ok(reserved.map(|bytes| (pairs.next().expect("as many as were inferred"), bytes)))
            }
            Err(failure) => {
                reserved.map(|bytes| self.tensors.release(bytes));
                Err(Arc::new(failure))
            }
        }
    }

    /// Room for all results, or for none.
    fn reserve(
        &mut self,
        specs: &Outputs<TensorSpec>,
        outputs: &Outputs<TensorId>,
    ) -> Outcome<Outputs<Reserved>> {
        if core::mem::discriminant(&specs.map_ref(|_| ()))
            != core::mem::discriminant(&outputs.map_ref(|_| ()))
        {
            return Err(Arc::new(Failure::Refused("names that are not those of its results".into())));
        }
        let (mut made, mut failed) = (Vec::with_capacity(3), None);
        specs.visit(|spec| {
            if failed.is_none() {
                match self.tensors.reserve(spec) {
                    Ok(room) => made.push(room),
                    Err(failure) => failed = Some(failure),
                }
            }
        });
        let mut made = made.into_iter();
        if let Some(failure) = failed {
            made.for_each(|room| self.tensors.release(room));
            return Err(Arc::new(failure));
        }
        Ok(specs.map_ref(|_| made.next().expect("as many as there are")))
    }

    /// # Errors
    /// When the device fails after a part of the tensor was sent: the announcement cannot be taken back.
    fn read(&mut self, x: Argument, reply: ReplyId, outlet: &dyn Outlet) -> Result<Step, Fault> {
        let (first, mut rest) = match self.first_of(x) {
            Ok(data) => data,
            Err(failure) => return Ok(Step::after(outlet.reply(&self.failed_reply(reply, failure)))),
        };
        if first.as_bytes().len() <= INLINE {
            return Ok(Step::after(outlet.reply(&Reply::Data { reply, data: first })));
        }
        let send = |data: &TensorData| {
            data.as_bytes().chunks(self.piece()).try_for_each(|piece| outlet.bytes(piece))
        };
        let mut sent =
            outlet.reply(&Reply::Download { reply, spec: rest.spec().clone() }).and_then(|()| send(&first));
        while let (Ok(()), Some(data)) = (sent, rest.next()) {
            sent = send(&data.map_err(|failure| Fault::Internal(failure.to_string()))?);
        }
        Ok(Step::after(sent))
    }

    /// The first piece of a tensor, and those to come.
    fn first_of(&mut self, x: Argument) -> Outcome<(TensorData, Download)> {
        let mut download = Download::new(self.tensors.take(x)?)?;
        let first = download.next().expect("even nothing is read once");
        Ok((first?, download))
    }

    /// Bytes of a tensor that go into one frame.
    fn piece(&self) -> usize {
        PIECE.min(self.limits.frame_bytes - HEADER)
    }

    fn argwhere(&mut self, mask: Argument, index: DType) -> Outcome<(TensorSpec, (DynamicTensor, Reserved))> {
        let mask = self.tensors.take(mask)?;
        if mask.dtype() != DType::Bool || !index.is_int() {
            let text = format!("argwhere: {index} coordinates of a mask of {}", mask.dtype());
            return Err(Arc::new(Failure::Refused(text)));
        }
        // As if all of it were true, before it is known.
        let most = TensorSpec::new([mask.shape().num_elements(), mask.shape().rank()], index);
        let (found, most) = self.make("argwhere", &most, || block_on(Dynamic::argwhere(mask, index)))?;
        self.tensors.release(most);
        let found =
            found.map_err(|_pending| Failure::Refused("this server cannot wait for its device".into()))?;
        let found = found.map_err(Failure::Data)?;
        let spec = found.spec().clone();
        let reserved = self.tensors.reserve(&spec)?;
        Ok((spec, (found, reserved)))
    }
}

/// Whether both are all right.
trait All {
    fn all(self) -> Result<(), Fault>;
}

impl All for Outputs<Result<(), Fault>> {
    fn all(self) -> Result<(), Fault> {
        match self {
            Outputs::One(x) => x,
            Outputs::Two(x, y) => x.and(y),
            Outputs::Three(x, y, z) => x.and(y).and(z),
        }
    }
}
