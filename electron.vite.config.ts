import { existsSync } from "node:fs"
import { join } from "node:path"
import tailwind from "@tailwindcss/vite"
import react from "@vitejs/plugin-react"
import { defineConfig } from "electron-vite"
import { defaultClientConditions, type Plugin } from "vite"
import { apiDocs } from "./scripts/api-docs.ts"
import { builtinModulesWhenRun } from "./scripts/builtin-modules.ts"
import { earlyScript } from "./scripts/early-script.ts"
import { endpoints } from "./scripts/endpoints.ts"
import { lazyShapes } from "./scripts/lazy-shapes.ts"
import { licences } from "./scripts/licences.ts"
import { startChunks } from "./scripts/start-chunks.ts"
import { stripDescriptions } from "./scripts/strip-descriptions.ts"

/**
 * Programs of the box, the auth service and the shell. Child programs are built next to the chunk that starts them
 * (core/children/child.ts).
 */
const programs = {
  main: "src/main/main.ts",
  cli: "src/box/cli.ts",
  auth: "src/auth-service/cli.ts",
  engine: "src/box/engines/llama/process/engine-process.ts",
  parser: "src/box/parsers/process/parser-process.ts",
  "ocr-thread": "src/box/parsers/ocr/ocr-thread.ts",
  calculator: "src/box/tools/calculate/calculator-process.ts",
  python: "src/box/tools/code-interpreter/python-process.ts",
  "database-checker": "src/box/core/database/sqlite/integrity/checker-process.ts",
  "database-converter": "src/box/core/database/sqlite/space/converter-process.ts",
  "table-maker": "src/box/features/tables/making/table-maker-process.ts",
  "table-query": "src/box/features/tables/asking/table-query-process.ts",
}

/** The box also serves the page at paths like /inter/chat/1, so its files need absolute paths. */
const absoluteBase: Plugin = { name: "absolute-base", enforce: "post", config: () => ({ base: "/" }) }

/** Pure JavaScript packages needed at startup: one bundled file loads three times as fast as hundreds. */
const bundled = [
  "express",
  "file-type",
  "kysely",
  "pino",
  "uuid",
  "zod",
  "undici",
  "ws",
  "@fastify/busboy",
  "htmlparser2",
  "ignore",
  "ipaddr.js",
  "eventsource-parser",
  "tar",
  "@modelcontextprotocol/client",
  "@modelcontextprotocol/server",
  "range-parser",
  "content-disposition",
]

/** CommonJS packages that load a lot of code not needed at startup. Their functions load them at the first call. */
const loadedWhenCalled: Readonly<Record<string, readonly string[]>> = {
  "iconv-lite": ["decode", "encode", "encodingExists", "getDecoder"],
  "mime-types": ["charset", "contentType", "extension", "lookup"],
}

const whenCalled: Plugin = {
  name: "loaded-when-called",
  enforce: "pre",
  resolveId: (id) => (Object.hasOwn(loadedWhenCalled, id) ? `\0when-called:${id}` : null),
  load(id) {
    const name = id.startsWith("\0when-called:") ? id.slice(13) : ""
    const functions = loadedWhenCalled[name]
    if (!functions) return null
    const calls = functions.map((each) => `export const ${each} = (...args) => load().${each}(...args)`)
    const load = `const load = () => createRequire(import.meta.url)(${JSON.stringify(name)})`
    const whole = `export default { ${functions.join(", ")} }`
    return [`import { createRequire } from "node:module"`, load, ...calls, whole].join("\n")
  },
}

/** Express's parts use this package to print values in error messages; Node already has an equivalent. */
const inspectOfNode: Plugin = {
  name: "inspect-of-node",
  enforce: "pre",
  resolveId: (id) => (id === "object-inspect" ? "\0object-inspect" : null),
  load: (id) =>
    id === "\0object-inspect" ? `module.exports = (value) => require("node:util").inspect(value)` : null,
}

