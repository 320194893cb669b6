//! Unit of a figure.

/// Time of a call, or memory of a process.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Unit {
    Nanoseconds,
    Bytes,
}

impl Unit {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Unit::Nanoseconds => "ns",
            Unit::Bytes => "bytes",
        }
    }

    pub(super) fn named(name: &str) -> Option<Self> {
        [Unit::Nanoseconds, Unit::Bytes].into_iter().find(|unit| unit.name() == name)
    }

    /// Three digits and the unit that fits.
    pub(super) fn show(self, figure: f64) -> String {
        match self {
            Unit::Bytes => format!("{:.0} MiB", figure / 1024.0 / 1024.0),
            Unit::Nanoseconds => match figure {
                n if n < 1e3 => format!("{n:.0} ns"),
                n if n < 1e6 => format!("{} us", three_digits(n / 1e3)),
                n if n < 1e9 => format!("{} ms", three_digits(n / 1e6)),
                n => format!("{} s", three_digits(n / 1e9)),
            },
        }
    }
}

fn three_digits(figure: f64) -> String {
    let decimals = if figure < 10.0 { 2 } else { usize::from(figure < 100.0) };
    format!("{figure:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::Unit;

    #[test]
    fn figures_have_three_digits() {
        let times = [640.0, 1_234.0, 56_780.0, 123_400_000.0, 2e9].map(|time| Unit::Nanoseconds.show(time));
        assert_eq!(times, ["640 ns", "1.23 us", "56.8 us", "123 ms", "2.00 s"]);
        assert_eq!(Unit::Bytes.show(64.0 * 1024.0 * 1024.0), "64 MiB");
    }
}
