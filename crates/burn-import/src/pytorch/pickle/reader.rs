use crate::byte_reader::ByteReader;

/// Arguments of the operations of a pickle.
impl<'a> ByteReader<'a> {
    pub fn u8(&mut self) -> Result<u8, String> {
        self.array::<1>().map(|[byte]| byte)
    }
    pub fn u16(&mut self) -> Result<u16, String> {
        self.array().map(u16::from_le_bytes)
    }
    pub fn f64(&mut self) -> Result<f64, String> {
        self.array().map(f64::from_be_bytes)
    }

    /// Reads a string of `count` bytes.
    pub fn text(&mut self, count: u64) -> Result<String, String> {
        let at = self.position();
        let bytes = self.bytes(count)?;
        // `surrogatepass` of Python, which lone surrogates are written by, is not UTF-8.
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(text.to_string()),
            Err(_) => Err(format!("the text at {at} is not UTF-8")),
        }
    }

    /// Reads the rest of a line, without its end.
    pub fn line(&mut self) -> Result<&'a str, String> {
        let at = self.position();
        let length = self
            .rest()
            .iter()
            .position(|byte| *byte == b'\n')
            .ok_or("truncated: a line of the pickle has no end")?;
        let line = &self.bytes(length as u64 + 1)?[..length];
        std::str::from_utf8(line).map_err(|_| format!("the line at {at} is not UTF-8"))
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
