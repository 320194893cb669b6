use std::fs;
use std::io::{self, Read, Write};
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use ureq::config::RedirectAuthHeaders;
use ureq::http::Response;
use ureq::{Agent, Body};

use super::data_files::{ChoiceError, Format, SplitFiles};
use super::database::too_large;
use super::split_name::canonical_split;
use crate::DatasetError;
use crate::files::download_bar;

/// The variable that names a folder of datasets, for a machine without a network.
pub(super) const FOLDER_VARIABLE: &str = "BURN_HUGGINGFACE_DIR";

const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);
const TRANSFER_TIMEOUT: Duration = Duration::from_secs(6 * 3600);

/// The most bytes of a list of files.
const LONGEST_LIST: u64 = 64 << 20;

/// The hub, or a mirror of it, over HTTP.
#[derive(Clone, Debug)]
pub(super) struct Hub {
    pub(super) endpoint: String,
    pub(super) token: Option<String>,
    /// The most bytes to download for a split.
    pub(super) limit: u64,
}

/// Split of a dataset on the hub: name, revision, subset and split.
#[derive(Clone, Copy, Debug)]
pub(super) struct HubSplit<'a> {
    pub(super) name: &'a str,
    pub(super) revision: Option<&'a str>,
    pub(super) subset: Option<&'a str>,
    pub(super) split: &'a str,
}

/// A file on the hub and where it comes below the cache.
#[derive(Clone, Debug, PartialEq, Eq)]
struct RemoteFile {
    url: String,
    path: PathBuf,
}

impl Hub {
    /// Downloads the files of a split into a folder, except those that are there already, and returns their
    /// paths.
    ///
    /// The hub offers each public dataset in Parquet, whatever its authors wrote it in; where it does not, or
    /// a revision is asked for, the files of the authors are taken.
    pub(super) fn fetch(
        &self,
        wanted: HubSplit<'_>,
        folder: &Path,
    ) -> Result<(Format, Vec<PathBuf>), DatasetError> {
        let converted = if wanted.revision.is_none() { self.converted_files(wanted)? } else { None };
        let (format, files) = match converted {
            Some(files) => (Format::Parquet, files),
            None => self.original_files(wanted)?,
        };
        let mut budget = self.limit;
        let download = |file: RemoteFile| {
            let path = folder.join(&file.path);
            if !path.is_file() {
                self.save(&file.url, &path, &mut budget)?;
            }
            Ok(path)
        };
        Ok((format, files.into_iter().map(download).collect::<Result<_, _>>()?))
    }

    /// The address of the page of a dataset.
    pub(super) fn page(&self, name: &str) -> String {
        format!("{}/datasets/{name}", self.endpoint)
    }

    /// The files of a split in Parquet, if the hub has converted the whole of it.
    fn converted_files(&self, wanted: HubSplit<'_>) -> Result<Option<Vec<RemoteFile>>, DatasetError> {
        let url = format!("{}/api/datasets/{}/parquet", self.endpoint, wanted.name);
        let Some(list) = self.json(&url)? else { return Ok(None) };
        let Some(subsets) = list.as_object().filter(|subsets| !subsets.is_empty()) else { return Ok(None) };
        let names = || subsets.keys().cloned().collect::<Vec<_>>();
        let subset = match wanted.subset {
            Some(subset) => subsets.get_key_value(subset),
            None if subsets.len() == 1 => subsets.iter().next(),
            None => subsets.get_key_value("default"),
        };
        let (subset, splits) =
            subset.ok_or_else(|| self.choice_error(wanted, ChoiceError::Subset(names())))?;
        let splits = splits.as_object().ok_or_else(|| self.unreadable(&url))?;
        let is_wanted =
            |split: &str| split == wanted.split || canonical_split(split) == canonical_split(wanted.split);
        let Some((split, urls)) = splits.iter().find(|(split, _)| is_wanted(split)) else {
            let error = ChoiceError::NoSplit(splits.keys().cloned().collect());
            return Err(self.choice_error(wanted, error));
        };
        let urls: Option<Vec<&str>> =
            urls.as_array().and_then(|urls| urls.iter().map(Value::as_str).collect());
        let urls = urls.ok_or_else(|| self.unreadable(&url))?;
        // The hub converts the first gigabytes of large splits alone.
        if urls.is_empty() || urls.iter().any(|url| url.contains("/partial-")) {
            return Ok(None);
        }
        let place = |(number, url): (usize, &str)| RemoteFile {
            url: url.to_owned(),
            path: ["parquet".to_owned(), plain(subset), plain(split), format!("{number}.parquet")]
                .iter()
                .collect(),
        };
        Ok(Some(urls.into_iter().enumerate().map(place).collect()))
    }

    /// The files of a split as its authors have uploaded them.
    fn original_files(&self, wanted: HubSplit<'_>) -> Result<(Format, Vec<RemoteFile>), DatasetError> {
        let revision = wanted.revision.unwrap_or("main");
        let url = format!(
            "{}/api/datasets/{}/revision/{}",
            self.endpoint,
            wanted.name,
            encoded(revision, &|byte| byte == b'/')
        );
        let list = self.json(&url)?.ok_or_else(|| {
            self.failed(
                &url,
                "the hub has no such dataset or revision".to_owned(),
                "Look for its name on the hub",
            )
        })?;
        let files = list["siblings"].as_array().ok_or_else(|| self.unreadable(&url))?;
        let paths = files.iter().filter_map(|file| file["rfilename"].as_str()).filter(|path| is_below(path));
        let files = SplitFiles::choose(paths.map(PathBuf::from), wanted.split, wanted.subset)
            .map_err(|error| self.choice_error(wanted, error))?;
        let place = |path: PathBuf| RemoteFile {
            url: format!(
                "{}/resolve/{}/{}",
                self.page(wanted.name),
                encoded(revision, &|_| false),
                encoded(&path.to_string_lossy().replace('\\', "/"), &|byte| byte == b'/')
            ),
            path: Path::new(&plain(revision)).join(path),
        };
        Ok((files.format, files.paths.into_iter().map(place).collect()))
    }

