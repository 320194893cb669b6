//! The classes of PyTorch, from a file that the repository keeps.

use super::entry::Entry;
use repository::Outcome;
use std::collections::BTreeMap;

/// Names of classes, each with what Burn has instead where it has no class of the same meaning.
#[derive(Clone, Debug)]
pub(super) struct Torch<'a>(BTreeMap<&'a str, Option<&'a str>>);

impl<'a> Torch<'a> {
    /// Reads lines `torch.nn.Conv1d` and `torch.nn.ModuleList: Vec<M>`; `#` begins a comment.
    pub(super) fn read(text: &'a str) -> Outcome<Torch<'a>> {
        let mut names = BTreeMap::new();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (name, instead) = match line.split_once(": ") {
                Some((name, instead)) => (name, Some(instead)),
                None => (line, None),
            };
            if !name.starts_with("torch.") || names.insert(name, instead).is_some() {
                return Err(format!("the list of PyTorch's classes: `{line}` is no new name below `torch`"));
            }
        }
        Ok(Torch(names))
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().copied()
    }

    /// Returns the classes without a counterpart, with what to use instead.
    pub(super) fn replaced(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().filter_map(|(name, instead)| instead.map(|instead| (*name, instead)))
    }

    /// Returns what is wrong with the names in the documentation of `entry`: classes that PyTorch does not
    /// have.
    pub(super) fn unknown(&self, entry: &Entry) -> Vec<String> {
        let is_class = |name: &&String| {
            let (module, class) = name.rsplit_once('.').unwrap_or_default();
            self.0.keys().any(|known| known.rsplit_once('.').is_some_and(|(known, _)| known == module))
                && class.starts_with(|c: char| c.is_ascii_uppercase())
        };
        let names = entry.torch_names();
        let unknown = names.iter().filter(is_class).filter(|name| !self.0.contains_key(name.as_str()));
        unknown.map(|name| format!("{}: `{}`: PyTorch has no `{name}`", entry.file, entry.name)).collect()
    }

    /// Returns the classes that have a counterpart and a line that says what to use instead.
    pub(super) fn outdated(&self, entries: &[Entry]) -> Vec<String> {
        let with_counterpart: Vec<String> = entries.iter().flat_map(Entry::torch_names).collect();
        let outdated = self.replaced().filter(|(name, _)| with_counterpart.iter().any(|known| known == name));
        outdated
            .map(|(name, _)| {
                format!("the list of PyTorch's classes: `{name}` has a counterpart; leave out what stands after it")
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_pytorch_lacks_and_lines_that_are_outdated_are_found() {
        let torch = Torch::read("# classes\ntorch.nn.GRU: the layer\n\ntorch.nn.LSTM\n").unwrap();
        let entry = |docs: &str| Entry::new("gru.rs".into(), "nn/gru".into(), "Gru".into(), docs);
        assert_eq!(
            torch.unknown(&entry("PyTorch: `torch.nn.Gru`.")),
            ["gru.rs: `Gru`: PyTorch has no `torch.nn.Gru`"]
        );
        assert_eq!(torch.unknown(&entry("PyTorch: `torch.nn.utils.X` of `torch.nn.LSTM`.")), [""; 0]);
        let outdated = torch.outdated(&[entry("PyTorch: `torch.nn.GRU`.")]);
        assert!(outdated.len() == 1 && outdated[0].contains("`torch.nn.GRU`"), "{outdated:?}");
        assert!(Torch::read("nn.GRU").is_err() && Torch::read("torch.nn.A\ntorch.nn.A").is_err());
    }
}
