use super::Program;
use core::fmt;

/// Bytes of one line; a longer one is no program.
const LONGEST: usize = 1 << 20;

/// A line that is no program.
#[derive(Clone, PartialEq, Eq)]
pub struct ProgramError {
    /// From 1.
    pub line: usize,
    pub cause: String,
}

burn_backend::debug_as_display!(ProgramError);

impl std::error::Error for ProgramError {}

impl fmt::Display for ProgramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.cause)
    }
}

/// The programs of `text`, one a line.
///
/// # Errors
/// The first line that is no program.
pub fn read(text: &str) -> Result<Vec<Program>, ProgramError> {
    let parse = |(number, line): (usize, &str)| {
        let program = if line.len() > LONGEST { Err("is too long".into()) } else { Program::parse(line) };
        program.map_err(|cause| ProgramError { line: number + 1, cause })
    };
    text.lines().enumerate().map(parse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(line: &str) -> String {
        read(line).unwrap_err().to_string()
    }

    #[test]
    fn a_line_that_is_no_program_is_an_error() {
        let program = |calls: &str| {
            format!(r#"{{"name":"p","leaves":[["F64",[2],[1,"nan"]]],"calls":[{calls}],"results":[]}}"#)
        };
        assert_eq!(read(&program("")).map(|programs| programs.len()), Ok(1));
        assert!(refused("{").starts_with("line 1: EOF"));
        assert!(
            refused(&program("").replace("[2]", "[3]")).contains("2 values are not a tensor of shape [3]")
        );
        assert!(refused(&program("").replace("F64", "I64")).contains("a value is no i64"));
        assert!(refused(&program("").replace("[2]", "[4294967296,4294967296]")).contains("not a tensor"));
        assert!(refused(&program(r#"{"Unary":{"op":"Neg","x":1}}"#)).contains("call 0, neg: an operand"));
        assert!(refused(&program(r#"{"Cat":{"xs":[],"dim":0}}"#)).contains("call 0, cat: an operand"));
        assert!(refused(&program(r#"{"Unary":{"op":"Not","x":0}}"#)).contains("needs a int or bool tensor"));
        assert!(
            refused(&program(r#"{"Unary":{"op":"Neg","x":0}}"#)).contains("0 results of calls that have 1")
        );
        assert!(refused(&"x".repeat(LONGEST + 1)).contains("too long"));
    }
}
