import packageJson from "../../../../package.json" with { type: "json" }
import { z } from "zod"
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from "zod-openapi"
import { api } from "../../../shared/contract/api.ts"
import type { Contract, Endpoint } from "../../../shared/contract/endpoint.ts"
import { AnthropicErrorBody, ErrorBody, OpenAiErrorBody } from "../../../shared/contract/errors.ts"

/** Describes the contract in OpenAPI 3.1. */
export function describeApi(api: Record<string, Contract>, version: string) {
  const paths: ZodOpenApiPathsObject = {}
  for (const [feature, contract] of Object.entries(api)) {
    for (const [name, endpoint] of Object.entries(contract)) {
      const path = endpoint.path.replace(/:(\w+)/g, "{$1}")
      paths[path] = { ...paths[path], [endpoint.method]: describeOperation(feature, name, endpoint) }
    }
  }
  return createDocument({
    openapi: "3.1.0",
    info: {
      title: "Casella box",
      version,
      description:
        "The local AI workspace server that Casella embeds. The app and any script speak this API.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "http://127.0.0.1:8484" }],
    security: [{ apiKey: [] }],
    components: {
      securitySchemes: {
        apiKey: { type: "apiKey", in: "header", name: "x-api-key" },
        bearer: { type: "http", scheme: "bearer", description: "The same key, for /api/v1/* only" },
      },
    },
    paths,
  })
}

export type ApiDocument = ReturnType<typeof describeApi>

function describeOperation(feature: string, name: string, endpoint: Endpoint): ZodOpenApiOperationObject {
  const openAi = endpoint.path.startsWith("/api/v1/")
  const names = [...endpoint.path.matchAll(/:(\w+)/g)].map((match) => match[1] ?? "")
  const body = requestBody(endpoint)
  return {
    operationId: `${feature}.${name}`,
    summary: endpoint.summary,
    tags: [feature],
    ...(endpoint.access === "public"
      ? { security: [] }
      : openAi
        ? { security: [{ apiKey: [] }, { bearer: [] }] }
        : {}),
    requestParams: {
      ...(names.length > 0
        ? { path: z.object(Object.fromEntries(names.map((key) => [key, z.string()]))) }
        : {}),
      ...(endpoint.query ? { query: endpoint.query } : {}),
    },
    ...(body ? { requestBody: body } : {}),
    responses: {
      ...success(endpoint),
      default: {
        description: "An error",
        content: { "application/json": { schema: getErrorBody(endpoint.path) } },
      },
    },
  }
}

function getErrorBody(path: string): z.ZodType {
  if (path.startsWith("/api/v1/messages")) return AnthropicErrorBody
  return path.startsWith("/api/v1/") ? OpenAiErrorBody : ErrorBody
}

function requestBody(endpoint: Endpoint): ZodOpenApiOperationObject["requestBody"] {
  if (endpoint.kind === "upload") {
    const { file, maxFileBytes, fields } = endpoint.form
    const [name, ...others] = file
    const notes = [
      ...(maxFileBytes === undefined ? [] : [`At most ${maxFileBytes} bytes.`]),
      ...(others.length === 0 ? [] : [`May also be called \`${others.join("`, `")}\`.`]),
    ]
    const bytes = z
      .string()
      .meta({ override: { type: "string", format: "binary" }, description: notes.join(" ") })
    return {
      required: true,
      content: { "multipart/form-data": { schema: z.object({ [name]: bytes, ...fields?.shape }) } },
    }
  }
  if (!("body" in endpoint) || endpoint.body === undefined) return undefined
  return { required: true, content: { "application/json": { schema: endpoint.body } } }
}

function success(endpoint: Endpoint): ZodOpenApiOperationObject["responses"] {
  switch (endpoint.kind) {
    case "bytes":
      return { 200: { description: "The bytes", content: { [endpoint.mediaType]: {} } } }
    case "stream":
      return {
        200: {
          description: "Server-Sent Events, each `data:` line one value of this schema",
          content: { "text/event-stream": { schema: endpoint.event } },
        },
      }
    case "json":
    case "upload": {
      const answer = {
        description: "Success",
        content: { "application/json": { schema: endpoint.output } },
      }
      const other = endpoint.kind === "json" ? endpoint.otherStatus : undefined
      return {
        [`${endpoint.status ?? 200}` as "200"]: answer,
        ...(other === undefined
          ? {}
          : { [`${other}` as "202"]: { ...answer, description: other < 400 ? "Success" : "Unready" } }),
      }
    }
  }
}

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

/** Returns the text of the committed openapi.json. */
export const renderOpenApi = (): string =>
  `${JSON.stringify(describeApi(api, packageJson.version), null, 2)}\n`
