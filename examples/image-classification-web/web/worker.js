// The networks, in a thread of their own: the page stays usable while they compute. Each message is a number, the name of a function
// below and its arguments; the answer is that number with a value or an error.
import init, * as page from "./image_classification_web.js";

// Threads, where the page was built with them: as many as processors, or as `?threads=N` says.
async function start() {
  await init().catch((error) => {
    throw new Error(`The program of the page could not be loaded: ${error.message}. Reload the page to try again.`);
  });
  const wanted = Number(new URLSearchParams(location.search).get("threads") ?? navigator.hardwareConcurrency);
  return page.init_threads ? page.init_threads(wanted) : 1;
}
const program = start();
// The failure is an answer to each call.
program.catch(() => {});

const networks = new Map();
const functions = {
  threads: () => program,
  async backends() {
    await program;
    return page.backends();
  },
  async load(backend, weights) {
    networks.set(backend, await page.ImageClassifier.load(weights, backend));
  },
  inference: (backend, pixels) => networks.get(backend).inference(pixels),
};

addEventListener("message", async ({ data: [number, name, ...rest] }) => {
  try {
    postMessage({ number, value: await functions[name](...rest) });
  } catch (error) {
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    postMessage({ number, error: { message, stack, isPanic: error instanceof WebAssembly.RuntimeError } });
  }
});
