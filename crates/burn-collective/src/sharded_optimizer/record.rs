//! Records of optimizers by parameter: parts of them, and several as one.
//!
//! The record of every optimizer has the state of a parameter under the identifier of that parameter.

use burn_core::record::Node;
use std::collections::BTreeMap;

/// Gives states other identifiers; those of `None` are left out.
pub fn rename(node: Node, ids: &BTreeMap<String, Option<String>>) -> Node {
    let Node::Map(entries) = node else { return node };
    let renamed = entries.into_iter().filter_map(|(key, node)| match ids.get(&key) {
        Some(Some(id)) => Some((id.clone(), node)),
        Some(None) => None,
        None => Some((key, rename(node, ids))),
    });
    Node::Map(renamed.collect())
}

/// Puts the states of two records together. Where both have one, it is that of the first.
pub fn merge(first: Node, second: Node) -> Node {
    match (first, second) {
        (Node::Null, other) => other,
        (Node::Map(mut entries), Node::Map(others)) => {
            for (key, node) in others {
                match entries.iter_mut().find(|(name, _)| *name == key) {
                    Some((_, own)) => *own = merge(core::mem::take(own), node),
                    None => entries.push((key, node)),
                }
            }
            Node::Map(entries)
        }
        (first, _) => first,
    }
}

#[cfg(test)]
mod tests {
    use super::{merge, rename};
    use burn_core::record::Node;
    use std::collections::BTreeMap;

    fn map(entries: &[(&str, Node)]) -> Node {
        Node::Map(entries.iter().map(|(key, node)| (key.to_string(), node.clone())).collect())
    }

    #[test]
    fn records_are_merged_and_renamed_by_parameter() {
        let state = |steps: u64| map(&[("steps", Node::UInt(steps))]);
        let first = map(&[("group", map(&[("a", state(1))])), ("other", Node::Null)]);
        let second =
            map(&[("group", map(&[("a", state(9)), ("b", state(2))])), ("other", map(&[("c", state(3))]))]);
        let both = merge(first, second);
        let expected =
            map(&[("group", map(&[("a", state(1)), ("b", state(2))])), ("other", map(&[("c", state(3))]))]);
        assert_eq!(both, expected);
        let ids = [("a", Some("x")), ("c", None)];
        let ids: BTreeMap<String, Option<String>> =
            ids.map(|(key, id)| (key.to_string(), id.map(str::to_string))).into();
        let expected = map(&[("group", map(&[("x", state(1)), ("b", state(2))])), ("other", map(&[]))]);
        assert_eq!(rename(both, &ids), expected);
    }
}
