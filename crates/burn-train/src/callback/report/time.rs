use std::time::{Duration, SystemTime};

/// Formats a time as `2026-11-27 16:05 UTC`.
pub(super) fn utc(time: SystemTime) -> String {
    let seconds = time.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (days, minutes) = (seconds / 86_400, seconds / 60 % 1440);
    let (year, month, day) = date(days);
    format!("{year}-{month:02}-{day:02} {:02}:{:02} UTC", minutes / 60, minutes % 60)
}

/// Returns the date of a day, counted from 1970-01-01 (the Gregorian calendar repeats every 146,097 days).
fn date(days: u64) -> (u64, u64, u64) {
    // Years begin in March here, so that the leap day is the last of its year.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + u64::from(month <= 2), month, day)
}

/// Formats a duration as `1 h 02 min 03 s`.
pub(super) fn duration(time: Duration) -> String {
    let seconds = time.as_secs();
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, _) => format!("{:.1} s", time.as_secs_f64()),
        (0, minutes, seconds) => format!("{minutes} min {seconds:02} s"),
        (hours, minutes, seconds) => format!("{hours} h {minutes:02} min {seconds:02} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `date -u -d @SECONDS`.
    #[test]
    fn dates_are_those_of_the_calendar() {
        let at = |seconds| utc(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(at(0), "1970-01-01 00:00 UTC");
        assert_eq!(at(951_782_340), "2000-02-28 23:59 UTC");
        assert_eq!(at(951_782_400), "2000-02-29 00:00 UTC");
        assert_eq!(at(1_704_067_199), "2023-12-31 23:59 UTC");
        assert_eq!(at(1_795_795_500), "2026-11-27 16:05 UTC");
        assert_eq!(at(4_107_542_400), "2100-03-01 00:00 UTC");
    }

    #[test]
    fn durations_are_short() {
        let text = |seconds: u64| duration(Duration::from_millis(seconds * 1000 + 250));
        assert_eq!([5, 65, 3723].map(text), ["5.2 s", "1 min 05 s", "1 h 02 min 03 s"]);
    }
}