    pub(super) fn choice_error(&self, wanted: HubSplit<'_>, error: ChoiceError) -> DatasetError {
        error.of(self.page(wanted.name).into(), wanted.split, wanted.subset)
    }

    /// Returns the answer to a question, `None` if the hub does not know it.
    fn json(&self, url: &str) -> Result<Option<Value>, DatasetError> {
        let mut response = self.get(url)?;
        if response.status() == 404 || response.status() == 501 {
            return Ok(None);
        }
        self.check(url, &response)?;
        let mut text = Vec::new();
        let mut content = response.body_mut().as_reader().take(LONGEST_LIST);
        content.read_to_end(&mut text).map_err(|error| self.failed(url, error.to_string(), TRY_AGAIN))?;
        serde_json::from_slice(&text).map(Some).map_err(|_| self.unreadable(url))
    }

    /// Downloads a file beside `path` and renames it to `path`.
    fn save(&self, url: &str, path: &Path, budget: &mut u64) -> Result<(), DatasetError> {
        let unwritable = |source| DatasetError::Io { path: path.to_owned(), source };
        let mut response = self.get(url)?;
        self.check(url, &response)?;
        let length = response.body().content_length();
        if length.is_some_and(|length| length > *budget) {
            return Err(too_large(path, "the files of the split", self.limit));
        }
        fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).map_err(unwritable)?;
        let bar = download_bar(url, length);
        let mut content = response.body_mut().with_config().limit(u64::MAX).reader();
        let (mut failed, mut size) = (None, 0);
        let mut buffer = vec![0; 64 * 1024];
        let mut receive = |out: &mut dyn Write| -> io::Result<()> {
            loop {
                let read = match content.read(&mut buffer) {
                    Ok(0) => return Ok(()),
                    Ok(read) => read,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Err(error) => {
                        failed = Some(self.failed(url, format!("after {size} bytes: {error}"), TRY_AGAIN));
                        return Err(error);
                    }
                };
                size += read as u64;
                if size > *budget {
                    failed = Some(too_large(path, "the files of the split", self.limit));
                    return Err(io::ErrorKind::FileTooLarge.into());
                }
                out.write_all(&buffer[..read])?;
                bar.set_position(size);
            }
        };
        let written = burn_io::write_atomic(path, &mut receive);
        bar.finish_and_clear();
        if let Some(error) = failed {
            return Err(error);
        }
        *budget -= size;
        written.map_err(unwritable)
    }

    fn get(&self, url: &str) -> Result<Response<Body>, DatasetError> {
        let agent: Agent = Agent::config_builder()
            .http_status_as_error(false)
            .redirect_auth_headers(RedirectAuthHeaders::SameHost)
            .timeout_connect(Some(CONNECT_TIMEOUT))
            .timeout_recv_response(Some(CONNECT_TIMEOUT))
            .timeout_recv_body(Some(TRANSFER_TIMEOUT))
            .build()
            .new_agent();
        let mut request = agent.get(url);
        // The token is for the hub alone.
        if let Some(token) = self.token.as_ref().filter(|_| self.is_of_hub(url)) {
            request = request.header("Authorization", format!("Bearer {token}"));
        }
        request.call().map_err(|error| self.failed(url, error.to_string(), TRY_AGAIN))
    }

    fn is_of_hub(&self, url: &str) -> bool {
        url.strip_prefix(&self.endpoint).is_some_and(|path| path.starts_with('/'))
    }

    fn check(&self, url: &str, response: &Response<Body>) -> Result<(), DatasetError> {
        let status = response.status();
        match status.as_u16() {
            200..=299 => Ok(()),
            401 | 403 => {
                let advice =
                    "Accept its conditions on the hub, and set HF_TOKEN or call `with_huggingface_token`";
                Err(self.failed(
                    url,
                    format!("the dataset is private, gated or not there ({status})"),
                    advice,
                ))
            }
            _other => Err(self.failed(url, format!("the hub answers {status}"), TRY_AGAIN)),
        }
    }

    fn unreadable(&self, url: &str) -> DatasetError {
        self.failed(url, "the answer is not as the hub answers".to_owned(), "Look at HF_ENDPOINT")
    }

    fn failed(&self, url: &str, reason: String, advice: &str) -> DatasetError {
        let advice = format!("{advice}; or set {} to a folder that has the dataset", FOLDER_VARIABLE);
        DatasetError::Download { url: url.to_owned(), reason, advice }
    }
}

const TRY_AGAIN: &str = "Try again later";

/// Whether a path stays below the folder that it is joined to.
fn is_below(path: &str) -> bool {
    Path::new(path).components().all(|component| matches!(component, Component::Normal(_)))
}

/// A name as one component of a path.
pub(super) fn plain(name: &str) -> String {
    let keep = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    name.chars().map(|letter| if keep(letter) { letter } else { '_' }).collect()
}

/// Escapes all bytes of a part of an address that are neither unreserved nor kept.
fn encoded(text: &str, keep: &dyn Fn(u8) -> bool) -> String {
    let unreserved = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let escape = |byte: u8| {
        if unreserved(byte) || keep(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }
    };
    text.bytes().map(escape).collect()
}
