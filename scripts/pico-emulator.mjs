// Runs a program for the Raspberry Pi Pico in an emulator of its chip, and prints how often its light blinks between pauses:
//
//     npm install --prefix FOLDER rp2040js
//     NODE_PATH=FOLDER/node_modules node scripts/pico-emulator.mjs target/thumbv6m-none-eabi/firmware/examples/pico [SECONDS]
//
// That of the example `raspberry-pi-pico` blinks the digits that it reads. There is no boot ROM, and nothing on the other end of the
// USB; time is that of the emulated chip, whose cycles are counted.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const { ConsoleLogger, LogLevel, Simulator } = createRequire(import.meta.url)("rp2040js");

const FLASH = 0x10000000;
const VECTORS = FLASH + 0x100;
const LIGHT = 25;

// Loads the segments of a program that lie in flash.
function load(file, flash) {
  const bytes = readFileSync(file);
  const [start, size, count] = [bytes.readUInt32LE(28), bytes.readUInt16LE(42), bytes.readUInt16LE(44)];
  for (let index = 0; index < count; index++) {
    const [kind, offset, , address, length] = [0, 4, 8, 12, 16].map((at) => bytes.readUInt32LE(start + index * size + at));
    if (kind === 1 && length > 0) flash.set(bytes.subarray(offset, offset + length), address - FLASH);
  }
}

const [file, seconds = "60"] = process.argv.slice(2);
const simulator = new Simulator();
const chip = simulator.rp2040;
chip.logger = new ConsoleLogger(LogLevel.Error);
load(file, chip.flash);
chip.core.VTOR = VECTORS;
chip.core.reset();

let blinks = 0;
let last = 0;
chip.gpio[LIGHT].addListener((state) => {
  if (state !== 1) return;
  const now = simulator.clock.nanos / 1e9;
  if (blinks > 0 && now - last > 0.5) {
    console.log(`${blinks} blinks, then a pause of ${(now - last).toFixed(3)} s`);
    blinks = 0;
  }
  if (now > Number(seconds)) process.exit(0);
  [blinks, last] = [blinks + 1, now];
});
simulator.execute();
