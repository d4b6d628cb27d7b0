import { z } from "zod"
import {
  createDocument,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
} from "zod-openapi"
import type { Contract, Endpoint } from "../../src/shared/contract/endpoint.ts"
import type { ErrorsOfApi } from "./errors.ts"
import { addExamples } from "./examples.ts"
import { modelApi } from "./model-api.ts"
import { describeParameters, requestHeaders } from "./parameters.ts"

export type ApiDocument = ReturnType<typeof createDocument>

export interface ApiToDescribe {
  info: ZodOpenApiObject["info"]
  servers: NonNullable<ZodOpenApiObject["servers"]>
  security: NonNullable<ZodOpenApiObject["security"]>
  securitySchemes: NonNullable<NonNullable<ZodOpenApiObject["components"]>["securitySchemes"]>
  /** Tags by feature of `contracts`, in the order of the reference. */
  tags: Readonly<Record<string, { name: string; description: string }>>
  contracts: Readonly<Record<string, Contract>>
  errors: ErrorsOfApi
  /** Returns the security of an endpoint; undefined if it is that of the whole API. */
  securityOf(endpoint: Endpoint): ZodOpenApiOperationObject["security"]
}

/** Describes contracts as an OpenAPI 3.1 document, with examples of every body, response and error. */
export function describeApi(described: ApiToDescribe): ApiDocument {
  const { info, servers, security, securitySchemes, tags, contracts } = described
  const paths: ZodOpenApiPathsObject = {}
  for (const feature of Object.keys(tags)) {
    for (const [name, endpoint] of Object.entries(contracts[feature] ?? {})) {
      const path = endpoint.path.replace(/:(\w+)/g, "{$1}")
      paths[path] = {
        ...paths[path],
        [endpoint.method]: describeOperation(described, { feature, name, endpoint }),
      }
    }
  }
  const document = createDocument(
    {
      openapi: "3.1.1",
      info,
      servers,
      security,
      tags: Object.values(tags),
      components: { securitySchemes },
      paths,
    },
    { override: ({ jsonSchema }) => simplify(jsonSchema) },
  )
  addExamples(document, contracts, described.errors)
  return document
}

/**
 * Removes the limits of JavaScript's integers, which say nothing about a field, and patterns with Unicode classes, which many programs
 * can't read.
 */