const { cli, main, ...children } = programs
/** Loading TLS makes Node read certificates in another thread. Only WebSocket clients need it. */
const tlsWhenUsed: Plugin = {
  name: "tls-when-used",
  transform: {
    filter: { id: /\/ws\/lib\/websocket\.js$/ },
    handler: (code) =>
      code.replaceAll(
        /const (https|tls) = require\('\1'\)/g,
        "const $1 = new Proxy({}, { get: (_, name) => require('$1')[name] })",
      ),
  },
}

/** Modules loaded in each step of the box's start, and the other programs that may load some of them. */
const chunksOfStart = startChunks(
  import.meta.dirname,
  {
    lean: [cli],
    early: ["src/box/core/process/stop-signals.ts", "src/box/core/process/compile-cache.ts"],
    box: ["src/box/commands/command-line.ts", "src/box/commands/run-box.ts"],
  },
  {
    commands: ["src/box/commands/command-line.ts", "src/box/commands/registry.ts"],
    shell: [main],
    ...Object.fromEntries(Object.entries(children).map(([name, path]) => [name, [path]])),
  },
)

const pageTarget = "es2023"

export default defineConfig({
  main: {
    plugins: [
      whenCalled,
      inspectOfNode,
      tlsWhenUsed,
      stripDescriptions(),
      lazyShapes(),
      builtinModulesWhenRun(),
    ],
    build: {
      externalizeDeps: { exclude: [...bundled, ...Object.keys(loadedWhenCalled)] },
      sourcemap: true,
      rolldownOptions: {
        input: Object.fromEntries(Object.entries(programs).filter(([, path]) => existsSync(path))),
        output: {
          entryFileNames: "[name].js",
          chunkFileNames: "[name]-[hash].js",
          // Loaded code stays in memory as text, which takes twice the space if it contains a single non-Latin character.
          charset: "ascii",
          comments: { legal: true, annotation: false, jsdoc: false },
          codeSplitting: { groups: [chunksOfStart] },
        },
      },
    },
  },
  preload: {
    build: {
      // A sandboxed preload script can't load packages, so everything is bundled into one file.
      externalizeDeps: false,
      rolldownOptions: {
        input: { preload: "src/preload/preload.ts" },
        output: { format: "cjs", entryFileNames: "[name].cjs" },
      },
    },
  },
  renderer: {
    root: "src/renderer",
    plugins: [
      react(),
      tailwind(),
      stripDescriptions(),
      endpoints(),
      earlyScript(join(import.meta.dirname, "src/renderer/early.ts"), pageTarget),
      licences(import.meta.dirname),
      apiDocs(import.meta.dirname),
      absoluteBase,
    ],
    worker: { format: "es" },
    // Packages that use `document` if it exists have another variant for workers, which parses the same everywhere.
    resolve: {
      conditions: ["worker", ...defaultClientConditions],
      alias: [{ find: /^zod$/, replacement: join(import.meta.dirname, "src/renderer/lib/browser/zod.ts") }],
    },
    build: {
      outDir: "out/renderer",
      target: pageTarget,
      cssTarget: ["chrome123", "firefox128", "safari17.5"],
      minify: true,
      assetsInlineLimit: 0, // the page's content policy allows no data: fonts
      rolldownOptions: {
        input: "src/renderer/index.html",
        output: {
          // The first file names all others. Hashes don't compress, and 7 characters are enough.
          chunkFileNames: "assets/[name]-[hash:7].js",
          assetFileNames: "assets/[name]-[hash:7][extname]",
          // Code needed at startup is one file, and shared icons are another. Otherwise each icon that two parts share would be a separate
          // file.
          codeSplitting: {
            groups: [
              { name: "page", tags: ["$initial"], priority: 2 },
              { name: "icons", test: /lucide-react/, minShareCount: 2, priority: 1 },
            ],
          },
        },
      },
    },
  },
})
