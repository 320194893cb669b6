use std::path::Path;

use crate::DatasetError;
use crate::files::find_file;

/// The pixels of an image: three channels of 32 rows of 32 columns.
pub(super) type Image = [[[u8; 32]; 32]; 3];

/// The bytes of an image.
const PIXELS: usize = 3 * 32 * 32;

/// A part of CIFAR-10 or CIFAR-100.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CifarSplit {
    /// The 50,000 images to train on.
    Train,
    /// The 10,000 images to test on.
    Test,
}

/// Images of the binary version, `L` labels and the pixels one after the other.
#[derive(Clone, Debug)]
pub(super) struct Records<const L: usize> {
    bytes: Vec<u8>,
}

impl<const L: usize> Records<L> {
    const SIZE: usize = L + PIXELS;

    /// Reads files in a folder or its subfolder; the labels of each record are below `classes`.
    pub(super) fn read(
        folder: &Path,
        subfolder: &str,
        files: &[&str],
        classes: [u8; L],
        archive: &str,
    ) -> Result<Self, DatasetError> {
        let mut bytes = Vec::new();
        for file in files {
            let folders = vec![folder.to_owned(), folder.join(subfolder)];
            let advice = format!("Unpack {archive} in {}", folder.display());
            let path = find_file(file, folders, &advice)?;
            let content = read_records::<L>(&path, &advice, classes)?;
            bytes.extend(content);
        }
        Ok(Self { bytes })
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len() / Self::SIZE
    }

    pub(super) fn get(&self, index: usize) -> Option<([u8; L], Image)> {
        let start = index.checked_mul(Self::SIZE)?;
        let record = self.bytes.get(start..start.checked_add(Self::SIZE)?)?;
        let pixel = |channel, row, column| record[L + 1024 * channel + 32 * row + column];
        let image = std::array::from_fn(|channel| {
            std::array::from_fn(|row| std::array::from_fn(|column| pixel(channel, row, column)))
        });
        Some((std::array::from_fn(|label| record[label]), image))
    }
}

fn read_records<const L: usize>(
    path: &Path,
    advice: &str,
    classes: [u8; L],
) -> Result<Vec<u8>, DatasetError> {
    let damaged = |reason| DatasetError::Damaged { path: path.to_owned(), reason, advice: advice.to_owned() };
    let content =
        burn_io::read_file(path).map_err(|source| DatasetError::Io { path: path.to_owned(), source })?;
    let size = L + PIXELS;
    if content.is_empty() || content.len() % size != 0 {
        return Err(damaged(format!(
            "it has {} bytes, no multiple of {size}, the size of an image",
            content.len()
        )));
    }
    for (index, record) in content.chunks_exact(size).enumerate() {
        for (label, most) in record.iter().zip(classes) {
            if *label >= most {
                return Err(damaged(format!("image {index} has the label {label} of {most} classes")));
            }
        }
    }
    Ok(content)
}
