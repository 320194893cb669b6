use std::path::{Component, Path};

/// Words by which files and folders of the usual splits are called.
const SPLIT_WORDS: [(&str, &[&str]); 3] = [
    ("train", &["train", "training"]),
    ("validation", &["validation", "valid", "val", "dev"]),
    ("test", &["test", "testing", "eval", "evaluation"]),
];

/// Folders that are neither of a split nor of a subset.
const PLAIN_FOLDERS: [&str; 1] = ["data"];

/// The split of a data file and the subset that the split is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SplitName {
    pub(super) split: String,
    pub(super) subset: Option<String>,
}

impl SplitName {
    /// Reads them off the path of a file below the folder of its dataset.
    ///
    /// A file is of the usual split of which a word is in its name, else in that of its folder; other files
    /// are of the split that is called as they are, without a number of a part such as `-00000-of-00003`. The
    /// subset is the name of the first folder that is not that of a split.
    pub(super) fn of(path: &Path) -> Self {
        let names: Vec<String> = path
            .components()
            .filter_map(|component| match component {
                Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
                _root => None,
            })
            .collect();
        let (file, folders) = names.split_last().map_or(("", &[][..]), |(file, folders)| (file, folders));
        let file = file.split('.').next().unwrap_or_default();
        let known =
            std::iter::once(file).chain(folders.iter().rev().map(String::as_str)).find_map(usual_split);
        let split = known.map_or_else(|| without_part(file).to_owned(), str::to_owned);
        let is_subset =
            |folder: &&String| !PLAIN_FOLDERS.contains(&folder.as_str()) && usual_split(folder).is_none();
        Self { split, subset: folders.iter().find(is_subset).cloned() }
    }
}

/// The name under which a split is known: `valid` and `dev` are `validation`.
pub(super) fn canonical_split(split: &str) -> &str {
    SPLIT_WORDS.iter().find(|(_, words)| words.contains(&split)).map_or(split, |(name, _)| name)
}

fn usual_split(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_lowercase();
    let words = name.split(|letter: char| !letter.is_ascii_alphanumeric());
    words
        .into_iter()
        .find_map(|word| SPLIT_WORDS.iter().find(|(_, words)| words.contains(&word)).map(|(split, _)| *split))
}

/// Cuts off `-00000-of-00003`, with or without a checksum after it.
fn without_part(file: &str) -> &str {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let Some((before, after)) = file.rsplit_once("-of-") else { return file };
    match before.rsplit_once('-') {
        Some((name, part)) if is_number(part) && is_number(after.split('-').next().unwrap_or_default()) => {
            name
        }
        Some(_) | None => file,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_and_folders_say_split_and_subset() {
        for (path, split, subset) in [
            ("train.csv", "train", None),
            ("data/train-00000-of-00003.parquet", "train", None),
            ("data/train-00000-of-00001-a09b74b3ef9c3b56.parquet", "train", None),
            ("data/train_sft-00000-of-00002.parquet", "train", None),
            ("plain_text/test-00000-of-00001.parquet", "test", Some("plain_text")),
            ("wikitext-2-raw-v1/validation-00000-of-00001.parquet", "validation", Some("wikitext-2-raw-v1")),
            ("en/dev.jsonl.gz", "validation", Some("en")),
            ("train/0003.parquet", "train", None),
            ("fr/train/0003.parquet", "train", Some("fr")),
            ("data/unsupervised-00000-of-00001.parquet", "unsupervised", None),
            ("My-Valid_set.CSV", "validation", None),
            ("questions.jsonl", "questions", None),
            ("latest.csv", "latest", None),
        ] {
            let expected = SplitName { split: split.to_owned(), subset: subset.map(str::to_owned) };
            assert_eq!(SplitName::of(Path::new(path)), expected, "{path}");
        }
        assert_eq!((canonical_split("dev"), canonical_split("unsupervised")), ("validation", "unsupervised"));
    }
}
