//! Memory budget of a decoded tree, beside the bytes that it holds.
//!
//! One byte of a file can be a value that takes the memory of a [`Node`], and a thousand of them one byte of
//! a gzip file. The bytes of tensors, texts and byte strings are as many in memory as in the file, so they
//! are not counted.

use super::Node;
use alloc::format;
use alloc::string::String;
use core::cell::Cell;

/// Bytes of overhead allowed, enough for 1.5 million numbers in lists, or a model of half a million tensors.
const OVERHEAD: usize = 128 << 20;

/// Error for saving lazily loaded weights that were not read.
const UNREAD: &str = "tensors of a file that were not read cannot be saved; load a record of them first";

/// Slots that a vector begins with.
const FIRST_SLOTS: usize = 4;

/// Bytes of overhead counted for each allocation beside its content.
const ALLOCATION: usize = 16;

/// Budget of memory that the rest of a tree may take.
#[derive(Debug)]
pub struct Budget {
    left: Cell<usize>,
}

impl Budget {
    pub fn new() -> Self {
        Budget { left: Cell::new(OVERHEAD) }
    }

    /// Pays for item `index` of a list.
    pub fn item(&self, index: usize) -> Result<(), String> {
        self.slot::<Node>(index)
    }

    /// Pays for field `index` of a map.
    pub fn field(&self, index: usize, key: &str) -> Result<(), String> {
        self.slot::<(String, Node)>(index)?;
        self.pay(key.len() + ALLOCATION)
    }

    /// Pays for a text or bytes, whose content is not counted.
    pub fn allocation(&self) -> Result<(), String> {
        self.pay(ALLOCATION)
    }

    /// Pays for dimension `index` of a shape.
    pub fn size(&self, index: usize) -> Result<(), String> {
        self.slot::<usize>(index)
    }

    fn slot<T>(&self, index: usize) -> Result<(), String> {
        match index {
            0 => self.pay(FIRST_SLOTS * size_of::<T>()),
            index if index < FIRST_SLOTS => Ok(()),
            _ => self.pay(size_of::<T>()),
        }
    }

    fn pay(&self, bytes: usize) -> Result<(), String> {
        let left = self.left.get().checked_sub(bytes).ok_or_else(|| {
            format!(
                "the record has too many values: they take more than {} MiB beside the content of tensors, texts and \
                 bytes. Numbers by the million belong in a tensor; a file that was not saved so is damaged or made to \
                 exhaust memory",
                OVERHEAD >> 20
            )
        })?;
        self.left.set(left);
        Ok(())
    }
}

/// Checks that `tree` may be saved, with the same limits as for loading.
pub fn check(tree: &Node) -> Result<(), String> {
    pay_for(tree, &Budget::new())
}

fn pay_for(node: &Node, budget: &Budget) -> Result<(), String> {
    match node {
        Node::Null | Node::Bool(_) | Node::Int(_) | Node::UInt(_) | Node::Float(_) => Ok(()),
        Node::Text(_) | Node::Bytes(_) => budget.allocation(),
        Node::Tensor(data) => (0..data.shape.rank()).try_for_each(|index| budget.size(index)),
        Node::List(items) => items.iter().enumerate().try_for_each(|(index, item)| {
            budget.item(index)?;
            pay_for(item, budget)
        }),
        Node::Map(fields) => fields.iter().enumerate().try_for_each(|(index, (key, value))| {
            budget.field(index, key)?;
            pay_for(value, budget)
        }),
        Node::Weights(_) => Err(UNREAD.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_may_have_a_million_numbers_and_not_sixty_four() {
        assert_eq!(check(&Node::List(vec![Node::UInt(1); 1_000_000])), Ok(()));
        let error = check(&Node::List(vec![Node::Null; 4 << 20])).unwrap_err();
        assert!(error.contains("too many values") && error.contains("128 MiB"), "{error}");
    }

    #[test]
    fn what_small_lists_reserve_is_counted() {
        let nested = vec![Node::List(vec![Node::Null]); 500_000];
        assert!(check(&Node::List(nested)).is_err());
    }
}
