use core::fmt::{Display, Formatter, Result};

/// Path of a value in a record: `conv1.weight`, `layers.0.bias`.
#[derive(Clone, Copy, Debug)]
pub struct KeyPath<'a> {
    parent: Option<&'a KeyPath<'a>>,
    key: Key<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Key<'a> {
    Root,
    Name(&'a str),
    Index(usize),
}

impl KeyPath<'static> {
    /// The whole record.
    pub const ROOT: KeyPath<'static> = KeyPath { parent: None, key: Key::Root };
}

impl KeyPath<'_> {
    /// Returns the path of the field `name`.
    pub fn key<'a>(&'a self, name: &'a str) -> KeyPath<'a> {
        KeyPath { parent: Some(self), key: Key::Name(name) }
    }

    /// Returns the path of the item `index`.
    pub fn index(&self, index: usize) -> KeyPath<'_> {
        KeyPath { parent: Some(self), key: Key::Index(index) }
    }
}

impl Display for KeyPath<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        if let Some(parent) = self.parent
            && !matches!(parent.key, Key::Root)
        {
            write!(f, "{parent}.")?;
        }
        match self.key {
            Key::Root => f.write_str("the record"),
            Key::Name(name) => f.write_str(name),
            Key::Index(index) => write!(f, "{index}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::KeyPath;
    use alloc::string::ToString;

    #[test]
    fn path_joins_keys_with_dots() {
        let (root, layers) = (KeyPath::ROOT, KeyPath::ROOT.key("layers"));
        let (item, weight) = (layers.index(3), "weight");
        assert_eq!(item.key(weight).to_string(), "layers.3.weight");
        assert_eq!(root.to_string(), "the record");
    }
}
