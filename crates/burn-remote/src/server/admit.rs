use super::entry::Entry;
use super::sessions::Sessions;
use crate::channel::Attached;
use crate::wire::{Hello, Refusal, Welcome};
use std::sync::Arc;
use subtle::ConstantTimeEq;

/// Admitted connection with its session.
#[derive(Debug)]
pub struct Admitted {
    pub entry: Arc<Entry>,
    pub attached: Attached,
}

impl Admitted {
    pub fn welcome(&self, sessions: &Sessions) -> Welcome {
        let frame_bytes = sessions.options().limits.frame_bytes as u64;
        Welcome { session: self.entry.id, expects: self.attached.expects, frame_bytes }
    }
}

/// Opens or resumes a session for a client's [`Hello`](crate::wire::Hello) bytes.
///
/// # Errors
/// Why there is none.
pub fn admit(sessions: &Arc<Sessions>, hello: &[u8]) -> Result<Admitted, Refusal> {
    let hello = Hello::parse(hello)?;
    if !is_known(sessions.options().token.as_deref(), hello.token.as_deref()) {
        return Err(Refusal::Token);
    }
    let (entry, expects) = match hello.resume {
        Some(resume) => (sessions.find(resume.session)?, resume.expects),
        None => (sessions.open()?, 0),
    };
    let attached = entry.channel.attach(expects).map_err(|fault| Refusal::Malformed(fault.to_string()))?;
    Ok(Admitted { entry, attached })
}

/// Whether the token is the right one, in a time that does not depend on how much of it is.
fn is_known(wanted: Option<&str>, found: Option<&str>) -> bool {
    match (wanted, found) {
        (None, _) => true,
        (Some(wanted), found) => found.unwrap_or_default().as_bytes().ct_eq(wanted.as_bytes()).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::is_known;

    #[test]
    fn only_the_token_itself_is_known() {
        assert!(is_known(None, None) && is_known(None, Some("any")));
        assert!(is_known(Some("secret"), Some("secret")));
        for found in [None, Some(""), Some("secre"), Some("secrets"), Some("Secret")] {
            assert!(!is_known(Some("secret"), found), "{found:?}");
        }
    }
}
