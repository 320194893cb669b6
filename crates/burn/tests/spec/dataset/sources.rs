//! Sources of items beyond the basic ones (X-309).

use burn::data::dataset::source::JsonLinesDataset;
use burn::data::dataset::text::TextFolderDataset;
use burn::data::dataset::transform::SelectionDataset;
use burn::data::dataset::vision::{Annotation, BoundingBox, ImageFolderDataset, PixelDepth, Pixels};
use burn::data::dataset::{Dataset, InMemDataset};
use serde::Deserialize;
use std::path::Path;

#[test]
fn x_309_lines_of_json_are_items() {
    #[derive(Deserialize, Debug, PartialEq, Clone)]
    struct Item {
        text: String,
        #[serde(default)]
        label: Option<u8>,
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("items.jsonl");
    std::fs::write(&path, "{\"text\": \"one\\nline\", \"label\": 3}\n\n{\"text\": \"ü\"}\n").unwrap();
    let lazy = JsonLinesDataset::<Item>::open(&path).unwrap();
    let expected =
        [Item { text: "one\nline".to_owned(), label: Some(3) }, Item { text: "ü".to_owned(), label: None }];
    assert_eq!(lazy.iter().collect::<Vec<_>>(), expected);
    assert_eq!(InMemDataset::<Item>::from_json_lines(&path).unwrap().get(1), Some(expected[1].clone()));
    std::fs::write(&path, "{\"text\": \"a\"}\n{\"label\": 1}\n").unwrap();
    let error = JsonLinesDataset::<Item>::open(&path).unwrap().try_get(1).unwrap_err().to_string();
    assert!(error.contains("items.jsonl, line 2: missing field `text`"), "{error}");
}

#[test]
fn x_309_texts_of_folders_have_the_folder_as_their_class() {
    let root = tempfile::tempdir().unwrap();
    for (path, text) in [("ham/1.txt", "See you."), ("spam/1.txt", "You won!"), ("spam/notes.md", "no text")]
    {
        write(&root.path().join(path), text.as_bytes());
    }
    let dataset = TextFolderDataset::new_classification(root.path()).unwrap();
    let items: Vec<(String, Option<usize>)> = dataset.iter().map(|item| (item.text, item.label)).collect();
    assert_eq!(items, [("See you.".to_owned(), Some(0)), ("You won!".to_owned(), Some(1))]);
    assert_eq!(dataset.classes(), ["ham", "spam"]);
    let markdown = TextFolderDataset::new_unlabelled(root.path(), &["md"]).unwrap();
    assert_eq!(markdown.get(0).unwrap().text, "no text");
    std::fs::create_dir(root.path().join("void")).unwrap();
    let error = TextFolderDataset::new_classification(root.path()).unwrap_err().to_string();
    assert!(error.contains("void"), "a class without a text is named: {error}");
}

fn write(path: &Path, content: &[u8]) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, content).unwrap();
}

/// A grey PNG image of 2 x 2 pixels with 8 or 16 bits, and none of its bytes from an encoder: stored DEFLATE
/// blocks.
fn png(bits: u8, rows: [&[u8]; 2]) -> Vec<u8> {
    let raw: Vec<u8> = rows.iter().flat_map(|row| [&[0][..], row].concat()).collect();
    let adler = raw.iter().fold((1_u32, 0_u32), |(a, b), byte| {
        let a = (a + u32::from(*byte)) % 65_521;
        (a, (b + a) % 65_521)
    });
    let length = raw.len() as u16;
    let mut zlib = vec![0x78, 0x01, 0x01];
    zlib.extend(length.to_le_bytes());
    zlib.extend((!length).to_le_bytes());
    zlib.extend(&raw);
    zlib.extend((adler.1 << 16 | adler.0).to_be_bytes());
    let head = [&2_u32.to_be_bytes()[..], &2_u32.to_be_bytes(), &[bits, 0, 0, 0, 0]].concat();
    let chunk = |name: &[u8; 4], content: &[u8]| {
        let named = [&name[..], content].concat();
        [&(content.len() as u32).to_be_bytes()[..], &named, &crc32(&named).to_be_bytes()].concat()
    };
    [b"\x89PNG\r\n\x1a\n".to_vec(), chunk(b"IHDR", &head), chunk(b"IDAT", &zlib), chunk(b"IEND", &[])]
        .concat()
}

fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), step))
}

