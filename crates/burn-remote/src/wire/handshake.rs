use super::{Malformed, decode, encode};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Protocol version, which both ends must share: increased with each change of the wire format. Operations
/// are part of it: appending a variant is no change, since a server rejects one that it does not know; any
/// other change is.
pub const PROTOCOL: u16 = 5;

/// Version of this framework, part of a refusal.
pub const BURN: &str = env!("CARGO_PKG_VERSION");

/// Maximum bytes of a [`Hello`].
pub const LARGEST_HELLO: usize = 4 << 10;

const MAGIC: &[u8; 4] = b"BURN";

/// Secret identifier of a session, 128 random bits: it proves that a connection is from the session's client.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SessionId(pub [u8; 16]);

impl fmt::Debug for SessionId {
    /// Without the secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionId(..)")
    }
}

/// Request to resume a session.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Resume {
    pub session: SessionId,
    /// Number of the frame that the client expects next.
    pub expects: u64,
}

/// First message of a client.
#[derive(Clone, Serialize, Deserialize)]
pub struct Hello {
    pub token: Option<String>,
    /// `None` for a new session.
    pub resume: Option<Resume>,
}

impl fmt::Debug for Hello {
    /// Without the token.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hello").field("resume", &self.resume).finish_non_exhaustive()
    }
}

/// Acceptance of a session by the server.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Welcome {
    pub session: SessionId,
    /// Number of the frame that the server expects next.
    pub expects: u64,
    /// Bytes of the largest frame that the server takes.
    pub frame_bytes: u64,
}

/// Refusal of a session by the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Refusal {
    /// The first words are no [`Hello`].
    Malformed(String),
    /// The ends speak other protocols; which one the server speaks, and its version.
    Version { protocol: u16, burn: String },
    /// The token is missing or wrong.
    Token,
    /// The maximum number of sessions is reached.
    Full { sessions: u64 },
    /// The session no longer exists, nor do its tensors.
    UnknownSession,
    /// The server is shutting down.
    ShuttingDown,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Malformed(cause) => write!(f, "it does not understand the first words: {cause}"),
            Refusal::Version { protocol, burn } => write!(
                f,
                "it has version {burn} with protocol {protocol}, this program {BURN} with protocol {PROTOCOL}"
            ),
            Refusal::Token => f.write_str("the token is wrong"),
            Refusal::Full { sessions } => write!(f, "it has all the {sessions} sessions that it may have"),
            Refusal::UnknownSession => f.write_str("it no longer has this session, and none of its tensors"),
            Refusal::ShuttingDown => f.write_str("it is shutting down"),
        }
    }
}

/// Magic, protocol and version of the framework stand before everything that may change with them.
fn stamped(body: &[u8]) -> Vec<u8> {
    let length = u8::try_from(BURN.len()).expect("versions are short");
    [MAGIC, &PROTOCOL.to_le_bytes()[..], &[length], BURN.as_bytes(), body].concat()
}

/// Message with the versions of its sender.
struct Stamped<'a> {
    protocol: u16,
    burn: String,
    body: &'a [u8],
}

fn unstamped(bytes: &[u8]) -> Result<Stamped<'_>, Malformed> {
    let rest = bytes.strip_prefix(MAGIC).ok_or_else(|| Malformed("not a peer of this protocol".into()))?;
    let (protocol, rest) = rest.split_first_chunk().ok_or_else(|| Malformed("no version".into()))?;
    let protocol = u16::from_le_bytes(*protocol);
    let burn = rest.split_first().and_then(|(&length, rest)| rest.split_at_checked(length.into()));
    match burn {
        Some((burn, body)) => Ok(Stamped { protocol, burn: String::from_utf8_lossy(burn).into(), body }),
        // Protocol 1 said less.
        None if protocol != PROTOCOL => Ok(Stamped { protocol, burn: "unknown".into(), body: rest }),
        None => Err(Malformed("no version of the framework".into())),
    }
}

impl Hello {
    pub fn to_bytes(&self) -> Vec<u8> {
        stamped(&encode(self))
    }

    /// # Errors
    /// When the bytes are no greeting, or one of another protocol.
    pub fn parse(bytes: &[u8]) -> Result<Self, Refusal> {
        let malformed = |error: Malformed| Refusal::Malformed(error.0);
        if bytes.len() > LARGEST_HELLO {
            return Err(Refusal::Malformed(format!("{} bytes", bytes.len())));
        }
        let Stamped { protocol, burn: _, body } = unstamped(bytes).map_err(malformed)?;
        if protocol != PROTOCOL {
            return Err(Refusal::Version { protocol: PROTOCOL, burn: BURN.into() });
        }
        decode(body).map_err(malformed)
    }
}

