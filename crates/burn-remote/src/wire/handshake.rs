use super::{Malformed, decode, encode};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Version of the protocol: one more for each change of what travels.
pub const PROTOCOL: u16 = 1;

/// Version of this framework, whose operations are part of the protocol.
pub const BURN: &str = env!("CARGO_PKG_VERSION");

/// More bytes than this are no [`Hello`].
pub const LARGEST_HELLO: usize = 8 * 1024;

const MAGIC: &[u8; 4] = b"BURN";

/// Names a session, and proves that a connection is from whom the session was opened for: 128 random bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SessionId(pub [u8; 16]);

impl fmt::Debug for SessionId {
    /// Without the secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionId(..)")
    }
}

/// A session that goes on.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Resume {
    pub session: SessionId,
    /// Number of the frame that the client expects next.
    pub expects: u64,
}

/// The first words of a client.
#[derive(Clone, Serialize, Deserialize)]
pub struct Hello {
    /// [`BURN`] of the client.
    pub burn: String,
    pub token: Option<String>,
    /// `None` for a new session.
    pub resume: Option<Resume>,
}

impl fmt::Debug for Hello {
    /// Without the token.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hello")
            .field("burn", &self.burn)
            .field("resume", &self.resume)
            .finish_non_exhaustive()
    }
}

/// A session is open.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Welcome {
    pub session: SessionId,
    /// Number of the frame that the server expects next.
    pub expects: u64,
    /// Bytes of the largest frame that the server takes.
    pub frame_bytes: u64,
}

/// Why a server opens no session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Refusal {
    /// The first words are no [`Hello`].
    Malformed(String),
    /// The ends speak other versions.
    Version { protocol: u16, burn: String },
    /// The server wants a token, and this is not it.
    Token,
    /// There are as many sessions as there may be.
    Full { sessions: u64 },
    /// The session does not exist any more, and its tensors neither.
    UnknownSession,
    /// The server is going.
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

/// Magic and version stand before everything that may change with the version.
fn stamped(body: &[u8]) -> Vec<u8> {
    [MAGIC, &PROTOCOL.to_le_bytes()[..], body].concat()
}

/// The version of the sender, and what it says in it.
fn unstamped(bytes: &[u8]) -> Result<(u16, &[u8]), Malformed> {
    let rest = bytes.strip_prefix(MAGIC).ok_or_else(|| Malformed("not a peer of this protocol".into()))?;
    let (version, body) = rest.split_first_chunk().ok_or_else(|| Malformed("no version".into()))?;
    Ok((u16::from_le_bytes(*version), body))
}

impl Hello {
    pub fn to_bytes(&self) -> Vec<u8> {
        stamped(&encode(self))
    }

    /// # Errors
    /// When the bytes are no greeting, or one of another version.
    pub fn parse(bytes: &[u8]) -> Result<Self, Refusal> {
        let other = || Refusal::Version { protocol: PROTOCOL, burn: BURN.into() };
        let malformed = |error: Malformed| Refusal::Malformed(error.0);
        if bytes.len() > LARGEST_HELLO {
            return Err(Refusal::Malformed(format!("{} bytes", bytes.len())));
        }
        let (protocol, body) = unstamped(bytes).map_err(malformed)?;
        if protocol != PROTOCOL {
            return Err(other());
        }
        let hello: Hello = decode(body).map_err(malformed)?;
        if hello.burn == BURN { Ok(hello) } else { Err(other()) }
    }
}

/// The answer to a [`Hello`], as it travels.
pub fn answer(answer: &Result<Welcome, Refusal>) -> Vec<u8> {
    stamped(&encode(answer))
}

/// What a server answered.
///
/// # Errors
/// When the bytes are no answer. An answer of another version is the [`Refusal`] that it stands for.
pub fn parse_answer(bytes: &[u8]) -> Result<Result<Welcome, Refusal>, Malformed> {
    let (protocol, body) = unstamped(bytes)?;
    match decode(body) {
        Ok(answer) => Ok(answer),
        Err(_) if protocol != PROTOCOL => Ok(Err(Refusal::Version { protocol, burn: "unknown".into() })),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hello(burn: &str) -> Hello {
        Hello { burn: burn.into(), token: Some("secret".into()), resume: None }
    }

    #[test]
    fn a_greeting_is_understood() {
        let parsed = Hello::parse(&hello(BURN).to_bytes()).unwrap();
        assert_eq!(parsed.token.as_deref(), Some("secret"));
    }

    #[test]
    fn greetings_of_other_versions_are_told_so() {
        let refused = Refusal::Version { protocol: PROTOCOL, burn: BURN.into() };
        assert_eq!(Hello::parse(&hello("0.0.0").to_bytes()).unwrap_err(), refused);
        // Whatever else another protocol says.
        assert_eq!(Hello::parse(b"BURN\xff\xff and something").unwrap_err(), refused);
        assert!(matches!(Hello::parse(b"hello").unwrap_err(), Refusal::Malformed(_)));
        assert!(matches!(Hello::parse(&[b'B'; LARGEST_HELLO + 1]).unwrap_err(), Refusal::Malformed(_)));
    }

    #[test]
    fn an_answer_of_another_protocol_is_a_refusal() {
        let found = parse_answer(b"BURN\x09\x00\xff\xff").unwrap().unwrap_err();
        assert_eq!(found, Refusal::Version { protocol: 9, burn: "unknown".into() });
        assert_eq!(parse_answer(&answer(&Err(Refusal::Token))).unwrap().unwrap_err(), Refusal::Token);
    }

    #[test]
    fn secrets_are_not_printed() {
        let resume = Some(Resume { session: SessionId([77; 16]), expects: 0 });
        let text = format!("{:?}", Hello { resume, ..hello(BURN) });
        assert!(!text.contains("secret") && !text.contains("77"), "{text}");
    }
}
