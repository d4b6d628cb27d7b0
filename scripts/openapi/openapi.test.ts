import { readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { CompletionRequest } from "../../src/box/features/completions/request.ts"
import { CountRequest, MessageRequest } from "../../src/box/features/completions/messages/request.ts"
import { ResponseRequest } from "../../src/box/features/completions/responses/request.ts"
import { api } from "../../src/shared/contract/api.ts"
import { cloudAccount } from "../../src/shared/contract/cloud-account.ts"
import type { Contract } from "../../src/shared/contract/endpoint.ts"
import { tickets } from "../../src/shared/contract/tickets.ts"
import { describeAuthService, describeServer, renderDocument } from "./documents.ts"
import { modelApi } from "./model-api.ts"

interface Schema {
  $ref?: string
  description?: string
  properties?: Record<string, Schema>
  anyOf?: Schema[]
  oneOf?: Schema[]
}
interface Media {
  schema?: Schema
  example?: unknown
  examples?: Record<string, { value: unknown }>
}
interface Operation {
  operationId: string
  summary: string
  description: string
  parameters?: { name: string; description?: string; schema?: Schema }[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, { $ref?: string; content?: Record<string, Media> }>
}

const documents: [name: string, document: object, contracts: Record<string, Contract>][] = [
  ["openapi.json", describeServer(), api],
  ["openapi-auth.json", describeAuthService(), { cloudAccount, tickets }],
]

describe.each(documents)("%s", (name, document, contracts) => {
  const { paths, components } = document as {
    paths: Record<string, Record<string, Operation>>
    components: {
      schemas: Record<string, Schema>
      responses: Record<string, { content: Record<string, Media> }>
    }
  }
  const operations = Object.values(paths).flatMap((item) => Object.values(item))
  const endpointOf = ({ operationId }: Operation) => {
    const [feature = "", endpoint = ""] = operationId.split(".")
    const found = contracts[feature]?.[endpoint]
    if (!found) throw new Error(`There is no endpoint ${operationId}.`)
    return found
  }

  // Catches a contract that was changed without running `npm run openapi`.
  test("is up to date", () => {
    const text = readFileSync(new URL(`../../${name}`, import.meta.url), "utf8")
    expect(text === renderDocument(document as never), "Run: npm run openapi").toBe(true)
  })

  test("describes every endpoint exactly once", () => {
    const described = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method} ${path.replace(/\{(\w+)\}/g, ":$1")}`),
    )
    const declared = Object.values(contracts).flatMap((contract) =>
      Object.values(contract).map((endpoint) => `${endpoint.method} ${endpoint.path}`),
    )
    expect(described.toSorted()).toEqual(declared.toSorted())
  })

  // Catches an operation, parameter, schema or field that readers would have to guess.
  test("describes every operation, parameter, schema and field", () => {
    const undescribed: string[] = []
    const check = (place: string, description: string | undefined) => {
      if ((description ?? "").trim().length < 8) undescribed.push(place)
    }
    for (const { operationId, summary, description, parameters = [] } of operations) {
      check(`${operationId} (summary)`, summary)
      check(operationId, description)
      for (const parameter of parameters)
        check(`${operationId}, ${parameter.name}`, parameter.description ?? parameter.schema?.description)
    }
    for (const [schema, { description }] of Object.entries(components.schemas)) check(schema, description)
    const visit = (value: unknown, place: string) => {
      if (typeof value !== "object" || value === null) return
      const fields = (value as Schema).properties
      for (const [key, inner] of Object.entries(value)) {
        if (key !== "example" && key !== "examples") visit(inner, `${place}.${key}`)
      }
      if (fields === undefined || place.endsWith(".properties")) return
      for (const [field, schema] of Object.entries(fields))
        if (!refersToSchema(schema)) check(`${place}.${field}`, schema.description)
    }
    visit(components.schemas, "schemas")
    visit(paths, "paths")
    expect(undescribed).toEqual([])
  })

  // Catches bounds of JavaScript's integers, which say nothing about a field.
  test("has no bounds without meaning", () => {
    expect(renderDocument(document as never)).not.toContain("9007199254740991")
  })

  // Catches an example that the server would refuse or never return.
  test("has valid examples of every request and response", () => {
    const invalid: string[] = []
    for (const operation of operations) {
      const endpoint = endpointOf(operation)
      const bodies = modelApi[operation.operationId]
      const body = operation.requestBody?.content["application/json"]
      const request = bodies?.request ?? ("body" in endpoint ? endpoint.body : undefined)
      if (body && request?.safeParse(structuredClone(body.example)).success !== true)
        invalid.push(`request of ${operation.operationId}`)
      for (const [status, { content = {} }] of Object.entries(operation.responses)) {
        const answer = bodies?.answer ?? ("output" in endpoint ? endpoint.output : undefined)
        const json = content["application/json"]
        if (json && answer?.safeParse(structuredClone(json.example)).success === false)
          invalid.push(`${status} of ${operation.operationId}`)
        const event = bodies?.event ?? (endpoint.kind === "stream" ? endpoint.event : undefined)
        for (const { value } of Object.values(content["text/event-stream"]?.examples ?? {}))
          if (event?.safeParse(structuredClone(value)).success === false)
            invalid.push(`an event of ${operation.operationId}`)
        for (const [type, media] of Object.entries(content))
          if (/json|event-stream/.test(type) && !media.example && !media.examples)
            invalid.push(`${status} of ${operation.operationId} has no example`)
      }
    }
    expect(invalid).toEqual([])
  })

  // Catches an operation whose errors aren't listed, or an error without an example.
  test("lists errors with their codes", () => {
    for (const { operationId, responses } of operations) {
      const listed = Object.entries(responses).filter(([status]) => /^4\d\d$/.test(status))
      expect(listed, operationId).not.toEqual([])
      for (const [status, { $ref }] of listed) {
        const response = components.responses[$ref?.replace("#/components/responses/", "") ?? ""]
        expect(Object.keys(response?.content["application/json"]?.examples ?? {}), status).not.toEqual([])
      }
    }
  })
})

/** Whether a field is a named schema, perhaps or null, whose description says what it is. */
const refersToSchema = (schema: Schema): boolean =>
  schema.$ref !== undefined ||
  [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].some(({ $ref }) => $ref !== undefined)

// Catches a reference for /api/v1 that contradicts the schemas that the server checks requests with.
test.each([
  ["completions.create", CompletionRequest],
  ["completions.respond", ResponseRequest],
  ["completions.message", MessageRequest],
  ["completions.countTokens", CountRequest],
])("documents fields of %s that the server accepts", (operationId, schema) => {
  const documented = modelApi[operationId]?.request as unknown as { shape: object }
  const accepted = Object.keys((schema as unknown as { shape: object }).shape)
  expect(Object.keys(documented.shape).filter((field) => !accepted.includes(field))).toEqual([])
})
