/// Reads numbers from bytes, one after another.
#[derive(Debug)]
pub struct ByteReader<'a> {
    /// Noun of an error: what the bytes are.
    name: &'static str,
    bytes: &'a [u8],
    position: usize,
}

impl<'a> ByteReader<'a> {
    pub fn new(name: &'static str, bytes: &'a [u8]) -> Self {
        ByteReader { name, bytes, position: 0 }
    }

    /// Returns the number of bytes read.
    pub fn position(&self) -> usize {
        self.position
    }

    /// Returns the unread bytes.
    pub fn rest(&self) -> &'a [u8] {
        &self.bytes[self.position..]
    }

    pub fn bytes(&mut self, count: u64) -> Result<&'a [u8], String> {
        let bytes = usize::try_from(count).ok().and_then(|count| self.rest().get(..count));
        let (name, at) = (self.name, self.position);
        let bytes =
            bytes.ok_or_else(|| format!("truncated: the {name} ends within {count} bytes at {at}"))?;
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
}
