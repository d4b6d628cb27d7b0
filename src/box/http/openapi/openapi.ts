import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from "zod-openapi"
import { z } from "zod"
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
