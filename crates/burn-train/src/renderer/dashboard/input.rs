use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

/// A key, or something that the mouse did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Input {
    Key(KeyEvent),
    Mouse(MouseEvent),
}

/// Parser of the bytes that a terminal in raw mode sends.
///
/// It takes any bytes: invalid ones and sequences that it does not know are dropped, and an unfinished one is
/// dropped when nothing more comes. It holds at most [`LONGEST`] bytes.
#[derive(Debug, Default)]
pub(super) struct InputParser {
    pending: Vec<u8>,
}

/// The most bytes of a sequence; a mouse report has fewer than 24.
const LONGEST: usize = 64;

const ESCAPE: u8 = 0x1b;

enum Parsed {
    /// An event, and the number of its bytes.
    Event(Input, usize),
    /// The number of bytes that mean nothing here.
    Skip(usize),
    Unfinished,
}

impl InputParser {
    /// Takes bytes, and passes the events that are complete to `handle`.
    pub(super) fn push(&mut self, bytes: &[u8], handle: &mut dyn FnMut(Input)) {
        for byte in bytes {
            self.pending.push(*byte);
            self.advance(handle);
        }
    }

    /// Ends a sequence whose rest does not come: `ESC` alone is the key, all else is dropped.
    pub(super) fn end_sequence(&mut self, handle: &mut dyn FnMut(Input)) {
        if self.pending == [ESCAPE] {
            handle(Input::Key(KeyEvent::from(KeyCode::Esc)));
        }
        self.pending.clear();
    }

    fn advance(&mut self, handle: &mut dyn FnMut(Input)) {
        while !self.pending.is_empty() {
            let used = match parse(&self.pending) {
                Parsed::Event(input, used) => {
                    handle(input);
                    used
                }
                Parsed::Skip(used) => used,
                Parsed::Unfinished if self.pending.len() >= LONGEST => self.pending.len(),
                Parsed::Unfinished => return,
            };
            self.pending.drain(..used);
        }
    }
}

/// Parses the first event of `bytes`, of which there is at least one.
fn parse(bytes: &[u8]) -> Parsed {
    let key = |code, used| Parsed::Event(Input::Key(KeyEvent::from(code)), used);
    match bytes[0] {
        ESCAPE => parse_escape(bytes),
        b'\r' | b'\n' => key(KeyCode::Enter, 1),
        b'\t' => key(KeyCode::Tab, 1),
        byte @ 0x01..=0x1a => {
            let letter = KeyCode::Char(char::from(byte - 1 + b'a'));
            Parsed::Event(Input::Key(KeyEvent::new(letter, KeyModifiers::CONTROL)), 1)
        }
        byte @ b' '..=b'~' => key(KeyCode::Char(char::from(byte)), 1),
        0x80.. => parse_utf8(bytes),
        _ => Parsed::Skip(1),
    }
}

fn parse_utf8(bytes: &[u8]) -> Parsed {
    match std::str::from_utf8(bytes) {
        Ok(text) => match text.chars().next() {
            Some(c) => Parsed::Event(Input::Key(KeyEvent::from(KeyCode::Char(c))), c.len_utf8()),
            None => Parsed::Skip(bytes.len()),
        },
        Err(error) if error.error_len().is_none() => Parsed::Unfinished,
        Err(_) => Parsed::Skip(1),
    }
}

fn parse_escape(bytes: &[u8]) -> Parsed {
    let key = |code, used| Parsed::Event(Input::Key(KeyEvent::from(code)), used);
    match bytes.get(1) {
        None => Parsed::Unfinished,
        Some(b'[') => parse_csi(bytes),
        Some(b'O') => match bytes.get(2) {
            None => Parsed::Unfinished,
            Some(byte) => arrow(*byte).map_or(Parsed::Skip(3), |code| key(code, 3)),
        },
        // Alt and a key sends `ESC` and the key.
        Some(b' '..=b'~') => key(KeyCode::Char(char::from(bytes[1])), 2),
        Some(_) => key(KeyCode::Esc, 1),
    }
}

/// Parses `ESC [`, parameters and a final byte (ECMA-48, control sequences).
fn parse_csi(bytes: &[u8]) -> Parsed {
    let parameters = bytes[2..].iter().take_while(|byte| (0x20..=0x3f).contains(*byte)).count();
    let Some(last) = bytes.get(2 + parameters) else { return Parsed::Unfinished };
    let (parameters, used) = (&bytes[2..2 + parameters], 3 + parameters);
    match last {
        b'M' if parameters.is_empty() && bytes.len() < used + 3 => Parsed::Unfinished,
        // A mouse report of old: three bytes of any value follow.
        b'M' if parameters.is_empty() => Parsed::Skip(used + 3),
        b'M' | b'm' => match parse_mouse(parameters, *last == b'M') {
            Some(event) => Parsed::Event(Input::Mouse(event), used),
            None => Parsed::Skip(used),
        },
        b'Z' => Parsed::Event(Input::Key(KeyEvent::from(KeyCode::BackTab)), used),
        0x40..=0x7e => match arrow(*last) {
            Some(code) => Parsed::Event(Input::Key(KeyEvent::from(code)), used),
            None => Parsed::Skip(used),
        },
        // The sequence is cut off, and this byte begins something else.
        _ => Parsed::Skip(used - 1),
    }
}

