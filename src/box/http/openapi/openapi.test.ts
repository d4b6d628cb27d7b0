import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { api } from "../../../shared/contract/api.ts"
import type { Contract } from "../../../shared/contract/endpoint.ts"
import { renderApiDocs, renderOpenApi, describeApi } from "./openapi.ts"

// Catches a contract that was changed without running `npm run openapi`.
it("keeps openapi.json up to date", () => {
  expect(readFileSync(new URL("../../../../openapi.json", import.meta.url), "utf8")).toBe(renderOpenApi())
})

it("describes every endpoint exactly once", () => {
  const document = describeApi(api, "0")
  const described = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method} ${path.replace(/\{(\w+)\}/g, ":$1")}`),
  )
  const declared = Object.values<Contract>(api).flatMap((contract) =>
    Object.values(contract).map((endpoint) => `${endpoint.method} ${endpoint.path}`),
  )
  expect(described.toSorted()).toEqual(declared.toSorted())
})

// Catches a description that is rendered as markup in the docs page.
it("escapes the content of the docs page", () => {
  const document = describeApi(api, `<script>alert(1)</script>`)
  const page = renderApiDocs(document)
  expect(page).not.toContain("<script")
  expect(page).toContain("/api/ai/chat")
})
