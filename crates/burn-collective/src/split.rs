use crate::CollectiveError;
use crate::frame::CallFields;
use crate::group::Group;
use std::collections::BTreeMap;

impl Group {
    /// Makes a group of the ranks with each color; `None` for a rank without a color.
    pub fn split(&self, color: Option<u64>, key: i64) -> Result<Option<Group>, CollectiveError> {
        self.call("split", Ok(CallFields::new("split")), |call| {
            let mut bytes = vec![u8::from(color.is_some())];
            bytes.extend(color.unwrap_or(0).to_le_bytes());
            bytes.extend(key.to_le_bytes());
            let choices = call.gather_bytes(&bytes)?;
            let mut groups: BTreeMap<u64, Vec<(i64, usize)>> = BTreeMap::new();
            for (rank, bytes) in choices.iter().enumerate() {
                let Some((color, key)) = choice(bytes) else { continue };
                groups.entry(color).or_default().push((key, rank));
            }
            let mut members = Vec::new();
            let mut number = 0;
            for (index, (group_color, ranks)) in groups.iter_mut().enumerate() {
                ranks.sort_unstable();
                if color == Some(*group_color) {
                    members = ranks.iter().map(|(_, rank)| *rank).collect();
                    number = index;
                }
            }
            let engine = self.engine.split(&members, number).map_err(|error| self.error("split", error))?;
            Ok(engine.map(|engine| self.part(engine)))
        })
    }
}

/// Reads color and key of a rank that has a color.
fn choice(bytes: &[u8]) -> Option<(u64, i64)> {
    let (has_color, rest) = bytes.split_first()?;
    let (color, key) = rest.split_first_chunk()?;
    let key: [u8; 8] = key.try_into().ok()?;
    (*has_color == 1).then(|| (u64::from_le_bytes(*color), i64::from_le_bytes(key)))
}
