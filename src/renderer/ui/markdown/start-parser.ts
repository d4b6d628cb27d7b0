import { BlockParser, type StartThread } from "./parse/block-parser.ts"

const limits = { startMs: 20_000, readMs: 2000 }

const startWorker: StartThread = (onMessage, onFailure) => {
  const worker = new Worker(new URL("parse/parser-worker.ts", import.meta.url), { type: "module" })
  // The styles of formulas must be loaded before the first formula is rendered.
  const styles = import("katex/dist/katex.min.css")
  worker.addEventListener("message", ({ data }) => void styles.then(() => onMessage(data), onFailure))
  worker.addEventListener("error", onFailure)
  worker.addEventListener("messageerror", onFailure)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
  return { send: (block) => worker.postMessage(block), stop: () => worker.terminate() }
}

let parser: BlockParser | undefined

/** The parser for the whole page. Its worker starts with the first piece that needs it. */
export const blockParser = (): BlockParser => (parser ??= new BlockParser(startWorker, limits))
