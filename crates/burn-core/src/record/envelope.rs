//! Envelope of a saved record: name and version of the format, and a checksum.

use super::Node;
use super::checksum::checksum;
use crate::tensor::DType;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Version of the tree, in every format.
const VERSION: u64 = 1;
const FORMAT: &str = "burn-record";
/// The field with the checksums of the blocks of a file.
pub const BLOCKS: &str = "blocks";

/// Wraps `item` in the tree that is written. Formats without a checksum of their own carry one in the tree.
pub fn wrap(item: Node, with_checksum: bool) -> Node {
    let metadata = Node::Map(fields([("format", text(FORMAT)), ("version", Node::UInt(VERSION))]));
    let tree = Node::Map(fields([("metadata", metadata), ("item", item)]));
    if !with_checksum {
        return tree;
    }
    let checksum = Node::UInt(checksum(&tree).into());
    match tree {
        Node::Map(mut fields) => {
            fields.push(("checksum".to_string(), checksum));
            Node::Map(fields)
        }
        other => other,
    }
}

/// Unwraps the item of a tree that was read. Checksums of blocks cover the bytes of the file; older files
/// have none.
pub fn unwrap(tree: Node, with_checksum: bool, with_blocks: bool) -> Result<Node, String> {
    // Versions before ours are texts, such as "0.13.2", where we have the number of the layout.
    if let Some(Node::Text(version)) = tree.get("metadata").and_then(|metadata| metadata.get("version")) {
        return Err(older(version));
    }
    let Node::Map(mut fields) = tree else {
        return Err(FOREIGN.to_string());
    };
    if with_blocks {
        fields.pop_if(|(key, blocks)| key == BLOCKS && matches!(blocks, Node::Bytes(_)));
    }
    if with_checksum {
        let checksum = match fields.pop_if(|(key, _)| key == "checksum") {
            Some((_, Node::UInt(checksum))) => checksum,
            _ => return Err(FOREIGN.to_string()),
        };
        let tree = Node::Map(fields);
        if u64::from(self::checksum(&tree)) != checksum {
            return Err("the checksum is wrong: the file is damaged".to_string());
        }
        let Node::Map(inner) = tree else { unreachable!("made above") };
        fields = inner;
    }
    let [(metadata_key, metadata), (item_key, item)] =
        <[(String, Node); 2]>::try_from(fields).map_err(|_| FOREIGN.to_string())?;
    if metadata_key != "metadata" || item_key != "item" || metadata.get("format") != Some(&text(FORMAT)) {
        return Err(FOREIGN.to_string());
    }
    match metadata.get("version") {
        Some(Node::UInt(VERSION)) => Ok(item),
        Some(Node::UInt(newer)) => {
            Err(format!("the record is of version {newer}, and this program reads version {VERSION}"))
        }
        _ => Err(FOREIGN.to_string()),
    }
}

const FOREIGN: &str = "not a record of this layout: perhaps one from before 0.14, which is not read with the feature \
                       `record-backward-compat` either, or a file of another program";

fn older(version: &str) -> String {
    format!(
        "the record has the older layout of version {version}, which is unknown; expected layout {VERSION}. The feature \
         `record-backward-compat` does not read it either: load it with the version that wrote it, and save the \
         numbers of its tensors"
    )
}

fn text(text: &str) -> Node {
    Node::Text(text.to_string())
}

fn fields<const N: usize>(fields: [(&str, Node); N]) -> Vec<(String, Node)> {
    fields.into_iter().map(|(key, node)| (key.to_string(), node)).collect()
}

/// Returns the element type named `name`.
pub fn dtype(name: &str) -> Result<DType, String> {
    DType::ALL.into_iter().find(|dtype| dtype.name() == name).ok_or_else(|| format!("unknown dtype `{name}`"))
}
