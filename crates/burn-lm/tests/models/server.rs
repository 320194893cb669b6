use crate::fixture::{numbers, tokens};
use crate::generation::generator;
use crate::http_client::{Response, post, request, send};
use burn_lm::EngineOptions;
use burn_lm::server::{LanguageModelServer, ServerOptions};
use serde_json::{Value, json};
use std::io::Read;
use std::net::SocketAddr;
use std::thread;

/// A server on a free port, until the test ends.
fn serve(options: ServerOptions) -> SocketAddr {
    let server = LanguageModelServer::new(generator(), options).unwrap();
    let (sender, receiver) = std::sync::mpsc::channel();
    thread::spawn(move || {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            sender.send(listener.local_addr().unwrap()).unwrap();
            server.serve(listener, std::future::pending()).await.unwrap();
        });
    });
    receiver.recv().unwrap()
}

fn options() -> ServerOptions {
    ServerOptions::new("tiny".to_string()).with_engine(EngineOptions::new().with_cache_positions(2048))
}

fn get(address: SocketAddr, path: &str) -> Response {
    request(address, "GET", path, None, b"")
}

fn metric(address: SocketAddr, name: &str) -> f64 {
    let text = get(address, "/metrics").body;
    let line = text.lines().find_map(|line| line.strip_prefix(&format!("burn_lm_{name} ")));
    line.unwrap_or_else(|| panic!("{name}: {text}")).parse().unwrap()
}

/// The greedy text of transformers, as far as the server's end token allows.
fn greedy() -> (Vec<u32>, String) {
    let expected = tokens("greedy");
    let generated: Vec<u32> =
        numbers(&expected["tokens"]).into_iter().take_while(|token| *token != 2).collect();
    (numbers(&expected["prompt"]), generator().tokenizer.decode(&generated))
}

#[test]
fn x_606_completions_of_concurrent_clients_are_the_greedy_text() {
    let address = serve(options());
    let (prompt, expected) = greedy();
    let body = json!({"model": "tiny", "prompt": prompt, "max_tokens": 24, "temperature": 0});
    let streamed = json!({"model": "tiny", "prompt": "It is a truth", "max_tokens": 24, "temperature": 0,
        "stream": true, "stream_options": {"include_usage": true}});
    let clients: Vec<_> = (0..8)
        .map(|client| {
            let body = if client % 2 == 0 { body.clone() } else { streamed.clone() };
            thread::spawn(move || (client, post(address, "/v1/completions", &body)))
        })
        .collect();
    for client in clients {
        let (client, response) = client.join().unwrap();
        assert_eq!(response.status, 200, "{}", response.body);
        if client % 2 == 0 {
            let json = response.json();
            assert_eq!(json["choices"][0]["text"], expected.as_str());
            assert_eq!(json["object"], "text_completion");
            assert_eq!(json["usage"]["prompt_tokens"], prompt.len());
        } else {
            let events = response.events();
            assert_eq!(events.last().unwrap(), "[DONE]");
            let parts: Vec<Value> =
                events[..events.len() - 1].iter().map(|event| serde_json::from_str(event).unwrap()).collect();
            let text: String = parts.iter().filter_map(|part| part["choices"][0]["text"].as_str()).collect();
            assert_eq!(text, expected);
            assert!(parts.last().unwrap()["usage"]["completion_tokens"].as_u64().unwrap() > 0);
        }
    }
    assert_eq!(metric(address, "requests_total"), 8.0);
    assert_eq!(metric(address, "time_to_first_token_seconds_count"), 8.0);
}

#[test]
fn x_606_chats_use_the_template_and_return_log_probabilities() {
    let address = serve(options());
    let body = json!({
        "model": "tiny", "max_completion_tokens": 6, "temperature": 0, "logprobs": true, "top_logprobs": 2,
        "messages": [{"role": "user", "content": [{"type": "text", "text": " Is it let? "}]}],
    });
    let response = post(address, "/v1/chat/completions", &body);
    assert_eq!(response.status, 200, "{}", response.body);
    let json = response.json();
    assert_eq!(json["object"], "chat.completion");
    assert_eq!(json["choices"][0]["message"]["role"], "assistant");
    let content = json["choices"][0]["logprobs"]["content"].as_array().unwrap();
    assert_eq!(content.len() as u64, json["usage"]["completion_tokens"].as_u64().unwrap());
    for token in content {
        // The token of a greedy text is the most likely one.
        assert_eq!(token["top_logprobs"][0]["logprob"], token["logprob"]);
        assert_eq!(token["top_logprobs"].as_array().unwrap().len(), 2);
    }
    let generator = generator();
    let prompt =
        generator.tokenizer.encode_chat(&[burn_lm::ChatMessage::new("user", " Is it let? ")]).unwrap();
    assert_eq!(json["usage"]["prompt_tokens"], prompt.len());
    let text = generator.generate(burn_lm::GenerationRequest::new(prompt, 6)).unwrap().into_text().unwrap();
    assert_eq!(json["choices"][0]["message"]["content"], text.as_str());
    let streamed = json!({"stream": true, "max_tokens": 6, "temperature": 0, "messages": [{"role": "user", "content": " Is it let? "}]});
    let events = post(address, "/v1/chat/completions", &streamed).events();
    let parts = events.iter().filter_map(|event| serde_json::from_str::<Value>(event).ok());
    let parts: Vec<Value> = parts.collect();
    assert_eq!(parts[0]["choices"][0]["delta"]["role"], "assistant");
    let found: String =
        parts.iter().filter_map(|part| part["choices"][0]["delta"]["content"].as_str()).collect();
    assert_eq!(found, text);
}

