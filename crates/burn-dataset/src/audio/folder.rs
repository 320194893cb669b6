use std::path::{Path, PathBuf};

use super::decode::{Sound, decode};
use crate::files::{Classes, LabelledFiles};
use crate::{Dataset, DatasetError};

const EXTENSIONS: [&str; 2] = ["wav", "wave"];
/// The name of such a file in errors.
const KIND: &str = "a WAV file";

/// Sounds in WAV files, decoded when they are asked for.
///
/// ```no_run
/// use burn::data::dataset::Dataset;
/// use burn::data::dataset::audio::AudioFolderDataset;
///
/// // commands/stop/1.wav, commands/yes/1.wav, commands/yes/2.wav
/// let commands = AudioFolderDataset::new_classification("commands")?;
/// assert_eq!(commands.classes(), ["stop", "yes"]);
/// let item = commands.get(1).unwrap();
/// println!("{} s at {} Hz, label {:?}", item.seconds(), item.sample_rate, item.label);
/// # Ok::<(), burn::data::dataset::DatasetError>(())
/// ```
#[derive(Clone, Debug)]
pub struct AudioFolderDataset(LabelledFiles<Option<usize>>);

/// A sound of an [`AudioFolderDataset`].
#[derive(Clone, Debug, PartialEq)]
pub struct AudioItem {
    /// The samples from -1 to 1, those of the channels at one moment side by side.
    pub samples: Vec<f32>,
    /// The number of channels.
    pub channels: usize,
    /// The number of moments in a second.
    pub sample_rate: u32,
    /// The class, a position in the list of classes, where there are classes.
    pub label: Option<usize>,
    /// The file of the sound.
    pub path: PathBuf,
}

impl AudioItem {
    /// Returns how long the sound is, in seconds.
    pub fn seconds(&self) -> f64 {
        (self.samples.len() / self.channels) as f64 / f64::from(self.sample_rate)
    }

    /// Returns the mean of the channels at each moment.
    pub fn to_mono(&self) -> Vec<f32> {
        let moments = self.samples.chunks_exact(self.channels);
        moments.map(|moment| moment.iter().sum::<f32>() / self.channels as f32).collect()
    }
}

impl AudioFolderDataset {
    /// Opens a folder with one subfolder for each class, named after it; the sounds are the files `*.wav` in
    /// and below it.
    ///
    /// Classes, and sounds within a class, come in order of name.
    ///
    /// # Errors
    /// If a folder cannot be read, or a class has no sound.
    pub fn new_classification<P: AsRef<Path>>(root: P) -> Result<Self, DatasetError> {
        LabelledFiles::in_class_folders(root.as_ref(), &EXTENSIONS, KIND, Some).map(Self)
    }

    /// Opens the WAV files in a folder and the folders within, without classes.
    ///
    /// # Errors
    /// If a folder cannot be read or there is no WAV file.
    pub fn new_unlabelled<P: AsRef<Path>>(root: P) -> Result<Self, DatasetError> {
        let advice = "Name the folder of the sounds";
        LabelledFiles::unlabelled(root.as_ref(), &EXTENSIONS, KIND.to_owned(), advice).map(Self)
    }

    /// Takes a list of files, each with the name of its class.
    ///
    /// # Errors
    /// If an item has a class that is not in `classes`.
    pub fn new_classification_with_items<P: AsRef<Path>, S: AsRef<str>>(
        items: Vec<(P, String)>,
        classes: &[S],
    ) -> Result<Self, DatasetError> {
        let label = |classes: &Classes<'_>, class: String| classes.position(&class).map(Some);
        LabelledFiles::from_items(items, classes, label).map(Self)
    }

    /// Returns the names of the classes; a label is a position in this list.
    pub fn classes(&self) -> &[String] {
        &self.0.classes
    }
}

impl Dataset<AudioItem> for AudioFolderDataset {
    fn get(&self, index: usize) -> Option<AudioItem> {
        self.try_get(index).ok().flatten()
    }

    fn try_get(&self, index: usize) -> Result<Option<AudioItem>, DatasetError> {
        let Some((path, label)) = self.0.get(index) else { return Ok(None) };
        let Sound { samples, channels, sample_rate } = decode(path)?;
        Ok(Some(AudioItem { samples, channels, sample_rate, label: *label, path: path.to_owned() }))
    }

