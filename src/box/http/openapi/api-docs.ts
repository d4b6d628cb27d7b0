import type { ApiDocument } from "./openapi.ts"

/** Renders the API description as a readable page without scripts. */
export function renderApiDocs(document: ApiDocument): string {
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    Object.entries(item ?? {}).map(([method, operation]) => ({
      path,
      method,
      ...(operation as { summary?: string; tags?: string[]; parameters?: unknown[] }),
      detail: operation as object,
    })),
  )
  const tags = [...new Set(operations.map((operation) => operation.tags?.[0] ?? "other"))]
  const sections = tags.map((tag) => {
    const rows = operations
      .filter((operation) => (operation.tags?.[0] ?? "other") === tag)
      .map(
        ({
          path,
          method,
          summary,
          detail,
        }) => `<details><summary><b class="${method}">${method.toUpperCase()}</b>
<code>${escape(path)}</code> <span>${escape(summary ?? "")}</span></summary>
<pre>${escape(JSON.stringify(detail, null, 2))}</pre></details>`,
      )
    return `<h2 id="${escape(tag)}">${escape(tag)}</h2>${rows.join("")}`
  })
  const schemas = Object.entries(document.components?.schemas ?? {}).map(
    ([name, schema]) =>
      `<details id="${escape(name)}"><summary><code>${escape(name)}</code></summary><pre>${escape(JSON.stringify(schema, null, 2))}</pre></details>`,
  )
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>Casella API</title><style>${style}</style>
<main><h1>Casella API</h1><p>Version ${escape(document.info.version)}. Send your key in the <code>x-api-key</code> header.
The machine-readable description is at <a href="/api/openapi.json">/api/openapi.json</a>.</p>
<nav>${tags.map((tag) => `<a href="#${escape(tag)}">${escape(tag)}</a>`).join(" ")} <a href="#schemas">schemas</a></nav>
${sections.join("")}<h2 id="schemas">schemas</h2>${schemas.join("")}</main></html>`
}

const style = `
:root{font:15px/1.5 system-ui,sans-serif}body{margin:0}main{max-width:60rem;margin:0 auto;padding:2rem 1rem}
h2{margin-top:2.5rem;text-transform:capitalize}nav{display:flex;gap:1rem;flex-wrap:wrap}
details{border:1px solid color-mix(in srgb,currentColor 18%,transparent);border-radius:8px;margin:.4rem 0;padding:.5rem .75rem}
summary{cursor:pointer}summary b{display:inline-block;width:4.2rem;font-size:.8rem}summary span{opacity:.75}
pre{overflow:auto;font-size:.8rem;max-height:30rem}`

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
