//! Rust source without what is not code.

use crate::words::is_word;

/// Returns the text with comments, strings and character literals blanked, line by line as it was.
pub fn code(text: &str) -> String {
    let mut rest = text;
    let mut code = String::with_capacity(text.len());
    let mut previous = ' ';
    while let Some(first) = rest.chars().next() {
        let length = skipped(rest, previous);
        if length == 0 {
            code.push(first);
            previous = first;
            rest = &rest[first.len_utf8()..];
        } else {
            let (blanked, left) = rest.split_at(length);
            code.extend(blanked.chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
            previous = ' ';
            rest = left;
        }
    }
    code
}

/// How many bytes from the start are a comment or a literal; 0 for code.
fn skipped(rest: &str, previous: char) -> usize {
    let bytes = rest.as_bytes();
    match bytes[0] {
        b'/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
        b'/' if rest.starts_with("/*") => block_comment(rest),
        b'"' => string(rest),
        b'r' if !is_word(previous) => raw_string(rest),
        b'\'' => character(rest),
        _ => 0,
    }
}

fn block_comment(rest: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        let here = &rest.as_bytes()[at..];
        if here.starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if here.starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    rest.len()
}

fn string(rest: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in rest.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

fn raw_string(rest: &str) -> usize {
    let hashes = rest[1..].bytes().take_while(|byte| *byte == b'#').count();
    let Some(body) = rest[1 + hashes..].strip_prefix('"') else { return 0 };
    let end = format!("\"{}", "#".repeat(hashes));
    body.find(&end).map_or(rest.len(), |at| 2 + hashes + at + end.len())
}

/// `'x'` and `'\n'`, but not the lifetime `'a`.
fn character(rest: &str) -> usize {
    let mut chars = rest.char_indices().skip(1);
    match chars.next() {
        Some((_, '\\')) => {
            rest[2..].char_indices().skip(1).find(|(_, c)| *c == '\'').map_or(0, |(at, _)| at + 3)
        }
        Some(_) => chars.next().filter(|(_, c)| *c == '\'').map_or(0, |(at, _)| at + 1),
        None => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::code;

    #[test]
    fn comments_and_literals_are_blanked_and_lines_stay() {
        let text = "let a = \"x // \\\" y\"; // fn b\n/* one /* two */\n */ let c = 'd'; fn e<'a>() {}";
        let code = code(text);
        assert_eq!(code.lines().count(), 3);
        assert!(code.contains("let a =") && code.contains("; "));
        assert!(code.contains("let c =") && code.contains("fn e<'a>() {}"));
        assert!(!code.contains("fn b") && !code.contains("two") && !code.contains('d'));
    }

    #[test]
    fn raw_strings_end_at_their_own_hashes() {
        assert_eq!(code("r#\"a \" b\"# c").trim(), "c");
        assert_eq!(code("'\\'' d").trim(), "d");
        assert_eq!(code("for b"), "for b");
    }
}
