/// Looks for stop strings in a text that comes in parts, and holds back what may be the beginning of one.
#[derive(Clone, Debug)]
pub struct StopStrings {
    stop: Vec<String>,
    held: String,
}

impl StopStrings {
    pub fn new(stop: Vec<String>) -> Self {
        StopStrings { stop: stop.into_iter().filter(|text| !text.is_empty()).collect(), held: String::new() }
    }

    /// Adds text, and returns what can be given away and whether a stop string was found.
    pub fn push(&mut self, text: &str) -> (String, bool) {
        if self.stop.is_empty() {
            return (text.to_string(), false);
        }
        self.held.push_str(text);
        if let Some(start) = self.stop.iter().filter_map(|stop| self.held.find(stop.as_str())).min() {
            self.held.truncate(start);
            return (std::mem::take(&mut self.held), true);
        }
        let begins = |start: &usize| {
            let rest = &self.held[*start..];
            self.stop.iter().any(|stop| stop.starts_with(rest))
        };
        let starts = self.held.char_indices().map(|(start, _)| start);
        let keep = starts.into_iter().find(begins).unwrap_or(self.held.len());
        let rest = self.held.split_off(keep);
        (std::mem::replace(&mut self.held, rest), false)
    }

    /// Returns the text that was held back because it could begin a stop string.
    pub fn finish(&mut self) -> String {
        std::mem::take(&mut self.held)
    }
}

#[cfg(test)]
mod tests {
    use super::StopStrings;

    #[test]
    fn stop_strings_are_found_across_parts() {
        let mut stop = StopStrings::new(vec!["END".into(), "\n\n".into(), String::new()]);
        assert_eq!(stop.push("a E"), ("a ".to_string(), false));
        assert_eq!(stop.push("N"), (String::new(), false));
        assert_eq!(stop.push("x\n"), ("ENx".to_string(), false));
        assert_eq!(stop.push("y\n\nEND"), ("\ny".to_string(), true));
        assert_eq!(stop.push("é EN"), ("é ".to_string(), false));
        assert_eq!(stop.finish(), "EN");
    }
}