fn arrow(last: u8) -> Option<KeyCode> {
    match last {
        b'A' => Some(KeyCode::Up),
        b'B' => Some(KeyCode::Down),
        b'C' => Some(KeyCode::Right),
        b'D' => Some(KeyCode::Left),
        _ => None,
    }
}

/// Parses `<button;column;row` of a mouse report (SGR 1006); none where a number is out of range.
fn parse_mouse(parameters: &[u8], pressed: bool) -> Option<MouseEvent> {
    let text = std::str::from_utf8(parameters).ok()?.strip_prefix('<')?;
    let mut numbers = text.split(';').map(|number| number.parse::<u16>().ok());
    let (button, column, row) = (numbers.next()??, numbers.next()??, numbers.next()??);
    if numbers.next().is_some() {
        return None;
    }
    // Without the bits of shift, alt and control.
    let kind = match (button & !0b1_1100, pressed) {
        (0, true) => MouseEventKind::Down(MouseButton::Left),
        (64, true) => MouseEventKind::ScrollUp,
        (65, true) => MouseEventKind::ScrollDown,
        _ => return None,
    };
    let (column, row) = (column.checked_sub(1)?, row.checked_sub(1)?);
    Some(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs(bytes: &[u8]) -> Vec<Input> {
        let (mut parser, mut found) = (InputParser::default(), Vec::new());
        parser.push(bytes, &mut |input| found.push(input));
        parser.end_sequence(&mut |input| found.push(input));
        found
    }

    fn keys(bytes: &[u8]) -> Vec<KeyCode> {
        let code = |input| match input {
            Input::Key(key) => key.code,
            Input::Mouse(mouse) => panic!("a key, not {mouse:?}"),
        };
        inputs(bytes).into_iter().map(code).collect()
    }

    #[test]
    fn keys_are_read() {
        use KeyCode::{BackTab, Char, Down, Enter, Esc, Left, Right, Tab, Up};
        assert_eq!(keys(b"\x1b[A\x1bOB\x1b[1;5C\x1b[D"), [Up, Down, Right, Left]);
        assert_eq!(keys(b"q\r\t\x1b[Z\x1b"), [Char('q'), Enter, Tab, BackTab, Esc]);
        assert_eq!(keys("\u{e9}\u{20ac}".as_bytes()), [Char('\u{e9}'), Char('\u{20ac}')]);
        let control_c = KeyEvent::new(Char('c'), KeyModifiers::CONTROL);
        assert_eq!(inputs(b"\x03"), [Input::Key(control_c)]);
    }

    #[test]
    fn the_mouse_is_read() {
        let event =
            |kind, column, row| Input::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE });
        let left = MouseEventKind::Down(MouseButton::Left);
        assert_eq!(inputs(b"\x1b[<0;12;3M\x1b[<0;12;3m"), [event(left, 11, 2)]);
        let wheel = [event(MouseEventKind::ScrollUp, 0, 0), event(MouseEventKind::ScrollDown, 0, 0)];
        assert_eq!(inputs(b"\x1b[<64;1;1M\x1b[<65;1;1M"), wheel);
    }

    /// The key after each of them is read.
    #[test]
    fn bytes_that_mean_nothing_are_dropped() {
        let sequences: [&[u8]; 10] = [
            b"\xff\xfe",
            b"\x1b[200~",
            b"\x1b[<0;99999999999;1M",
            b"\x1b[<0;0;0M",
            b"\x1b[<0;1;1;1M",
            b"\x1b[<;;M",
            b"\x1b[M\xff\xff\xff",
            b"\xc3\x28\x00",
            b"\x1b[12\x1b[99999999999999999999999999999999999u",
            b"\x1bO~",
        ];
        for sequence in sequences {
            let found = keys(&[sequence, b"q"].concat());
            assert_eq!(found.last(), Some(&KeyCode::Char('q')), "{sequence:x?}");
        }
    }

    #[test]
    fn an_unfinished_sequence_ends_with_time_or_length() {
        for sequence in [&b"\x1b[<0;1"[..], b"\x1b[M\x01", b"\xe2\x82", b"\x1bO"] {
            assert_eq!(keys(sequence), [], "{sequence:x?}");
        }
        let mut parser = InputParser::default();
        let mut found = 0;
        parser.push(b"\x1b[", &mut |_| found += 1);
        parser.push(&[b'0'; 1 << 16], &mut |_| found += 1);
        assert!(parser.pending.len() < LONGEST, "{}", parser.pending.len());
    }
}
