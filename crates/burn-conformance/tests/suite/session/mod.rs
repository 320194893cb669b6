//! Clients that say anything: right requests, wrong ones, and bytes that once were requests.

use burn_backend::dynamic::DynamicDevice;
use burn_backend::{Creation, Distribution, Outputs, Scalar, TensorData, TensorSpec, output_specs};
use burn_conformance::fuzz::{Random, random_call};
use burn_ndarray::NdArray;
use burn_remote::Ended;
use burn_remote::session::{Budget, Limits, Outlet, Session, Step};
use burn_remote::wire::{
    Argument, Frame, Hello, Kind, Reply, Request, Resume, SessionId, Welcome, answer, encode, first,
    parse_answer, put,
};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Limits of a session, small so that no request takes long.
const LIMITS: Limits = Limits { frame_bytes: 256 << 10, session_bytes: 2 << 20 };

/// Counts the replies of a session, and checks that they can be decoded.
#[derive(Debug, Default)]
struct Answers {
    replies: Cell<usize>,
    data: Cell<usize>,
    /// Announced bytes that are still outstanding.
    awaited: Cell<usize>,
    /// Number of replies after which the client stops listening.
    deaf_after: usize,
}

impl Answers {
    fn count(&self) -> Result<(), Ended> {
        self.replies.set(self.replies.get() + 1);
        if self.replies.get() > self.deaf_after { Err(Ended) } else { Ok(()) }
    }
}

impl Outlet for Answers {
    fn reply(&self, reply: &Reply) -> Result<(), Ended> {
        assert_eq!(self.awaited.get(), 0, "a reply within a tensor");
        let bytes = encode(reply);
        let (read, rest) = first::<Reply>(&bytes).expect("a reply can be read");
        assert!(rest.is_empty() && read.id() == reply.id(), "a reply is what it was written from");
        if let Reply::Data { .. } = reply {
            self.data.set(self.data.get() + 1);
        }
        if let Reply::Download { spec, .. } = reply {
            self.awaited.set(spec.shape.num_elements() * spec.dtype.size());
        }
        self.count()
    }
    fn bytes(&self, bytes: &[u8]) -> Result<(), Ended> {
        let left = self.awaited.get().checked_sub(bytes.len());
        self.awaited.set(left.expect("no more bytes than were announced"));
        self.count()
    }
}

/// Statistics of one client.
#[derive(Clone, Copy, Debug, Default)]
pub struct Outcome {
    pub frames: usize,
    pub replies: usize,
    /// Replies with data.
    pub data: usize,
    /// Whether it ended with a fault.
    pub fault: bool,
}

/// One session with a random client.
///
/// # Errors
/// When a request panicked, or memory was above the limits or leaked.
pub fn run(random: &mut Random) -> Result<Outcome, String> {
    let budget = Budget::new(u64::MAX);
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        greet(random);
        let device = DynamicDevice::new::<NdArray>(Default::default());
        let mut session = Session::new(device, LIMITS, budget.clone());
        let deaf_after = if random.chance(10) { random.below(8) } else { usize::MAX };
        let answers = Answers { deaf_after, ..Answers::default() };
        let mut outcome = Outcome::default();
        let hostile = random.chance(60);
        let mut client = Client { random: &mut *random, next: 0, hostile };
        for _ in 0..12 {
            let (kind, payload) = client.frame();
            let handled = session.handle(&Frame { kind, number: 0, payload: &payload }, &answers);
            outcome.frames += 1;
            outcome.replies = answers.replies.get();
            outcome.data = answers.data.get();
            outcome.fault = handled.is_err();
            if budget.used() > LIMITS.session_bytes {
                return Err(format!("{} bytes in use", budget.used()));
            }
            if !matches!(handled, Ok(Step::Next)) {
                break;
            }
        }
        Ok(outcome)
    }));
    let outcome = outcome.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        Err(format!("panicked: {}", text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("")))
    })?;
    match budget.used() {
        0 => Ok(outcome),
        kept => Err(format!("{kept} bytes are kept after the session")),
    }
}

/// First words, and their answer, whole and damaged.
fn greet(random: &mut Random) {
    let resume = Some(Resume { session: SessionId([7; 16]), expects: random.number(9) as u64 });
    let hello = Hello { token: Some("token".into()), resume };
    let _refused = Hello::parse(&damaged(random, hello.to_bytes()));
    let welcome = Welcome { session: SessionId([7; 16]), expects: 3, frame_bytes: 9 };
    let _malformed = parse_answer(&damaged(random, answer(&Ok(welcome))));
    let _malformed = Frame::parse(&damaged(random, vec![1; 12]));
}

/// A client, which gives names in turn.
struct Client<'a> {
    random: &'a mut Random,
    next: u64,
    hostile: bool,
}

