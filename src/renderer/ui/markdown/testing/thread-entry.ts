import { parentPort } from "node:worker_threads"
import type { Block } from "../parse/parse-block.ts"
import { parseAnyBlock } from "../parse/parse-maths.ts"

/** A text whose reading never ends, however fast the computer is. */
const endless = "never ends"

parentPort?.on("message", (block: Block) => {
  while (block.text === endless);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
  parentPort?.postMessage(parseAnyBlock(block))
})
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
parentPort?.postMessage("ready")
