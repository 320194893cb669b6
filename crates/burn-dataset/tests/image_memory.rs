//! Memory that images take while they are read; a binary of its own for its allocator.

#![cfg(feature = "vision")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};

use burn::data::dataset::Dataset;
use burn::data::dataset::vision::ImageFolderDataset;
use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

struct Counting;

// SAFETY: the system allocates; counting touches no memory of others.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let live = LIVE.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(live, Ordering::Relaxed);
        // SAFETY: by the contract of the caller.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: by the contract of the caller.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn chunk(name: &[u8; 4], content: &[u8]) -> Vec<u8> {
    let mut crc = Crc::new();
    crc.update(name);
    crc.update(content);
    [&(content.len() as u32).to_be_bytes()[..], name, content, &crc.sum().to_be_bytes()].concat()
}

/// Zeros of `mebibytes`, after the head of a chunk.
fn packed(head: &[u8], mebibytes: usize) -> Vec<u8> {
    let mut zip = ZlibEncoder::new(head.to_vec(), Compression::best());
    (0..mebibytes).try_for_each(|_| zip.write_all(&[0; 1 << 20])).unwrap();
    zip.finish().unwrap()
}

/// A chunk of 100 KiB that unpacks to 100 MiB is passed over, as Pillow passes over a profile that nobody
/// asks for.
#[test]
fn profiles_and_texts_of_a_png_take_no_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("image.png");
    let mut rows = ZlibEncoder::new(Vec::new(), Compression::best());
    rows.write_all(&[0, 7, 8, 0, 9, 10]).unwrap();
    let (rows, end) = (chunk(b"IDAT", &rows.finish().unwrap()), chunk(b"IEND", b""));
    let head = chunk(b"IHDR", &[0, 0, 0, 2, 0, 0, 0, 2, 8, 0, 0, 0, 0]);
    for (name, start) in [(b"iCCP", &b"p\0\0"[..]), (b"zTXt", b"p\0\0"), (b"iTXt", b"p\0\x01\0\0\0")] {
        let extra = chunk(name, &packed(start, 100));
        std::fs::write(&path, [b"\x89PNG\r\n\x1a\n", &head[..], &extra, &rows, &end].concat()).unwrap();
        let items = vec![(&path, "a".to_owned())];
        let images = ImageFolderDataset::new_classification_with_items(items, &["a"]).unwrap();
        let before = LIVE.load(Ordering::Relaxed);
        PEAK.store(before, Ordering::Relaxed);
        let image = images.try_get(0).unwrap().unwrap();
        let most = PEAK.load(Ordering::Relaxed) - before;
        assert_eq!(image.image, burn::data::dataset::vision::Pixels::U8(vec![7, 8, 9, 10]));
        assert!(most < 4 << 20, "{}: {most} bytes", String::from_utf8_lossy(name));
    }
}