impl Client<'_> {
    fn frame(&mut self) -> (Kind, Vec<u8>) {
        let wrong = [Kind::Ack, Kind::Fault, Kind::Data];
        if self.hostile && self.random.chance(3) {
            return (self.random.pick(&wrong), Vec::new());
        }
        if self.hostile && self.random.chance(8) {
            return (Kind::Data, vec![self.random.below(256) as u8; self.random.below(2000)]);
        }
        let mut payload = Vec::new();
        for _ in 0..1 + self.random.below(20) {
            payload = self.requests().iter().fold(payload, |payload, request| put(request, payload));
        }
        let damage = self.hostile && self.random.chance(40);
        (Kind::Messages, if damage { damaged(self.random, payload) } else { payload })
    }

    /// The name of a tensor to be: a new one, unless it is to be wrong.
    fn output(&mut self) -> u64 {
        self.next += 1;
        if self.hostile && self.random.chance(1) { self.random.number(9) as u64 } else { self.next }
    }

    /// A tensor of late, unless it is to be wrong.
    fn argument(&mut self) -> Argument {
        let back = self.random.number(12) as u64;
        Argument { id: self.next.wrapping_sub(back), last: self.random.chance(20) }
    }

    fn create(&mut self, creation: Creation) -> Request {
        Request::Create { creation, output: self.output() }
    }

    fn requests(&mut self) -> Vec<Request> {
        let spec = TensorSpec { shape: self.random.shape(), dtype: self.random.dtype() };
        vec![match self.random.below(18) {
            0..5 => {
                let data = data(self.random, &spec);
                self.create(Creation::Data(data))
            }
            5 => {
                let spec = wild(self.random, spec);
                self.create(Creation::Full { spec, value: Scalar::Float(1.5) })
            }
            6 => {
                let (start, step) = (Scalar::Int(self.random.signed(9) as i64), Scalar::Float(0.5));
                let spec = wild(self.random, spec);
                self.create(Creation::Range { spec, start, step })
            }
            7 => {
                let distribution = self.random.pick(&[
                    Distribution::Default,
                    Distribution::Uniform(3.0, 1.0),
                    Distribution::Normal(0.0, f64::NAN),
                    Distribution::Bernoulli(0.5),
                    Distribution::Uniform(-1e300, 1e300),
                ]);
                let spec = wild(self.random, spec);
                self.create(Creation::Random { spec, distribution })
            }
            8 if self.hostile => Request::Upload { spec: wild(self.random, spec), output: self.output() },
            9 => Request::Drop(self.argument().id),
            10 | 11 => Request::Read { x: self.argument(), reply: self.next },
            12 => {
                let (mask, index) = (self.argument(), self.random.dtype());
                Request::ArgWhere { mask, index, output: self.output(), reply: 5 }
            }
            13 => Request::Sync { reply: 6 },
            14 if self.random.chance(10) => Request::Goodbye,
            _ => return self.call(),
        }]
    }

    /// A call of operands that are made for it, or of any.
    fn call(&mut self) -> Vec<Request> {
        let (mut requests, fresh) = (Vec::new(), self.random.chance(70));
        let call = random_call(self.random);
        let pair = matches!(output_specs(&call), Ok(Outputs::Two(..)));
        let op = call.map(|spec| {
            if !fresh || spec.shape.checked_num_elements().is_none_or(|count| count > 4096) {
                return self.argument();
            }
            let data = data(self.random, &spec);
            requests.push(self.create(Creation::Data(data)));
            Argument { id: self.next, last: self.random.chance(50) }
        });
        let pair = if self.random.chance(5) { !pair } else { pair };
        let first = self.output();
        let outputs = if pair { Outputs::Two(first, self.output()) } else { Outputs::One(first) };
        requests.push(Request::Execute { op, outputs });
        if self.random.chance(40) {
            requests.push(Request::Read { x: Argument { id: first, last: false }, reply: first });
        }
        requests
    }
}

/// Bytes in which something is not as it was.
fn damaged(random: &mut Random, mut bytes: Vec<u8>) -> Vec<u8> {
    for _ in 0..1 + random.below(4) {
        let at = random.below(bytes.len().max(1));
        match random.below(6) {
            0 => bytes.truncate(at),
            1 => bytes.insert(at.min(bytes.len()), random.below(256) as u8),
            2 => drop(bytes.splice(at.min(bytes.len())..at.min(bytes.len()), [0xff; 9])),
            3 => {
                let from = random.below(bytes.len().max(1)).min(bytes.len());
                let piece = bytes[from..].to_vec();
                drop(bytes.splice(at.min(bytes.len()).., piece));
            }
            _ => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte =
                        random.pick(&[0, 1, 127, 128, 255, *byte ^ 1, *byte ^ 0x80, byte.wrapping_add(1)]);
                }
            }
        }
    }
    bytes
}

/// Often larger than anything.
fn wild(random: &mut Random, spec: TensorSpec) -> TensorSpec {
    if random.chance(70) {
        return spec;
    }
    let rank = random.pick(&[1, 1, 2, 3, 70]);
    TensorSpec { shape: random.numbers(rank, 60).into(), dtype: spec.dtype }
}

fn data(random: &mut Random, spec: &TensorSpec) -> TensorData {
    let values: Vec<f64> = (0..spec.shape.num_elements()).map(|_| random.below(5) as f64).collect();
    TensorData::new(values, spec.shape.clone()).convert_dtype(spec.dtype)
}
