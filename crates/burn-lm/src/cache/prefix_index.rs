use std::collections::HashMap;

/// Pages by the tokens in them and before them, so that a sequence with the same beginning takes them.
///
/// A node is a full page after a certain beginning; its number is never used again, so a child whose parent
/// was removed cannot be found any more.
#[derive(Clone, Debug, Default)]
pub struct PrefixIndex {
    nodes: HashMap<(u64, Box<[u32]>), Node>,
    /// The key of each page that is a node.
    keys: HashMap<usize, (u64, Box<[u32]>)>,
    last_id: u64,
}

#[derive(Clone, Copy, Debug)]
pub struct Node {
    pub id: u64,
    pub page: usize,
}

/// The node before the first page.
pub const ROOT: u64 = 0;

impl PrefixIndex {
    /// The node of the page with `tokens` after `parent`.
    pub fn find(&self, parent: u64, tokens: &[u32]) -> Option<Node> {
        self.nodes.get(&(parent, tokens.into())).copied()
    }

    /// Adds `page` with `tokens` after `parent`, unless there is one already, and returns the node.
    pub fn insert(&mut self, parent: u64, tokens: &[u32], page: usize) -> Node {
        let key = (parent, Box::from(tokens));
        if let Some(node) = self.nodes.get(&key) {
            return *node;
        }
        self.last_id += 1;
        let node = Node { id: self.last_id, page };
        self.nodes.insert(key.clone(), node);
        self.keys.insert(page, key);
        node
    }

    pub fn contains(&self, page: usize) -> bool {
        self.keys.contains_key(&page)
    }

    pub fn remove(&mut self, page: usize) {
        if let Some(key) = self.keys.remove(&page) {
            self.nodes.remove(&key);
        }
    }
}
