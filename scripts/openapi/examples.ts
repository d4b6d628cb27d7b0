import { createHash } from "node:crypto"
import type { Contract, Endpoint } from "../../src/shared/contract/endpoint.ts"
import type { ApiDocument } from "./describe-api.ts"
import type { ErrorsOfApi } from "./errors.ts"
import { exampleBodies, exampleValues, nullValues } from "./example-values.ts"

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
type Schema = Readonly<Record<string, unknown>>
interface Media {
  schema?: Schema
  example?: unknown
  examples?: Record<string, { summary?: string; value: unknown }>
}
interface Operation {
  operationId: string
  parameters?: { name: string; in: string; schema?: Schema; example?: unknown }[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, { content?: Record<string, Media> }>
}

/** Adds an example to every path parameter, body, response and error of a document. */
export function addExamples(
  document: ApiDocument,
  contracts: Readonly<Record<string, Contract>>,
  errors: ErrorsOfApi,
): void {
  const schemas = (document.components?.schemas ?? {}) as Record<string, Schema>
  const endpoints = new Map<string, Endpoint>(
    Object.entries(contracts).flatMap(([feature, contract]) =>
      Object.entries(contract).map(([name, endpoint]) => [`${feature}.${name}`, endpoint] as const),
    ),
  )
  for (const item of Object.values(document.paths ?? {})) {
    for (const operation of Object.values(item) as Operation[]) {
      const endpoint = endpoints.get(operation.operationId)
      if (endpoint) addToOperation(operation, endpoint, { schemas, errors })
    }
  }
  shareErrors(document, endpoints, errors)
}

/** Moves the responses of errors, of which most operations have the same, to the components. */
function shareErrors(
  document: ApiDocument,
  endpoints: ReadonlyMap<string, Endpoint>,
  errors: ErrorsOfApi,
): void {
  const shared: Record<string, unknown> = {}
  for (const item of Object.values(document.paths ?? {})) {
    for (const { operationId, responses } of Object.values(item) as Operation[]) {
      const endpoint = endpoints.get(operationId)
      if (!endpoint) continue
      const codes = errors.codes(endpoint)
      const prefix = errors.prefix(endpoint)
      for (const status of Object.keys(responses)) {
        const listed = codes.filter((code) => String(errors.status(code)) === status)
        if (listed.length === 0 && status !== "default") continue
        const name = `${prefix}${status === "default" ? "other" : listed.toSorted().join("_or_")}`
        shared[name] ??= responses[status]
        responses[status] = { $ref: `#/components/responses/${name}` } as never
      }
    }
  }
  const sorted = Object.entries(shared).toSorted(([one], [other]) => (one < other ? -1 : 1))
  Object.assign(document.components ?? {}, { responses: Object.fromEntries(sorted) })
}

interface Context {
  schemas: Record<string, Schema>
  errors: ErrorsOfApi
}

function addToOperation(operation: Operation, endpoint: Endpoint, { schemas, errors }: Context): void {
  const { operationId } = operation
  const make = (schema: Schema, isRequest: boolean) => createExample(schema, { schemas, isRequest })
  for (const parameter of operation.parameters ?? []) {
    if (parameter.in === "path" && parameter.schema) parameter.example = pathExample(parameter.name)
  }
  for (const media of Object.values(operation.requestBody?.content ?? {})) {
    if (media.schema) media.example = exampleBodies.requests[operationId] ?? make(media.schema, true)
  }
  for (const [status, { content }] of Object.entries(operation.responses)) {
    if (!content) continue
    const isError = status === "default" || Number(status) >= 400
    const codes = errors.codes(endpoint).filter((code) => String(errors.status(code)) === status)
    for (const [type, media] of Object.entries(content)) {
      if (isError && codes.length > 0) media.examples = errorExamples(codes, endpoint, errors)
      else if (type === "text/event-stream") addEvents(media, operationId, schemas)
      else if (status === "default") media.example = errors.example(endpoint, errors.unlisted)
      else if (media.schema) media.example = exampleBodies.responses[operationId] ?? make(media.schema, false)
    }
  }
}

const errorExamples = (codes: readonly string[], endpoint: Endpoint, errors: ErrorsOfApi) =>
  Object.fromEntries(
    codes.map((code) => [code, { summary: errors.meaning(code), value: errors.example(endpoint, code) }]),
  )

/** Shows the events of a stream, one example each. */
function addEvents(media: Media, operationId: string, schemas: Record<string, Schema>): void {
  const events = exampleBodies.events[operationId]
  if (events) {
    media.examples = Object.fromEntries(events.map((value, index) => [eventName(value, index), { value }]))
  } else if (media.schema) media.example = createExample(media.schema, { schemas, isRequest: false })
}

const eventName = (event: object, index: number) =>
  `${index + 1}-${"type" in event && typeof event.type === "string" ? event.type : "chunk"}`.replaceAll(
    ".",
    "-",
  )

interface Making {
  schemas: Record<string, Schema>
  isRequest: boolean
}

/** Creates a value of a schema: required fields, and optional ones of which `exampleValues` knows a value for requests. */
function createExample(schema: Schema, making: Making, owner = "", name = ""): Json {
  const named = exampleValues[`${owner}.${name}`] ?? exampleValues[name]
  if (nullValues.has(`${owner}.${name}`) || nullValues.has(name)) {
    if (isNullable(schema)) return null
  }
  const reference = schema["$ref"]
  if (typeof reference === "string") {
    const target = reference.replace("#/components/schemas/", "")
    const whole = exampleValues[target]
    if (whole !== undefined) return whole
    return createExample(making.schemas[target] ?? {}, making, target.replace(/Output$/, ""), name)
  }
  if (named !== undefined && accepts(schema, named)) return named
  if ("const" in schema) return schema["const"] as Json
  const choices = (schema["enum"] ?? []) as Json[]
  if (choices.length > 0) return choices.find((choice) => choice !== null) ?? null
  const union = (schema["oneOf"] ?? schema["anyOf"]) as Schema[] | undefined
  if (union) {
    const first = union.find(({ type }) => type !== "null") ?? {}
    return createExample(first, making, owner, name)
  }
  const parts = schema["allOf"] as Schema[] | undefined
  if (parts)
    return Object.assign({}, ...parts.map((part) => createExample(part, making, owner, name))) as Json
  return createOfType(schema, making, owner, name)
}

function createOfType(schema: Schema, making: Making, owner: string, name: string): Json {
  const types = [schema["type"] ?? []].flat() as string[]
  switch (types.find((type) => type !== "null") ?? "") {
    case "object":
      return createObject(schema, making, owner)
    case "array": {
      const items = (schema["items"] ?? {}) as Schema
      return [createExample(items, making, owner, name)]
    }
    case "boolean":
      return false
    case "integer":
    case "number":
      return Number(schema["minimum"] ?? schema["exclusiveMinimum"] ?? 0) || 1
    case "string":
      return createText(schema, name)
    default:
      return {}
  }
}

function createObject(schema: Schema, making: Making, owner: string): Json {
  const properties = (schema["properties"] ?? {}) as Record<string, Schema>
  const required = new Set((schema["required"] ?? []) as string[])
  const shown = Object.entries(properties).filter(([key]) => required.has(key))
  return Object.fromEntries(
    shown.map(([key, property]) => [key, createExample(property, making, owner, key)]),
  )
}

const timestamp = "2026-05-04T09:15:00.000Z"

function createText(schema: Schema, name: string): string {
  if (schema["format"] === "date-time") return timestamp
  if (/Id$|^id$|Ids$|^vector$|^collection$|_id$|_ids$/.test(name) || schema["maxLength"] === 100)
    return exampleId(name)
  return "text"
}

/** Returns a UUID of version 7 that is always the same for a name. */
function exampleId(name: string): string {
  const hash = createHash("sha256").update(name.replace(/s$/, "")).digest("hex")
  return `019df2a4-${hash.slice(0, 4)}-7${hash.slice(4, 7)}-8${hash.slice(7, 10)}-${hash.slice(10, 22)}`
}

const pathExample = (name: string): string => {
  const known = exampleValues[`path.${name}`]
  return typeof known === "string" ? known : exampleId(name)
}

const isNullable = (schema: Schema): boolean =>
  [schema["type"] ?? []].flat().includes("null") ||
  ((schema["anyOf"] ?? schema["oneOf"] ?? []) as Schema[]).some(({ type }) => type === "null")

/** Whether a value has the type of a schema, so that a name with two meanings isn't mistaken. */
function accepts(schema: Schema, value: Json): boolean {
  const union = (schema["anyOf"] ?? schema["oneOf"]) as Schema[] | undefined
  if (union) return union.some((each) => accepts(each, value))
  if ("const" in schema) return schema["const"] === value
  if (Array.isArray(schema["enum"])) return schema["enum"].includes(value)
  const types = [schema["type"] ?? []].flat() as string[]
  if (types.length === 0) return !("$ref" in schema)
  if (value === null) return types.includes("null")
  if (Array.isArray(value)) return types.includes("array")
  if (typeof value === "number")
    return types.includes("number") || (types.includes("integer") && Number.isInteger(value))
  return types.includes(typeof value)
}