/// Encodes the answer to a [`Hello`].
pub fn answer(answer: &Result<Welcome, Refusal>) -> Vec<u8> {
    stamped(&encode(answer))
}

/// Parses the server's answer to a [`Hello`].
///
/// # Errors
/// When the bytes are no answer. An answer of another protocol version is a [`Refusal`].
pub fn parse_answer(bytes: &[u8]) -> Result<Result<Welcome, Refusal>, Malformed> {
    let Stamped { protocol, burn, body } = unstamped(bytes)?;
    if protocol != PROTOCOL {
        return Ok(Err(Refusal::Version { protocol, burn }));
    }
    decode(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hello() -> Hello {
        Hello { token: Some("secret".into()), resume: None }
    }

    /// Builds a message with this protocol and Burn version.
    fn from(protocol: u16, burn: &str, body: &[u8]) -> Vec<u8> {
        [MAGIC, &protocol.to_le_bytes()[..], &[burn.len() as u8], burn.as_bytes(), body].concat()
    }

    #[test]
    fn a_greeting_is_understood() {
        let parsed = Hello::parse(&hello().to_bytes()).unwrap();
        assert_eq!(parsed.token.as_deref(), Some("secret"));
    }

    #[test]
    fn the_protocol_decides_and_not_the_version_of_the_framework() {
        let parsed = Hello::parse(&from(PROTOCOL, "99.0.0", &encode(&hello()))).unwrap();
        assert_eq!(parsed.token.as_deref(), Some("secret"));
        let welcome = Welcome { session: SessionId([7; 16]), expects: 3, frame_bytes: 5 };
        let answer: Result<Welcome, Refusal> = Ok(welcome);
        let found = parse_answer(&from(PROTOCOL, "99.0.0", &encode(&answer))).unwrap().unwrap();
        assert_eq!((found.session, found.expects, found.frame_bytes), (SessionId([7; 16]), 3, 5));
    }

    #[test]
    fn greetings_of_other_protocols_are_told_so() {
        let refused = Refusal::Version { protocol: PROTOCOL, burn: BURN.into() };
        assert_eq!(Hello::parse(&from(PROTOCOL + 1, BURN, &encode(&hello()))).unwrap_err(), refused);
        // Other protocols may send anything.
        assert_eq!(Hello::parse(b"BURN\x01\x00\x05").unwrap_err(), refused);
        assert_eq!(Hello::parse(b"BURN\xff\xff and something").unwrap_err(), refused);
        assert!(matches!(Hello::parse(b"hello").unwrap_err(), Refusal::Malformed(_)));
        let cut = [&MAGIC[..], &PROTOCOL.to_le_bytes(), &[5]].concat();
        assert!(matches!(Hello::parse(&cut).unwrap_err(), Refusal::Malformed(_)));
        assert!(matches!(Hello::parse(&[b'B'; LARGEST_HELLO + 1]).unwrap_err(), Refusal::Malformed(_)));
    }

    #[test]
    fn an_answer_of_another_protocol_is_a_refusal_that_names_both_versions() {
        let found = parse_answer(&from(9, "3.1.4", b"\xff\xff")).unwrap().unwrap_err();
        assert_eq!(found, Refusal::Version { protocol: 9, burn: "3.1.4".into() });
        let text = found.to_string();
        for part in ["3.1.4", "protocol 9", BURN, &format!("protocol {PROTOCOL}")] {
            assert!(text.contains(part), "{text}");
        }
        let found = parse_answer(b"BURN\x01\x00\xff\xff").unwrap().unwrap_err();
        assert_eq!(found, Refusal::Version { protocol: 1, burn: "unknown".into() });
        assert_eq!(parse_answer(&answer(&Err(Refusal::Token))).unwrap().unwrap_err(), Refusal::Token);
    }

    #[test]
    fn secrets_are_not_printed() {
        let resume = Some(Resume { session: SessionId([77; 16]), expects: 0 });
        let text = format!("{:?}", Hello { resume, ..hello() });
        assert!(!text.contains("secret") && !text.contains("77"), "{text}");
    }
}