#[test]
fn x_309_a_mask_gives_each_pixel_a_class() {
    let root = tempfile::tempdir().unwrap();
    write(&root.path().join("images/a.png"), &png(8, [&[10, 20], &[30, 40]]));
    write(&root.path().join("masks/a.png"), &png(8, [&[0, 2], &[1, 0]]));
    let (images, masks) = (root.path().join("images"), root.path().join("masks"));
    let dataset = ImageFolderDataset::new_segmentation(&images, &masks, &["sky", "sea", "sand"]).unwrap();
    let item = dataset.get(0).unwrap();
    assert_eq!(item.image, Pixels::U8(vec![10, 20, 30, 40]));
    let Annotation::SegmentationMask(mask) = item.annotation else { panic!("{:?}", item.annotation) };
    assert_eq!(mask.mask, [0, 2, 1, 0]);

    let two = ImageFolderDataset::new_segmentation(&images, &masks, &["sky", "sea"]).unwrap();
    let error = two.try_get(0).unwrap_err().to_string();
    assert!(error.contains("row 0, column 1 has class 2 of 2"), "{error}");
    std::fs::remove_file(masks.join("a.png")).unwrap();
    let error = ImageFolderDataset::new_segmentation(&images, &masks, &["sky"]).unwrap_err().to_string();
    assert!(error.contains("the mask of") && error.contains("a.png"), "{error}");
}

#[test]
fn x_309_boxes_of_coco_belong_to_their_image() {
    let root = tempfile::tempdir().unwrap();
    write(&root.path().join("images/a.png"), &png(8, [&[10, 20], &[30, 40]]));
    let json = r#"{"images": [{"id": 7, "file_name": "a.png", "width": 2, "height": 2}],
        "annotations": [{"id": 1, "image_id": 7, "category_id": 90, "bbox": [0, 0.5, 1, 1.5]}],
        "categories": [{"id": 90, "name": "bird"}, {"id": 4, "name": "cat"}]}"#;
    let path = root.path().join("boxes.json");
    write(&path, json.as_bytes());
    let dataset = ImageFolderDataset::new_coco_detection(&path, root.path().join("images")).unwrap();
    assert_eq!(dataset.classes(), ["cat", "bird"]);
    let boxed = BoundingBox { x: 0.0, y: 0.5, width: 1.0, height: 1.5, label: 1 };
    assert_eq!(dataset.get(0).unwrap().annotation, Annotation::BoundingBoxes(vec![boxed]));

    write(&path, json.replace("\"image_id\": 7", "\"image_id\": 8").as_bytes());
    let error = ImageFolderDataset::new_coco_detection(&path, root.path()).unwrap_err().to_string();
    assert!(error.contains("boxes.json is damaged: it has no image with the id 8"), "{error}");
}

#[test]
fn x_309_pixels_keep_the_depth_of_their_file_and_change_it_on_request() {
    let root = tempfile::tempdir().unwrap();
    write(&root.path().join("grey/a.png"), &png(8, [&[0, 1], &[128, 255]]));
    write(&root.path().join("grey/b.png"), &png(16, [&[0, 0, 0, 1], &[1, 1, 255, 255]]));
    let dataset = ImageFolderDataset::new_classification(root.path()).unwrap();
    let (eight, sixteen) = (dataset.get(0).unwrap().image, dataset.get(1).unwrap().image);
    assert_eq!((eight.depth(), sixteen.depth()), (PixelDepth::U8, PixelDepth::U16));
    assert_eq!(sixteen, Pixels::U16(vec![0, 1, 257, 65_535]));
    assert_eq!(sixteen.to_depth(PixelDepth::U8), Pixels::U8(vec![0, 0, 1, 255]));
    assert_eq!(eight.to_depth(PixelDepth::U16), Pixels::U16(vec![0, 257, 128 * 257, 65_535]));
    assert_eq!(eight.to_depth(PixelDepth::F32).to_depth(PixelDepth::U8), eight);
}

#[test]
fn x_309_files_are_chosen_by_their_extension() {
    let root = tempfile::tempdir().unwrap();
    for name in ["a.png", "b.PNG", "c.jpg", "d.txt"] {
        write(&root.path().join("one").join(name), &png(8, [&[0, 0], &[0, 0]]));
    }
    let count = |extensions: &[&str]| {
        ImageFolderDataset::new_classification_with(root.path(), extensions).map(|dataset| dataset.len()).ok()
    };
    assert_eq!(count(&["png"]), Some(2));
    assert_eq!(count(&["png", "jpg"]), Some(3));
    assert_eq!(count(&["bmp"]), None);
}

#[test]
fn x_309_a_selection_has_the_items_of_its_indices() {
    let letters = InMemDataset::new(vec!['a', 'b', 'c', 'd']);
    let selected = SelectionDataset::new(letters.clone(), vec![3, 0, 3]).unwrap();
    assert_eq!(selected.iter().collect::<Vec<_>>(), ['d', 'a', 'd']);
    let vowels = SelectionDataset::filter(letters.clone(), |letter| "aeiou".contains(*letter)).unwrap();
    assert_eq!(vowels.iter().collect::<Vec<_>>(), ['a']);
    let error = SelectionDataset::new(letters, vec![4]).unwrap_err().to_string();
    assert!(error.contains("index 4") && error.contains("length 4"), "{error}");
}

#[test]
fn x_309_windows_are_a_method_of_every_dataset() {
    let windows = InMemDataset::new(vec![1, 2, 3, 4]).windows(3);
    assert_eq!(windows.iter().collect::<Vec<_>>(), [[1, 2, 3], [2, 3, 4]]);
}
