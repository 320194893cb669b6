/// Function of host numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    /// `a + b`.
    Add,
    /// `a - b`.
    Sub,
    /// `a * b`.
    Mul,
    /// `a / b`; of integers, toward zero.
    Div,
    /// Remainder with the sign of the divisor.
    Remainder,
    /// Remainder with the sign of the dividend.
    Fmod,
    /// The smaller number.
    Min,
    /// The larger number.
    Max,
    /// `a^b`.
    Pow,
    /// `-a`.
    Neg,
    /// `|a|`.
    Abs,
    /// Largest integer not above `a`.
    Floor,
    /// Smallest integer not below `a`.
    Ceil,
    /// Nearest integer, halves to the even one.
    Round,
    /// Square root.
    Sqrt,
    /// -1, 0 or 1.
    Sign,
    /// `a = b`.
    Equal,
    /// `a < b`.
    Less,
    /// `a <= b`.
    LessEqual,
    /// `a > b`.
    Greater,
    /// `a >= b`.
    GreaterEqual,
    /// Logical and.
    And,
    /// Logical or.
    Or,
    /// Exclusive or.
    Xor,
    /// The opposite.
    Not,
    /// `b` where `a` holds, else `c`.
    Where,
    /// The integer part.
    ToInt,
    /// Conversion to float.
    ToFloat,
    /// Whether it is not zero.
    ToBool,
}

impl Function {
    /// Returns the number of arguments.
    pub fn arity(self) -> usize {
        match self {
            Function::Neg
            | Function::Abs
            | Function::Floor
            | Function::Ceil
            | Function::Round
            | Function::Sqrt
            | Function::Sign
            | Function::Not
            | Function::ToInt
            | Function::ToFloat
            | Function::ToBool => 1,
            Function::Where => 3,
            _ => 2,
        }
    }
}
