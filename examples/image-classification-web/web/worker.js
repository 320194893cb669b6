// The networks, in a thread of their own: the page stays usable while they compute. Each message is a number, the name of a function
// below and its arguments; the answer is that number with a value or an error.
import init, { ImageClassifier, backends } from "./image_classification_web.js";

const program = init();
// The failure is an answer to each call.
program.catch(() => {});

const networks = new Map();
const functions = {
  async backends() {
    await program.catch((error) => {
      throw new Error(`The program of the page could not be loaded: ${error.message}. Reload the page to try again.`);
    });
    return backends();
  },
  async load(backend, weights) {
    networks.set(backend, await ImageClassifier.load(weights, backend));
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
