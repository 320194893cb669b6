/// Reads the head of a file.
#[derive(Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    position: usize,
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Reader { bytes, position: 0 }
    }

    pub fn position(&self) -> u64 {
        self.position as u64
    }

    /// Returns the number of unread bytes.
    pub fn left(&self) -> u64 {
        (self.bytes.len() - self.position) as u64
    }

    pub fn bytes(&mut self, count: u64) -> Result<&'a [u8], String> {
        let end = usize::try_from(count).ok().and_then(|count| self.position.checked_add(count));
        let bytes = end.and_then(|end| self.bytes.get(self.position..end));
        let bytes = bytes
            .ok_or_else(|| format!("truncated: the file ends within {count} bytes at {}", self.position))?;
        self.position += bytes.len();
        Ok(bytes)
    }

    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], String> {
        let mut array = [0; N];
        array.copy_from_slice(self.bytes(N as u64)?);
        Ok(array)
    }

    pub fn u32(&mut self) -> Result<u32, String> {
        self.array().map(u32::from_le_bytes)
    }

    pub fn u64(&mut self) -> Result<u64, String> {
        self.array().map(u64::from_le_bytes)
    }

    pub fn text(&mut self) -> Result<String, String> {
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
