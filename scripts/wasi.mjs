// Runs a program compiled for wasm32-wasip1: node scripts/wasi.mjs PROGRAM.wasm ARGUMENTS. Tests of the CPU backend use it as their
// runner (`CARGO_TARGET_WASM32_WASIP1_RUNNER`).
import { readFile } from "node:fs/promises";
import { WASI } from "node:wasi";

const [program, ...args] = process.argv.slice(2);
const wasi = new WASI({ version: "preview1", args: [program, ...args], env: process.env, preopens: { "/": "/" }, returnOnExit: true });
const { instance } = await WebAssembly.instantiate(await readFile(program), wasi.getImportObject());
process.exit(wasi.start(instance));
