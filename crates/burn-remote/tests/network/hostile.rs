//! Clients that do not keep to the protocol: each is answered or cut off, and costs the others nothing.

use crate::raw::{Raw, Received, full};
use crate::{assert_empty, options, start, start_process};
use burn_backend::{
    BinaryOp, Creation, DType, Elementwise, Index, Layout, Linalg, Operation, Order, Outputs, TensorData,
    TensorSpec, UnaryOp,
};
use burn_remote::server::Server;
use burn_remote::wire::{
    Argument, BURN, Failure, Fault, Frame, Hello, Kind, PROTOCOL, Refusal, Reply, Request, Resume, SessionId,
    encode,
};
use std::thread;
use std::time::Duration;

fn server() -> Server {
    start(options())
}

fn use_of(id: u64) -> Argument {
    Argument { id, last: false }
}

fn twice(x: u64, output: u64) -> Request {
    let op =
        Operation::Elementwise(Elementwise::Binary { op: BinaryOp::Add, lhs: use_of(x), rhs: use_of(x) });
    Request::Execute { op, outputs: Outputs::One(output) }
}

fn read(x: u64, reply: u64) -> Request {
    Request::Read { x: use_of(x), reply }
}

/// A client that behaves gets what it asks for.
fn assert_serves(url: &str) {
    let mut raw = Raw::open(url);
    raw.requests(&[full(1, [2]), twice(1, 2), read(2, 7)]);
    assert_eq!(raw.reply(), Reply::Data { reply: 7, data: TensorData::from([2.0_f32, 2.0]) });
    raw.requests(&[Request::Goodbye]);
    assert!(raw.fault().is_none());
}

#[test]
fn first_words_that_are_none_are_refused() {
    let server = server();
    let hello = Hello { token: None, resume: None };
    let unknown = Resume { session: SessionId([9; 16]), expects: 0 };
    let resumed = Hello { resume: Some(unknown), ..hello.clone() };
    let version = Refusal::Version { protocol: PROTOCOL, burn: BURN.into() };
    for words in [b"BURN\x63\x00".as_slice(), b"BURN\x01\x00\x050.1.0\x00\x00", b"BURN\xff\xff\x0699.0.0"] {
        assert_eq!(Raw::connect(&server.url()).greet(words).unwrap_err(), version);
    }
    // Another version of the framework with the same protocol is welcome.
    let mut newer = [b"BURN", &PROTOCOL.to_le_bytes()[..], b"\x0699.0.0"].concat();
    newer.extend(encode(&hello));
    let mut raw = Raw::connect(&server.url());
    raw.greet(&newer).expect("a session");
    raw.requests(&[Request::Goodbye]);
    assert!(raw.fault().is_none());
    assert_eq!(Raw::connect(&server.url()).greet(&resumed.to_bytes()).unwrap_err(), Refusal::UnknownSession);
    let truncated = &hello.to_bytes()[..8];
    for words in [b"GET me a session".as_slice(), &[], &[0; 4_000], truncated] {
        let refusal = Raw::connect(&server.url()).greet(words).unwrap_err();
        assert!(matches!(refusal, Refusal::Malformed(_)), "{refusal:?}");
    }
    // More than anybody has to say is not even read.
    let mut long = Raw::connect(&server.url());
    long.bytes(vec![0; 100_000]);
    assert!(matches!(long.receive(), Received::Gone));
    assert_serves(&server.url());
    assert_empty(&server);
}

#[test]
fn garbage_ends_the_session_with_a_fault() {
    let server = server();
    let frame = |kind, number, payload| Frame { kind, number, payload }.to_bytes();
    let malformed: [Vec<u8>; 4] = [vec![], vec![1; 5], vec![77; 100], frame(Kind::Messages, 0, &[0xff; 64])];
    for garbage in malformed {
        let mut raw = Raw::open(&server.url());
        raw.requests(&[]);
        let mut raw = Raw::open(&server.url());
        raw.bytes(garbage);
        let fault = raw.fault();
        assert!(matches!(fault, Some(Fault::Malformed(_))), "{fault:?}");
    }
    let unordered: [Vec<u8>; 4] = [
        frame(Kind::Messages, 5, &[]),
        frame(Kind::Ack, 5, &[]),
        frame(Kind::Data, 0, &[1, 2, 3]),
        frame(Kind::Data, 0, &[]),
    ];
    for words in unordered {
        let mut raw = Raw::open(&server.url());
        raw.bytes(words);
        let fault = raw.fault();
        assert!(matches!(fault, Some(Fault::Order(_))), "{fault:?}");
    }
    assert_serves(&server.url());
}

