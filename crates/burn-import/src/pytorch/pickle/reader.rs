/// Reads the arguments of operations.
#[derive(Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    position: usize,
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Reader { bytes, position: 0 }
    }

    /// Returns the number of bytes read.
    pub fn position(&self) -> usize {
        self.position
    }

    pub fn bytes(&mut self, count: u64) -> Result<&'a [u8], String> {
        let end = usize::try_from(count).ok().and_then(|count| self.position.checked_add(count));
        let bytes = end.and_then(|end| self.bytes.get(self.position..end));
        let bytes = bytes
            .ok_or_else(|| format!("truncated: the pickle ends within {count} bytes at {}", self.position))?;
        self.position += bytes.len();
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], String> {
        let mut array = [0; N];
        array.copy_from_slice(self.bytes(N as u64)?);
        Ok(array)
    }

    pub fn u8(&mut self) -> Result<u8, String> {
        self.array::<1>().map(|[byte]| byte)
    }
    pub fn u16(&mut self) -> Result<u16, String> {
        self.array().map(u16::from_le_bytes)
    }
    pub fn u32(&mut self) -> Result<u32, String> {
        self.array().map(u32::from_le_bytes)
    }
    pub fn u64(&mut self) -> Result<u64, String> {
        self.array().map(u64::from_le_bytes)
    }
    pub fn f64(&mut self) -> Result<f64, String> {
        self.array().map(f64::from_be_bytes)
    }

    /// Reads a string of `count` bytes.
    pub fn text(&mut self, count: u64) -> Result<String, String> {
        let at = self.position;
        let bytes = self.bytes(count)?;
        // `surrogatepass` of Python, which lone surrogates are written by, is not UTF-8.
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(text.to_string()),
            Err(_) => Err(format!("the text at {at} is not UTF-8")),
        }
    }

    /// Reads the rest of a line, without its end.
    pub fn line(&mut self) -> Result<&'a str, String> {
        let at = self.position;
        let rest = &self.bytes[at..];
        let length = rest
            .iter()
            .position(|byte| *byte == b'\n')
            .ok_or("truncated: a line of the pickle has no end")?;
        self.position += length + 1;
        std::str::from_utf8(&rest[..length]).map_err(|_| format!("the line at {at} is not UTF-8"))
    }

    /// Reads a signed little-endian integer of `count` bytes.
    pub fn long(&mut self, count: u64) -> Result<i128, String> {
        let bytes = self.bytes(count)?;
        if bytes.len() > 16 {
            return Err(format!("an integer of {count} bytes"));
        }
        let fill = if bytes.last().is_some_and(|byte| *byte >= 0x80) { 0xff } else { 0 };
        let mut wide = [fill; 16];
        wide[..bytes.len()].copy_from_slice(bytes);
        Ok(i128::from_le_bytes(wide))
    }
}
