use std::fmt::Display;
use std::io::{BufReader, Read};
use std::path::Path;

use hound::{SampleFormat, WavReader};

use crate::DatasetError;

/// The most bytes of a file.
const LARGEST_FILE: u64 = 512 << 20;

/// The content of a WAV file.
pub(super) struct Sound {
    pub(super) samples: Vec<f32>,
    pub(super) channels: usize,
    pub(super) sample_rate: u32,
}

/// Reads a WAV file: integers of up to 32 bits or floats.
pub(super) fn decode(path: &Path) -> Result<Sound, DatasetError> {
    let unreadable = |source| DatasetError::Io { path: path.to_owned(), source };
    let file = burn_io::open_file(path).map_err(unreadable)?;
    let size = file.metadata().map_err(unreadable)?.len();
    if size > LARGEST_FILE {
        return Err(damaged(path, &format!("it has {size} bytes, more than {LARGEST_FILE}")));
    }
    let mut reader = WavReader::new(BufReader::new(file)).map_err(|error| damaged(path, &error))?;
    let spec = reader.spec();
    let bytes = u64::from(reader.len()) * u64::from(spec.bits_per_sample).div_ceil(8);
    if spec.channels == 0 || bytes > size {
        let reason = format!("its header announces {} samples in {} channels", reader.len(), spec.channels);
        return Err(damaged(path, &reason));
    }
    let samples = samples(&mut reader).map_err(|error| damaged(path, &error))?;
    Ok(Sound { samples, channels: spec.channels.into(), sample_rate: spec.sample_rate })
}

fn samples<R: Read>(reader: &mut WavReader<R>) -> hound::Result<Vec<f32>> {
    let spec = reader.spec();
    match spec.sample_format {
        SampleFormat::Float => reader.samples::<f32>().collect(),
        SampleFormat::Int => {
            // The most negative integer is -1.
            let scale = 1.0 / (1_u64 << (spec.bits_per_sample.clamp(1, 32) - 1)) as f64;
            reader.samples::<i32>().map(|sample| Ok((f64::from(sample?) * scale) as f32)).collect()
        }
    }
}

fn damaged(path: &Path, reason: &dyn Display) -> DatasetError {
    DatasetError::Damaged {
        path: path.to_owned(),
        reason: reason.to_string(),
        advice: "Replace it by a WAV file with integers or floats, or take it out of the dataset".to_owned(),
    }
}
