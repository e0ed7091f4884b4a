// Runs the agent's command module for many conversations under Node's own WASI.
//
//   node node_host.mjs hermes_agent.wasm IN_FOLDER OUT_FOLDER
//
// Each file of IN_FOLDER becomes the stdin of a fresh instance, the file of the same name in
// OUT_FOLDER its stdout. Compiled once.

import { closeSync, openSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { WASI } from "node:wasi";

const [wasm, inFolder, outFolder] = process.argv.slice(2);
const module = await WebAssembly.compile(readFileSync(wasm));

for (const name of readdirSync(inFolder).sort()) {
  const stdin = openSync(join(inFolder, name), "r");
  const stdout = openSync(join(outFolder, name), "w");
  const wasi = new WASI({
    version: "preview1",
    args: ["hermes_agent"],
    env: {},
    stdin,
    stdout,
    returnOnExit: true,
  });
  const instance = await WebAssembly.instantiate(module, wasi.getImportObject());
  const code = wasi.start(instance);
  closeSync(stdin);
  closeSync(stdout);
  if (code !== 0) {
    console.error(`${name}: the agent exited with ${code}`);
    process.exitCode = 1;
  }
}
