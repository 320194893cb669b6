use super::damage;
use burn_conformance::fuzz::Random;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use std::io::{Read, Write};
use std::path::Path;

/// A reader and a file that it reads.
pub struct Target {
    pub name: &'static str,
    /// The file, below the folder of the run.
    pub file: &'static str,
    /// The content of the undamaged file.
    pub good: Vec<u8>,
    /// Puts the checksums of its content right, so that a reader goes on to the bytes after them.
    seal: Option<fn(&mut Vec<u8>)>,
    pub load: fn(&Path) -> Result<(), String>,
}

impl Target {
    /// The file that is there.
    pub fn of_file(
        folder: &Path,
        name: &'static str,
        file: &'static str,
        seal: Option<fn(&mut Vec<u8>)>,
        load: fn(&Path) -> Result<(), String>,
    ) -> Self {
        let good = std::fs::read(folder.join(file)).expect("the file was written");
        Target { name, file, good, seal, load }
    }

    /// The file with a content that `change` makes of the good one. Of compressed files one in eight is
    /// damaged as such.
    pub fn changed(&self, random: &mut Random, change: fn(&mut Random, &[u8]) -> Vec<u8>) -> Vec<u8> {
        let mut unpacked = Vec::new();
        let gzip = GzDecoder::new(&self.good[..]).read_to_end(&mut unpacked).is_ok();
        let mut content = change(random, if gzip { &unpacked } else { &self.good });
        if let Some(seal) = self.seal
            && random.chance(70)
        {
            seal(&mut content);
        }
        match gzip {
            false => content,
            true if random.chance(12) => damage(random, &self.good),
            true => pack(&content),
        }
    }
}

pub fn pack(content: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(content).expect("a vector can be written");
    gzip.finish().expect("a vector can be written")
}
