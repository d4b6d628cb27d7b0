import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { api } from "../../../shared/contract/api.ts"
import type { Contract } from "../../../shared/contract/endpoint.ts"
import { renderApiDocs } from "./api-docs.ts"
import { renderOpenApi } from "./openapi-file.ts"
import { describeApi } from "./openapi.ts"

// Would catch: a contract changed without `npm run openapi`.
it("openapi.json is current", () => {
  expect(readFileSync(new URL("../../../../openapi.json", import.meta.url), "utf8")).toBe(renderOpenApi())
})

it("describes every endpoint, each once", () => {
  const document = describeApi(api, "0")
  const described = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method} ${path.replace(/\{(\w+)\}/g, ":$1")}`),
  )
  const declared = Object.values<Contract>(api).flatMap((contract) =>
    Object.values(contract).map((endpoint) => `${endpoint.method} ${endpoint.path}`),
  )
  expect(described.toSorted()).toEqual(declared.toSorted())
})

// Would catch: a description that runs as markup in the docs page.
it("the docs page escapes what it shows", () => {
  const document = describeApi(api, `<script>alert(1)</script>`)
  const page = renderApiDocs(document)
  expect(page).not.toContain("<script")
  expect(page).toContain("/api/ai/chat")
})
