// Web Workers that compute beside the worker that starts them: see web_workers.rs. Each of them loads this file too.
const NAME = "burn-ndarray";
const isWorker = typeof WorkerGlobalScope !== "undefined";

// What has no reference may be ended by the browser.
const workers = [];

export async function startWorkers(program, module, memory, count) {
  if (count === 0) return;
  if (!globalThis.crossOriginIsolated) {
    throw new Error("init_threads: the page is not cross-origin isolated, and its threads cannot share memory; the server has to send " +
      "`Cross-Origin-Opener-Policy: same-origin` and `Cross-Origin-Embedder-Policy: require-corp` with every file");
  }
  if (!isWorker) throw new Error("init_threads: the thread of a page may not wait for others; expected a call in a Web Worker, where the model runs");
  await Promise.all(Array.from({ length: count }, () => startWorker(program, module, memory)));
}

function startWorker(program, module, memory) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(import.meta.url, { type: "module", name: NAME });
    workers.push(worker);
    const fail = (reason) => reject(new Error(`init_threads: a Web Worker did not start: ${reason}`));
    worker.onerror = (event) => fail(event.message || `${import.meta.url} could not be loaded`);
    worker.onmessage = ({ data: error }) => (error === null ? resolve() : fail(error));
    worker.postMessage([program, module, memory]);
  });
}

async function help({ data: [program, module, memory] }) {
  let exports;
  try {
    exports = await import(program);
    await exports.default({ module_or_path: module, memory });
  } catch (error) {
    return postMessage(String(error));
  }
  postMessage(null);
  try {
    exports.ndarray_helper();
  } catch (error) {
    exports.ndarray_helper_failed();
    throw error;
  }
}

if (isWorker && self.name === NAME) addEventListener("message", help, { once: true });
