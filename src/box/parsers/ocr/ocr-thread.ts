import "../../core/children/without-network.ts"
import { createRequire } from "node:module"
import { giveUpRights } from "../../core/children/walls/give-up-rights.ts"

// Entry of the thread that Tesseract runs in: pictures are what others made, so it has the walls of its process.

giveUpRights()
createRequire(import.meta.url)("tesseract.js/src/worker-script/node/index.js")