function simplify(schema: Record<string, unknown>): void {
  if (schema["minimum"] === Number.MIN_SAFE_INTEGER) delete schema["minimum"]
  if (schema["maximum"] === Number.MAX_SAFE_INTEGER) delete schema["maximum"]
  if (/\\p\{/.test(String(schema["pattern"]))) delete schema["pattern"]
}

interface Operation {
  feature: string
  name: string
  endpoint: Endpoint
}

function describeOperation(
  described: ApiToDescribe,
  { feature, name, endpoint }: Operation,
): ZodOpenApiOperationObject {
  const operationId = `${feature}.${name}`
  const security = described.securityOf(endpoint)
  const body = describeRequestBody(operationId, endpoint)
  const path = describeParameters(endpoint.path)
  const header = requestHeaders[operationId]
  return {
    operationId,
    summary: endpoint.summary,
    description: [endpoint.description ?? "", describeRights(endpoint)].join(" ").trim(),
    tags: [described.tags[feature]?.name ?? feature],
    ...(security === undefined ? {} : { security }),
    requestParams: {
      ...(path ? { path } : {}),
      ...(endpoint.query ? { query: endpoint.query } : {}),
      ...(header ? { header } : {}),
    },
    ...(body ? { requestBody: body } : {}),
    responses: { ...describeSuccess(operationId, endpoint), ...describeErrors(described.errors, endpoint) },
  }
}

/** Says which keys may call an endpoint of the server. The auth service says it in descriptions. */
function describeRights({ access, scope, method, reads, demand }: Endpoint): string {
  if (demand || access === "public") return ""
  if (access === "full" || access === "owner") return "A key with scopes can't call it."
  const scopes = [scope ?? []].flat().filter((each) => each !== "read-only")
  const isRead = method === "get" || reads === true
  const accepted = [...scopes, ...(isRead ? ["read-only"] : [])].map((each) => `\`${each}\``)
  if (scope === undefined || accepted.length === 0) return ""
  return `A key with scopes needs ${accepted.join(" or ")}.`
}

function describeRequestBody(
  operationId: string,
  endpoint: Endpoint,
): ZodOpenApiOperationObject["requestBody"] {
  if (operationId === "automations.hook") {
    const schema = z.string().meta({ description: "Any text, such as JSON. It replaces `{{input}}`." })
    return { required: false, description: "Any content.", content: { "*/*": { schema } } }
  }
  if (endpoint.kind === "upload") {
    const { file, maxFileBytes, fields } = endpoint.form
    const [name, ...others] = file
    const notes = [
      "The file.",
      ...(maxFileBytes === undefined ? [] : [`At most ${maxFileBytes} bytes.`]),
      ...(others.length === 0 ? [] : [`The field may also be called \`${others.join("`, `")}\`.`]),
    ]
    const bytes = z
      .string()
      .meta({ override: { type: "string", format: "binary" }, description: notes.join(" ") })
    const schema = z.object({ [name]: bytes, ...fields?.shape })
    return {
      required: true,
      description: "A form with one file.",
      content: { "multipart/form-data": { schema } },
    }
  }
  if (!("body" in endpoint) || endpoint.body === undefined) return undefined
  const schema = modelApi[operationId]?.request ?? endpoint.body
  return { required: true, content: { "application/json": { schema } } }
}

const binary = (description: string) => ({
  schema: z.string().meta({ override: { type: "string", format: "binary" }, description }),
})

function describeSuccess(operationId: string, endpoint: Endpoint): ZodOpenApiOperationObject["responses"] {
  const bodies = modelApi[operationId]
  switch (endpoint.kind) {
    case "bytes":
      return redirects.has(operationId) ? describeRedirect() : describeContent(endpoint.mediaType)
    case "stream":
      return {
        200: {
          description: bodies
            ? "The answer: JSON, or Server-Sent Events with `stream: true`."
            : endpoint.path === "/api/mcp"
              ? "The response: JSON, or Server-Sent Events if a tool reports progress."
              : "Server-Sent Events. Each `data:` line is one event.",
          content: {
            ...(bodies ? { "application/json": { schema: bodies.answer } } : {}),
            ...(endpoint.path === "/api/mcp" ? { "application/json": { schema: endpoint.event } } : {}),
            "text/event-stream": { schema: bodies?.event ?? endpoint.event },
          },
        },
        ...(endpoint.path === "/api/mcp"
          ? { 202: { description: "The message was accepted and needs no response." } }
          : {}),
      }
    case "json":
    case "upload": {
      const schema = bodies?.answer ?? endpoint.output
      const answer = { description: "Success.", content: { "application/json": { schema } } }
      const other = endpoint.kind === "json" ? endpoint.otherStatus : undefined
      return {
        [`${endpoint.status ?? 200}` as "200"]: answer,
        ...(other === undefined
          ? {}
          : { [`${other}` as "202"]: { ...answer, description: otherStatuses[operationId] ?? "Success." } }),
      }
    }
  }
}

/** Meanings of second statuses. */
const otherStatuses: Readonly<Record<string, string>> = {
  "operation.ready": "The server can't do its work now; `checks` says why.",
  "notifications.send": "The notification was sent to connected apps but couldn't be stored.",
  "conversations.folder": "The folder was created.",
}

/** Operations that a browser visits and that send it elsewhere. */
const redirects = new Set(["providerSignIn.begin", "providerSignIn.callback", "integrations.callback"])

const describeRedirect = (): ZodOpenApiOperationObject["responses"] => ({
  303: {
    description: "Redirects the browser.",
    headers: z.object({ location: z.string().describe("Where the browser goes next.") }),
  },
})

const describeContent = (mediaType: string): ZodOpenApiOperationObject["responses"] => ({
  200: { description: "The content.", content: { [mediaType]: binary("The content.") } },
})

function describeErrors(errors: ErrorsOfApi, endpoint: Endpoint): ZodOpenApiOperationObject["responses"] {
  const byStatus = Map.groupBy(errors.codes(endpoint), (code) => errors.status(code))
  const schema = errors.schema(endpoint)
  const content = { "application/json": { schema } }
  const listed = [...byStatus]
    .toSorted(([one], [other]) => one - other)
    .map(([status, codes]) => [
      status,
      { description: codes.map((code) => `\`${code}\`: ${errors.meaning(code)}`).join(" "), content },
    ])
  return {
    ...(Object.fromEntries(listed) as ZodOpenApiOperationObject["responses"]),
    default: { description: "Another error. Its status is 500 or above.", content },
  }
}
