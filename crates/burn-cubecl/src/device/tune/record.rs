//! Text format of measurements: a line for each key.

/// Version of the candidates' names and of the file format. Each version has a folder of its own.
pub const VERSION: &str = "1";

/// Maximum records of a file: the most recent ones are kept.
const MOST: usize = 4096;

/// The candidate that won for a key, and nanoseconds of a call in the median: its own and those of the one
/// that the model advised, if that one could compute the call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    pub key: String,
    pub winner: String,
    pub nanos: u64,
    pub advised: Option<(String, u64)>,
}

/// The records of a device, the oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Records(Vec<Record>);

impl Records {
    pub fn find(&self, key: &str) -> Option<&Record> {
        self.0.iter().rfind(|record| record.key == key)
    }

    /// Adds what was measured since, in place of what is there of the same keys.
    pub fn merge(&mut self, newer: &[Record]) {
        self.0.retain(|record| newer.iter().all(|new| new.key != record.key));
        self.0.extend_from_slice(newer);
        self.0.drain(..self.0.len().saturating_sub(MOST));
    }

    fn title(device: &str) -> String {
        format!("burn autotune {VERSION}\t{device}")
    }

    pub fn to_text(&self, device: &str) -> String {
        let mut text = Self::title(device) + "\n";
        for Record { key, winner, nanos, advised } in &self.0 {
            let (name, time) = match advised {
                Some((name, nanos)) => (name.as_str(), nanos.to_string()),
                None => ("-", "-".to_string()),
            };
            text.push_str(&format!("{key}\t{winner}\t{nanos}\t{name}\t{time}\n"));
        }
        text
    }

    /// Parses a file: the records that are valid, and the problem of the others.
    pub fn from_text(text: &str, device: &str) -> (Self, Option<&'static str>) {
        let Some(lines) = text.strip_prefix(&Self::title(device)).and_then(|rest| rest.strip_prefix('\n'))
        else {
            return (Records::default(), Some("it is of something else"));
        };
        let mut records = Records::default();
        let mut wrong = None;
        for line in lines.split_inclusive('\n') {
            match record(line) {
                Some(record) => records.0.push(record),
                None => wrong = Some("lines in it are damaged"),
            }
        }
        records.0.drain(..records.0.len().saturating_sub(MOST));
        (records, wrong)
    }
}

/// A line with its end: without it the last number may be a part of one.
fn record(line: &str) -> Option<Record> {
    let fields: Vec<&str> = line.strip_suffix('\n')?.split('\t').collect();
    let &[key, winner, nanos, advised, time] = fields.as_slice() else { return None };
    let advised = match (advised, time) {
        ("-", "-") => None,
        (name, time) => Some((name.to_string(), time.parse().ok()?)),
    };
    let is_named = !key.is_empty() && !winner.is_empty();
    is_named.then_some(Record {
        key: key.to_string(),
        winner: winner.to_string(),
        nanos: nanos.parse().ok()?,
        advised,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(key: &str, nanos: u64) -> Record {
        let advised = (nanos % 2 == 0).then(|| ("64x64x16".to_string(), 2 * nanos));
        Record { key: key.into(), winner: "plain".into(), nanos, advised }
    }

    #[test]
    fn what_is_written_is_read() {
        let mut records = Records::default();
        records.merge(&[of("matmul f32 rows-rows 1 2 3 4", 12), of("b", 7)]);
        let text = records.to_text("cuda H");
        assert_eq!(
            text,
            "burn autotune 1\tcuda H\nmatmul f32 rows-rows 1 2 3 4\tplain\t12\t64x64x16\t24\nb\tplain\t7\t-\t-\n"
        );
        assert_eq!(Records::from_text(&text, "cuda H"), (records, None));
    }

    #[test]
    fn newer_records_replace_older_ones_and_the_oldest_leave() {
        let mut records = Records::default();
        records.merge(&(0..MOST).map(|k| of(&k.to_string(), 1)).collect::<Vec<_>>());
        records.merge(&[of("0", 2), of("new", 3)]);
        assert_eq!(records.0.len(), MOST);
        assert_eq!(records.find("0").map(|record| record.nanos), Some(2));
        assert_eq!((records.find("1"), records.find("2").is_some()), (None, true));
    }

    #[test]
    fn a_file_of_something_else_is_nothing() {
        let mut records = Records::default();
        records.merge(&[of("a", 1)]);
        let text = records.to_text("cuda H");
        for (text, device) in [(text.as_str(), "cuda I"), ("", "cuda H"), ("\u{0}\u{1}\n\n\t\t", "cuda H")] {
            let (found, wrong) = Records::from_text(text, device);
            assert_eq!((found, wrong.is_some()), (Records::default(), true), "{text:?}");
        }
    }

    #[test]
    fn of_a_damaged_file_whole_lines_are_read() {
        let mut records = Records::default();
        records.merge(&[of("a", 10), of("b", 11), of("c", 12)]);
        let text = records.to_text("d");
        for end in 0..text.len() {
            let (found, wrong) = Records::from_text(&text[..end], "d");
            assert!(found.0.iter().zip(&records.0).all(|(found, own)| found == own), "{end}");
            let is_whole = text[..end].ends_with('\n');
            assert_eq!(wrong.is_none(), is_whole, "{end}");
        }
        let garbage = text.replace("11", "eleven").replace("\ta", "a");
        let (found, wrong) = Records::from_text(&garbage, "d");
        assert_eq!((found.0.len(), wrong.is_some()), (2, true));
    }
}
