use crate::byte_reader::ByteReader;

/// Strings and counts of the head of a GGUF file.
impl ByteReader<'_> {
    /// Returns the number of unread bytes.
    pub fn left(&self) -> u64 {
        self.rest().len() as u64
    }

    /// Reads a string after its length.
    pub fn string(&mut self) -> Result<String, String> {
        let length = self.u64()?;
        let bytes = self.bytes(length)?;
        // Vocabularies have pieces of characters.
        Ok(String::from_utf8_lossy(bytes).into_owned())
    }

    /// Reads a number of items, each of which takes at least `size` bytes.
    pub fn count(&mut self, size: u64, what: &str) -> Result<usize, String> {
        let count = self.u64()?;
        if count.checked_mul(size).is_none_or(|bytes| bytes > self.left()) {
            return Err(format!("{count} {what} do not fit the {} bytes that are left", self.left()));
        }
        usize::try_from(count).map_err(|error| error.to_string())
    }
}
