use crate::fixture::{B, folder, numbers, tokens};
use crate::http_client::request;
use burn_core::tensor::Tensor;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Output, Stdio};

fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_burn-lm"));
    command.args(arguments);
    command
}

fn output(arguments: &[&str]) -> Output {
    program(arguments).output().unwrap()
}

fn path(name: &str) -> String {
    folder(name).display().to_string()
}

#[test]
fn x_609_run_continues_a_prompt_and_chats() {
    let found = output(&["run", &path("chat.gguf"), "--prompt", "It is a truth", "--max-tokens", "24"]);
    assert!(found.status.success(), "{}", String::from_utf8_lossy(&found.stderr));
    let expected = tokens("greedy");
    let generated: Vec<u32> =
        numbers(&expected["tokens"]).into_iter().take_while(|token| *token != 2).collect();
    let text = crate::generation::generator().tokenizer.decode(&generated);
    assert_eq!(String::from_utf8_lossy(&found.stdout), format!("{text}\n"));

    let mut chat = program(&["run", &path("chat"), "--max-tokens", "4", "--context", "256"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    chat.stdin.take().unwrap().write_all(b"Is it let?\n\nWhy?\n").unwrap();
    let found = chat.wait_with_output().unwrap();
    assert!(found.status.success());
    assert!(!found.stdout.is_empty());
}

#[test]
fn x_609_bench_and_perplexity_print_their_figures() {
    let model = path("chat");
    let found = output(&["bench", &model, "--prompt-tokens", "40", "--decode-tokens", "4", "--repeat", "1"]);
    let text = String::from_utf8_lossy(&found.stdout).into_owned();
    assert!(
        text.contains("prefill of 40 tokens: ") && text.contains("decode of 4 tokens after 40"),
        "{text}"
    );
    let text = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(text.path(), "It is a truth universally acknowledged").unwrap();
    let found = output(&["perplexity", &model, &text.path().display().to_string(), "--window", "64"]);
    let generator = crate::generation::generator();
    let tokens = generator.tokenizer.encode("It is a truth universally acknowledged", true).unwrap();
    let expected = generator.perplexity(&tokens, 64).unwrap();
    let line = format!("perplexity of {} tokens: {expected:.4}\n", tokens.len());
    assert_eq!(String::from_utf8_lossy(&found.stdout), line);
    std::fs::write(text.path(), b"\xff\xfe").unwrap();
    let found = output(&["perplexity", &model, &text.path().display().to_string()]);
    assert!(!found.status.success() && String::from_utf8_lossy(&found.stderr).contains("not UTF-8"));
}

/// The model of the chat with heads of 32 in place of 4: their rows and columns, eight times.
fn with_heads_of_32() -> tempfile::TempDir {
    let wide = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(folder("chat").join("config.json")).unwrap();
    assert!(text.contains("\"head_dim\": 4"));
    std::fs::write(wide.path().join("config.json"), text.replace("\"head_dim\": 4", "\"head_dim\": 32"))
        .unwrap();
    std::fs::copy(folder("chat").join("tokenizer.json"), wide.path().join("tokenizer.json")).unwrap();
    let weights = burn_import::safetensors::open(folder("chat").join("model.safetensors")).unwrap();
    let tensors = weights.tensors().iter().map(|tensor| {
        let data = weights.read(tensor.name()).unwrap().unwrap();
        let x = || Tensor::<B, 2>::from_data(data.clone(), &Default::default());
        let data = match tensor.name() {
            name if ["q_proj", "k_proj", "v_proj"].iter().any(|part| name.contains(part)) => {
                x().repeat_dim(0, 8).into_data()
            }
            name if name.contains("o_proj") => x().repeat_dim(1, 8).into_data(),
            _ => data,
        };
        (tensor.name().to_string(), data)
    });
    burn_import::safetensors::save_tensors(tensors.collect(), wide.path().join("model.safetensors")).unwrap();
    wide
}

#[test]
fn x_609_bench_has_a_cache_of_8_bits_where_heads_are_whole_blocks() {
    let wide = with_heads_of_32();
    let bench = |model: &str| {
        let few = ["--prompt-tokens", "40", "--decode-tokens", "4", "--repeat", "1"];
        let found = output(&[&["bench", model, "--cache-dtype", "q8"], &few[..]].concat());
        (found.status.success(), String::from_utf8_lossy(&[found.stdout, found.stderr].concat()).into_owned())
    };
    let (is_done, text) = bench(&wide.path().display().to_string());
    assert!(is_done && text.contains("decode of 4 tokens after 40"), "{text}");
    let (is_done, text) = bench(&path("chat"));
    assert!(!is_done && text.contains("multiple of 32"), "{text}");
}

#[test]
fn x_609_perplexity_shows_what_the_rounding_of_a_cache_costs() {
    let wide = with_heads_of_32();
    let text = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(text.path(), "It is a truth universally acknowledged, that a single man is in want")
        .unwrap();
    let (model, text) = (wide.path().display().to_string(), text.path().display().to_string());
    let perplexity = |cache: &[&str]| -> f64 {
        let found = output(&[&["perplexity", &model, &text, "--window", "64"], cache].concat());
        let found = String::from_utf8_lossy(&found.stdout).into_owned();
        found
            .trim()
            .rsplit(' ')
            .next()
            .and_then(|number| number.parse().ok())
            .expect("a number ends the line")
    };
    let exact = perplexity(&[]);
    assert_eq!(perplexity(&["--cache-dtype", "f32"]), exact);
    let rounded = perplexity(&["--cache-dtype", "q8"]);
    assert!(rounded != exact && (rounded / exact - 1.0).abs() < 0.02, "{rounded} for {exact}");
}

#[test]
fn x_609_serve_answers_on_the_port_that_it_prints() {
    let mut server =
        program(&["serve", "--model", &path("chat"), "--listen", "127.0.0.1:0", "--cache", "256"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().trim_start_matches("http://").parse().unwrap();
    let response = request(address, "GET", "/v1/models", None, b"");
    server.kill().unwrap();
    server.wait().unwrap();
    assert_eq!(response.json()["data"][0]["id"], "chat");
}

#[test]
fn x_609_a_file_that_is_no_model_is_an_error_with_its_name() {
    let found = output(&["run", &path("tokens.json"), "--prompt", "x"]);
    let text = String::from_utf8_lossy(&found.stderr).into_owned();
    assert!(!found.status.success() && text.contains("tokens.json") && text.contains("burn-lm: "), "{text}");
}
