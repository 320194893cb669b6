//! Records on disk, one file for each device.

use super::record::{Record, Records, VERSION};
use crate::device::cache_dir::cache_folder;
use crate::device::warning::warn;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::Once;

/// Bytes of a file at most: more is not of ours.
const MOST: u64 = 2 << 20;

static WARNING: Once = Once::new();

/// The file of a device. What cannot be read or written gives one warning, and counts as absent.
#[derive(Clone, Debug)]
pub struct TuneFile {
    device: String,
    path: Option<PathBuf>,
}

impl TuneFile {
    /// In the user's folder for caches. `device` names runtime and model: where they are the same, files can
    /// be copied.
    pub fn of_user(device: &str) -> Self {
        TuneFile::in_folder(device, cache_folder())
    }

    fn in_folder(device: &str, folder: Option<PathBuf>) -> Self {
        let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
        let name: String = device.chars().map(letter).take(80).collect();
        let path = folder.map(|folder| folder.join("autotune").join(VERSION).join(format!("{name}.txt")));
        TuneFile { device: device.to_string(), path }
    }

    pub fn read(&self) -> Records {
        let Some(path) = &self.path else { return Records::default() };
        let mut text = String::new();
        match File::open(path).and_then(|file| file.take(MOST).read_to_string(&mut text)) {
            Ok(_) => {
                let (records, wrong) = Records::from_text(&text, &self.device);
                wrong
                    .into_iter()
                    .for_each(|cause| self.warn_once("not all of what was measured is known", cause));
                records
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Records::default(),
            Err(error) => {
                self.warn_once("what was measured is not known", &error.to_string());
                Records::default()
            }
        }
    }

    /// Adds `own` to what the file has by now: others may have written since.
    pub fn merge(&self, own: &[Record]) {
        let Some(path) = &self.path else { return };
        let written = || -> io::Result<()> {
            fs::create_dir_all(path.parent().expect("files are in the folder"))?;
            // Without a lock, two processes that read and write at once lose records of one.
            // Some file systems have no locks.
            let lock = File::create(path.with_extension("lock"))?;
            let _ = lock.lock();
            let mut records = self.read();
            records.merge(own);
            let part = path.with_extension(format!("{}", std::process::id()));
            fs::write(&part, records.to_text(&self.device))?;
            fs::rename(&part, path)
        };
        if let Err(error) = written() {
            self.warn_once("what was measured is not kept", &error.to_string());
        }
    }

    fn warn_once(&self, what: &str, cause: &str) {
        let path = self.path.as_deref().unwrap_or("".as_ref());
        WARNING.call_once(|| warn(&format!("{what}: {}: {cause}", path.display())));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("burn-autotune-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        folder
    }

    fn of(key: &str) -> Record {
        Record { key: key.into(), winner: "plain".into(), nanos: 7, advised: None }
    }

    #[test]
    fn what_several_write_is_there() {
        let folder = folder("merge");
        let write = |k: u32| TuneFile::in_folder("wgpu A", Some(folder.clone())).merge(&[of(&k.to_string())]);
        std::thread::scope(|scope| _ = [1, 2, 3, 4].map(|k| scope.spawn(move || write(k))));
        let read = |device| TuneFile::in_folder(device, Some(folder.clone())).read();
        assert!((1..5).all(|k| read("wgpu A").find(&k.to_string()).is_some()));
        assert_eq!(read("wgpu B"), Records::default());
        // Nothing but the file and its lock.
        let files = fs::read_dir(folder.join("autotune").join(VERSION)).unwrap();
        let mut names: Vec<_> = files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        assert_eq!(names, ["wgpu-a.lock", "wgpu-a.txt"]);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn garbage_is_ignored_and_replaced() {
        let folder = folder("garbage");
        let file = TuneFile::in_folder("d", Some(folder.clone()));
        file.merge(&[of("a")]);
        let path = file.path.clone().unwrap();
        for garbage in
            [vec![0xff; 300], b"burn autotune 1\td\nx\ty\n".to_vec(), vec![b'\n'; MOST as usize + 9]]
        {
            fs::write(&path, &garbage).unwrap();
            assert_eq!(file.read(), Records::default());
        }
        file.merge(&[of("b")]);
        assert!(file.read().find("b").is_some());
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        file.merge(&[of("c")]);
        assert_eq!(file.read(), Records::default());
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn without_a_folder_nothing_is_kept() {
        let file = TuneFile::in_folder("d", None);
        file.merge(&[of("a")]);
        assert_eq!(file.read(), Records::default());
    }
}