#[test]
fn x_606_embeddings_and_models() {
    let address = serve(options());
    let response = post(address, "/v1/embeddings", &json!({"model": "tiny", "input": ["It is", "a truth"]}));
    assert_eq!(response.status, 200, "{}", response.body);
    let json = response.json();
    let generator = generator();
    for (index, text) in ["It is", "a truth"].iter().enumerate() {
        let expected = generator.embed(&generator.tokenizer.encode(text, true).unwrap()).unwrap();
        let found = json["data"][index]["embedding"].as_array().unwrap();
        assert_eq!(found.len(), 16);
        for (found, expected) in found.iter().zip(expected) {
            assert!((found.as_f64().unwrap() - f64::from(expected)).abs() < 1e-6);
        }
    }
    assert_eq!(get(address, "/v1/models").json()["data"][0]["id"], "tiny");
    assert_eq!(get(address, "/health").json()["status"], "ok");
}

#[test]
fn x_606_keys_are_needed_where_there_are_some() {
    let address = serve(options().with_api_keys(vec!["one".into(), "two".into()]));
    let status = |key| request(address, "GET", "/v1/models", key, b"").status;
    assert_eq!([status(None), status(Some("on")), status(Some("three"))], [401, 401, 401]);
    assert_eq!([status(Some("one")), status(Some("two"))], [200, 200]);
    let body = request(address, "GET", "/v1/models", None, b"").json();
    assert_eq!(body["error"]["type"], "authentication_error");
    assert_eq!(get(address, "/health").status, 200);
}

#[test]
fn x_606_wrong_requests_are_errors_and_others_are_served_meanwhile() {
    let address = serve(options().with_max_body_bytes(20_000));
    let check = |response: Response, status: u16, part: &str| {
        assert_eq!(response.status, status, "{}", response.body);
        let message = response.json()["error"]["message"].as_str().unwrap().to_string();
        assert!(message.contains(part), "{message}");
    };
    let complete = |body: Value| post(address, "/v1/completions", &body);
    check(complete(json!({"prompt": "x", "temperature": -1})), 400, "temperature");
    check(complete(json!({"prompt": "x", "n": 2})), 400, "`n`");
    check(complete(json!({"prompt": vec![5; 300], "max_tokens": 3})), 400, "at most 256");
    check(complete(json!({"prompt": "x", "max_tokens": 300, "stream": true})), 400, "at most 256");
    check(complete(json!({"prompt": [400], "max_tokens": 3})), 400, "tokens below 320");
    check(complete(json!({"prompt": "x", "logit_bias": {"a": 1}})), 400, "logit_bias");
    check(complete(json!({"prompt": "x", "max_tokens": "many"})), 422, "");
    check(request(address, "POST", "/v1/completions", None, b"{\"prompt\": \"\xff\"}"), 400, "");
    check(request(address, "POST", "/v1/completions", None, b"{"), 400, "");
    check(
        complete(json!({"prompt": "x", "response_format": {"type": "json_schema",
        "json_schema": {"name": "a", "schema": {"type": "animal"}}}})),
        400,
        "JSON schema",
    );
    let bound = json!({"prompt": "x", "max_tokens": 30, "response_format": {"type": "json_schema",
        "json_schema": {"name": "a", "schema": {"type": "array", "items": {"const": 7}, "minItems": 2, "maxItems": 2}}}});
    let text = complete(bound).json()["choices"][0]["text"].as_str().unwrap().to_string();
    assert_eq!(serde_json::from_str::<Vec<u8>>(&text).unwrap(), [7, 7]);
    check(complete(json!({"prompt": "x", "model": "large"})), 404, "expected `tiny`");
    check(get(address, "/v2"), 404, "no such path");
    let large = json!({"prompt": "x".repeat(30_000)}).to_string();
    assert_eq!(request(address, "POST", "/v1/completions", None, large.as_bytes()).status, 413);
    assert_eq!(complete(json!({"prompt": "It is", "max_tokens": 2, "temperature": 0})).status, 200);
}

#[test]
fn x_606_a_full_queue_is_status_429_and_clients_that_go_are_cancelled() {
    let engine = EngineOptions::new().with_cache_positions(256).with_max_sequences(1);
    let address = serve(ServerOptions::new("tiny".into()).with_engine(engine).with_max_requests(2));
    let long = json!({"prompt": "x", "max_tokens": 250, "stream": true, "temperature": 0, "logit_bias": {"2": -1000}});
    let body = long.to_string();
    // The first is decoded, the second waits.
    let mut first = send(address, "POST", "/v1/completions", None, body.as_bytes());
    first.read_exact(&mut [0; 32]).unwrap();
    let second = send(address, "POST", "/v1/completions", None, body.as_bytes());
    while metric(address, "requests_total") < 2.0 {
        thread::yield_now();
    }
    let refused = post(address, "/v1/completions", &long);
    // The first may have ended by then, on a fast machine.
    assert!(refused.status == 429 || refused.status == 200, "{}", refused.body);
    drop((first, second));
    // Requests of clients that left make room for others.
    let short = json!({"prompt": "x", "max_tokens": 2, "temperature": 0});
    while post(address, "/v1/completions", &short).status == 429 {
        thread::yield_now();
    }
    while metric(address, "sequences_active") + metric(address, "requests_waiting") > 0.0 {
        thread::yield_now();
    }
}
