import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { basename, join } from "node:path"
import type { Plugin } from "vite"

/** Files that the page of the API reference loads, by the names in its HTML. */
const files = {
  "swagger-ui.css": "node_modules/swagger-ui-dist/swagger-ui.css",
  "swagger-ui-bundle.js": "node_modules/swagger-ui-dist/swagger-ui-bundle.js",
  "api-docs.css": "resources/api-docs/api-docs.css",
  "api-docs.js": "resources/api-docs/api-docs.js",
} as const

/** Adds the API reference to the built page: `api-docs.html` and what it loads. The app loads none of it. */
export function apiDocs(root: string): Plugin {
  return {
    name: "api-docs",
    generateBundle() {
      let html = readFileSync(join(root, "resources/api-docs/index.html"), "utf8")
      for (const [name, path] of Object.entries(files)) {
        // The source maps aren't part of the package's files that ship.
        const source = readFileSync(join(root, path), "utf8").replace(/^\/[/*]# sourceMappingURL=.*$/m, "")
        const fileName = `assets/${hashedName(name, source)}`
        this.emitFile({ type: "asset", fileName, source })
        html = html.replace(`"${name}"`, `"/${fileName}"`)
      }
      this.emitFile({ type: "asset", fileName: "api-docs.html", source: html })
    },
  }
}

function hashedName(name: string, source: string): string {
  const hash = createHash("sha256").update(source).digest("base64url").slice(0, 7)
  const [stem = "", extension = ""] = basename(name).split(/\.(?=\w+$)/)
  return `${stem}-${hash}.${extension}`
}