#[test]
fn frames_above_the_limit_end_the_connection() {
    let server = start(options().with_frame_bytes(300_000));
    let mut raw = Raw::open(&server.url());
    raw.frame(Kind::Messages, &vec![0; 400_000]);
    // A frame that is too large is not even read.
    assert!(raw.fault().is_none());
    assert_serves(&server.url());
}

#[test]
fn requests_that_make_no_sense_fail_by_themselves() {
    let server = start(options().with_session_bytes(1 << 20));
    let mut raw = Raw::open(&server.url());
    let failure = |raw: &mut Raw, requests: &[Request]| {
        raw.requests(requests);
        match raw.reply() {
            Reply::Failed { failure, .. } => failure,
            other => panic!("a failure is awaited: {other:?}"),
        }
    };
    assert_eq!(failure(&mut raw, &[read(404, 0)]), Failure::UnknownTensor(404));
    assert_eq!(failure(&mut raw, &[twice(404, 1), twice(1, 2), read(2, 0)]), Failure::UnknownTensor(404));
    let matmul = Operation::Linalg(Linalg::Matmul { lhs: use_of(10), rhs: use_of(11) });
    let matmul = Request::Execute { op: matmul, outputs: Outputs::One(12) };
    let found = failure(&mut raw, &[full(10, [2, 3]), full(11, [2, 3]), matmul, read(12, 0)]);
    assert!(matches!(&found, Failure::Refused(text) if text.starts_with("matmul: ")), "{found:?}");
    let nothing = Request::Execute {
        op: Operation::Layout(Layout::Cat { xs: vec![], dim: 0 }),
        outputs: Outputs::One(13),
    };
    assert!(matches!(failure(&mut raw, &[nothing, read(13, 0)]), Failure::Refused(_)));
    let names = Request::Execute {
        op: Operation::Elementwise(Elementwise::Unary { op: UnaryOp::Exp, x: use_of(10) }),
        outputs: Outputs::Two(14, 15),
    };
    assert!(matches!(failure(&mut raw, &[names, read(14, 0)]), Failure::Refused(_)));
    let found = failure(&mut raw, &[full(16, [1 << 20]), read(16, 0)]);
    assert!(matches!(found, Failure::Memory { .. }), "{found:?}");
    assert!(matches!(failure(&mut raw, &[full(17, [usize::MAX, 3]), read(17, 0)]), Failure::Refused(_)));
    let many = Operation::Layout(Layout::Reshape {
        x: use_of(10),
        shape: [2, 3].into_iter().chain(std::iter::repeat_n(1, 100_000)).collect(),
    });
    let many = Request::Execute { op: many, outputs: Outputs::One(21) };
    let found = failure(&mut raw, &[many, read(21, 0)]);
    assert!(matches!(&found, Failure::Refused(text) if text.contains("100002 dimensions")), "{found:?}");
    let range = TensorSpec::new([2, 2], DType::F32);
    let range = Creation::Range { spec: range, start: 0.0.into(), step: 1.0.into() };
    let range = Request::Create { creation: range, output: 18 };
    assert!(matches!(failure(&mut raw, &[range, read(18, 0)]), Failure::Refused(_)));
    // A kernel that panics: no inference sees values.
    let indices = Request::Create { creation: Creation::Data(TensorData::from([999_i64])), output: 19 };
    let gather = Operation::Index(Index::Select { x: use_of(10), dim: 0, indices: use_of(19) });
    let gather = Request::Execute { op: gather, outputs: Outputs::One(20) };
    let found = failure(&mut raw, &[indices, gather, read(20, 0)]);
    assert!(matches!(&found, Failure::Panicked { call, .. } if call == "select"), "{found:?}");
    // The session goes on.
    let unread = failure(&mut raw, &[twice(405, 40), twice(406, 41), Request::Sync { reply: 1 }]);
    assert_eq!(unread, Failure::UnknownTensor(405));
    raw.requests(&[Request::Sync { reply: 2 }, full(30, [1]), read(30, 3)]);
    let mut replies = Vec::new();
    while replies.len() < 2 {
        match raw.receive() {
            Received::Replies(more) => replies.extend(more),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(replies[0], Reply::Done { reply: 2 });
    assert_eq!(replies[1], Reply::Data { reply: 3, data: TensorData::from([1.0_f32]) });
}

#[test]
fn names_that_are_taken_end_the_session() {
    let server = server();
    let pair = Operation::Order(Order::SortWithIndices {
        x: use_of(1),
        dim: 0,
        descending: false,
        index: DType::I64,
    });
    let pair = Request::Execute { op: pair, outputs: Outputs::Two(2, 2) };
    for second in [full(1, [3]), twice(1, 1), pair] {
        let mut raw = Raw::open(&server.url());
        raw.requests(&[full(1, [3]), second]);
        let fault = raw.fault();
        assert!(matches!(fault, Some(Fault::Order(_))), "{fault:?}");
    }
    assert_empty(&server);
}

#[test]
fn uploads_are_what_was_announced() {
    let server = server();
    let announce =
        |dtype, shape: [usize; 1]| Request::Upload { spec: TensorSpec::new(shape, dtype), output: 1 };
    let mut raw = Raw::open(&server.url());
    raw.requests(&[announce(DType::U8, [5])]);
    raw.frame(Kind::Data, &[1, 2, 3]);
    raw.frame(Kind::Data, &[4, 5]);
    raw.requests(&[read(1, 0)]);
    assert_eq!(raw.reply(), Reply::Data { reply: 0, data: TensorData::from([1_u8, 2, 3, 4, 5]) });
    // Too many bytes, a request among them, none at all.
    type Step = fn(&mut Raw);
    let wrong: [Step; 3] = [
        |raw| raw.frame(Kind::Data, &[0; 6]),
        |raw| raw.requests(&[Request::Drop(1)]),
        |raw| raw.requests(&[Request::Goodbye]),
    ];
    for step in wrong {
        let mut raw = Raw::open(&server.url());
        raw.requests(&[announce(DType::U8, [5])]);
        step(&mut raw);
        assert!(matches!(raw.fault(), Some(Fault::Order(_))));
    }
    let mut raw = Raw::open(&server.url());
    raw.requests(&[announce(DType::U8, [0])]);
    assert!(matches!(raw.fault(), Some(Fault::Order(_))));
    // Bytes that are no bools cost the tensor alone.
    let mut raw = Raw::open(&server.url());
    raw.requests(&[announce(DType::Bool, [2])]);
    raw.frame(Kind::Data, &[1, 2]);
    raw.requests(&[read(1, 0)]);
    assert!(matches!(raw.reply(), Reply::Failed { failure: Failure::Data(_), .. }));
}

#[test]
fn who_reads_nothing_costs_no_memory() {
    let server = start_process("hostile::who_reads_nothing_costs_no_memory");
    let mut slow = Raw::open(server.url());
    slow.requests(&[full(1, [4 << 20])]);
    let requests: Vec<Request> = (0..64).map(|reply| read(1, reply)).collect();
    // 1 GiB of answers.
    slow.requests(&requests);
    assert_serves(server.url());
    thread::sleep(Duration::from_millis(500));
    if let Some(memory) = server.memory() {
        assert!(memory < 400 << 20, "{memory} bytes");
    }
    // Once it reads, it gets everything.
    let (mut announced, mut bytes) = (0, 0);
    while announced < 64 || bytes < 64 * (16 << 20) {
        match slow.receive() {
            Received::Replies(replies) => announced += replies.len(),
            Received::Data(more) => bytes += more,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((announced, bytes), (64, 64 * (16 << 20)));
}

#[test]
fn a_session_that_nobody_comes_back_to_ends() {
    let server = start(options().with_resume_timeout(Duration::from_millis(50)));
    let mut raw = Raw::open(&server.url());
    raw.requests(&[full(1, [1 << 10])]);
    while server.stats().bytes == 0 {
        thread::sleep(Duration::from_millis(1));
    }
    drop(raw);
    assert_empty(&server);
}

#[test]
fn a_second_connection_takes_the_session_over() {
    let server = server();
    let mut first = Raw::connect(&server.url());
    let hello = Hello { token: None, resume: None };
    let welcome = first.greet(&hello.to_bytes()).expect("a session");
    first.requests(&[full(1, [2]), read(1, 5)]);
    let data = Reply::Data { reply: 5, data: TensorData::from([1.0_f32, 1.0]) };
    assert_eq!(first.reply(), data);
    let mut second = Raw::connect(&server.url());
    let resume = Some(Resume { session: welcome.session, expects: 0 });
    match second.greet(&Hello { resume, ..hello }.to_bytes()) {
        Ok(welcome) => {
            assert_eq!(welcome.expects, 1);
            assert_eq!(second.reply(), data, "what may not have arrived is sent again");
        }
        // The first connection's acknowledgement was faster.
        Err(refusal) => assert!(matches!(refusal, Refusal::Malformed(_)), "{refusal:?}"),
    }
    assert_eq!(server.stats().sessions, 1);
}