    fn len(&self) -> usize {
        self.0.len()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::random::Generator;

    /// A WAV file as the format describes it: RIFF, the chunk of the format, the chunk of the data.
    fn wav(format: u16, channels: u16, rate: u32, bits: u16, data: &[u8]) -> Vec<u8> {
        let block = channels * bits.div_ceil(8);
        let mut bytes = b"RIFF".to_vec();
        bytes.extend((36 + data.len() as u32).to_le_bytes());
        bytes.extend(b"WAVEfmt \x10\0\0\0");
        bytes.extend(format.to_le_bytes());
        bytes.extend(channels.to_le_bytes());
        bytes.extend(rate.to_le_bytes());
        bytes.extend((rate * u32::from(block)).to_le_bytes());
        bytes.extend(block.to_le_bytes());
        bytes.extend(bits.to_le_bytes());
        bytes.extend(b"data");
        bytes.extend((data.len() as u32).to_le_bytes());
        bytes.extend(data);
        bytes
    }

    fn one(bytes: &[u8]) -> Result<AudioItem, DatasetError> {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("a")).unwrap();
        fs::write(root.path().join("a/1.WAV"), bytes).unwrap();
        let dataset = AudioFolderDataset::new_classification(root.path()).unwrap();
        dataset.try_get(0).map(Option::unwrap)
    }

    #[test]
    fn samples_of_every_depth_lie_between_minus_one_and_one() {
        let item = one(&wav(1, 2, 4, 16, &[0, 0, 0, 0x80, 0, 0x40, 0xff, 0x7f])).unwrap();
        assert_eq!(item.samples, [0.0, -1.0, 0.5, 32_767.0 / 32_768.0]);
        assert_eq!((item.channels, item.sample_rate, item.label, item.seconds()), (2, 4, Some(0), 0.5));
        assert_eq!(item.to_mono(), [-0.5, (0.5 + 32_767.0 / 32_768.0) / 2.0]);
        // Eight bits are unsigned, with 128 in the middle.
        assert_eq!(one(&wav(1, 1, 8, 8, &[128, 0, 192, 64])).unwrap().samples, [0.0, -1.0, 0.5, -0.5]);
        assert_eq!(one(&wav(1, 1, 8, 24, &[0, 0, 0x40, 0, 0, 0x80])).unwrap().samples, [0.5, -1.0]);
        let floats = [0.25_f32, -0.75].map(f32::to_le_bytes).concat();
        assert_eq!(one(&wav(3, 1, 8, 32, &floats)).unwrap().samples, [0.25, -0.75]);
    }

    #[test]
    fn damaged_files_are_read_or_refused() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("x.wav");
        let whole = wav(1, 2, 8_000, 16, &[7; 400]);
        let dataset =
            AudioFolderDataset::new_classification_with_items(vec![(&path, "a".to_owned())], &["a"]).unwrap();
        let mut random = Generator::new(11);
        for _ in 0..5_000 {
            let mut damaged = whole.clone();
            for _ in 0..=random.below(3) {
                let at = random.below(damaged.len());
                match random.below(4) {
                    0 => damaged[at] ^= 1 << random.below(8),
                    1 => damaged[at] = 0xff,
                    2 => damaged.truncate(at.max(1)),
                    _ => drop(damaged.splice(at..at, [0; 4])),
                }
            }
            fs::write(&path, &damaged).unwrap();
            let _ = dataset.try_get(0);
        }
        fs::write(&path, &whole[..60]).unwrap();
        let error = dataset.try_get(0).unwrap_err().to_string();
        assert!(error.contains("x.wav is damaged: its header announces 200 samples"), "{error}");
        fs::write(&path, "ID3").unwrap();
        assert!(dataset.try_get(0).unwrap_err().to_string().contains("x.wav is damaged"));
    }

    #[test]
    fn a_folder_without_a_sound_is_an_error() {
        let root = tempfile::tempdir().unwrap();
        assert!(AudioFolderDataset::new_unlabelled(root.path()).is_err());
        fs::create_dir(root.path().join("quiet")).unwrap();
        let error = AudioFolderDataset::new_classification(root.path()).unwrap_err().to_string();
        assert!(error.contains("a WAV file was not found in") && error.contains("quiet"), "{error}");
        fs::write(root.path().join("quiet/1.wav"), wav(1, 1, 8, 8, &[128])).unwrap();
        assert_eq!(AudioFolderDataset::new_unlabelled(root.path()).unwrap().get(0).unwrap().label, None);
    }
}
