import "../../core/children/without-network.ts"
import { createRequire } from "node:module"
import { dropRights } from "../../core/children/sandbox/give-up-rights.ts"

// Entry point of Tesseract's thread. Images come from other people, so the thread has the sandbox of its process.

dropRights()
createRequire(import.meta.url)("tesseract.js/src/worker-script/node/index.js")
