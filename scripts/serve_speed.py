#!/usr/bin/env python3
"""Tokens a second through `burn-lm serve`: of one stream, and of several at once, in turns.

    burn-lm serve --model gemma3.gguf --listen 127.0.0.1:8080 --sequences 8 --cache-dtype f16
    python scripts/serve_speed.py 127.0.0.1:8080 --streams 8

Counts the tokens between the time when all streams have their first one and the time when one of them ends, so that
prompts are not a part of it.
"""

import argparse
import http.client
import json
import statistics
import threading
import time

WORDS = (
    "the of and to in a is that for it as was with be by on not he his but at are this have from or had an they which"
    " one you were her all she there would their we him been has when who will more no if out so said what up its"
).split()


def stream(address: str, model: str, prompt: str, tokens: int, times: list[float]) -> None:
    connection = http.client.HTTPConnection(address)
    body = {"model": model, "prompt": prompt, "max_tokens": tokens, "temperature": 0, "stream": True}
    connection.request("POST", "/v1/completions", json.dumps(body), {"content-type": "application/json"})
    response = connection.getresponse()
    if response.status != 200:
        raise SystemExit(response.read().decode())
    for line in response:
        if line.startswith(b"data:") and b"[DONE]" not in line:
            times.append(time.perf_counter())


def speed(address: str, model: str, streams: int, arguments: argparse.Namespace) -> float:
    times: list[list[float]] = [[] for _ in range(streams)]
    threads = []
    for index, own in enumerate(times):
        prompt = " ".join(WORDS[(index * 17 + k) % len(WORDS)] for k in range(arguments.words))
        threads.append(threading.Thread(target=stream, args=(address, model, prompt, arguments.tokens, own)))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    begin, end = max(own[0] for own in times), min(own[-1] for own in times)
    return sum(begin < at <= end for own in times for at in own) / (end - begin)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("address")
    parser.add_argument("--streams", type=int, default=8)
    parser.add_argument("--tokens", type=int, default=160)
    parser.add_argument("--words", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    connection = http.client.HTTPConnection(arguments.address)
    connection.request("GET", "/v1/models")
    model = json.load(connection.getresponse())["data"][0]["id"]
    one, several = [], []
    for _ in range(arguments.rounds):
        one.append(speed(arguments.address, model, 1, arguments))
        several.append(speed(arguments.address, model, arguments.streams, arguments))
        print(f"1 stream {one[-1]:.1f} tokens/s, {arguments.streams} streams {several[-1]:.1f}", flush=True)
    ratio = statistics.median(several) / statistics.median(one)
    print(f"medians: {statistics.median(one):.1f}, {statistics.median(several):.1f}, ratio {ratio:.2f}")


if __name__ == "__main__":
    main()
