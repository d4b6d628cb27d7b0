import { z } from "zod"
import type { ErrorCode } from "./app-error.ts"
import type { ServiceErrorCode } from "./service-errors.ts"

/** The scope that a key with limited `scopes` needs to call an endpoint. Keys without scopes may call everything. */
export type Scope = z.infer<typeof Scope>
export const Scope = z
  .enum(["assistants", "folders", "read-only", "notify"])
  .meta({ id: "Scope", description: "A scope of an API key." })

/**
 * Access rights for an endpoint. `public`: no credential. `user`: any credential with full rights, or one whose scopes include `scope`
 * (`read-only` grants every GET). `full`: only the app session or a key with full rights. `owner`: the same, but for an owner of the
 * workspace.
 */
export type Access = "public" | "user" | "full" | "owner"

export type Method = "get" | "post" | "put" | "patch" | "delete"

/** Requirements for a credential of the auth service. */
export interface Demand {
  /** Action that a limited key must list under `tickets`. */
  action?: "create" | "read" | "update"
  staff?: boolean
  /** Keys are not accepted, whatever their permissions. */
  jwtOnly?: boolean
}

interface EndpointBase {
  method: Method
  /** Express path, with parameters as `:name`. */
  path: string
  /** A few words that say what the endpoint does. */
  summary: string
  /** Further sentences for the API reference, which aren't part of the built programs. */
  description?: string
  /** Codes of errors that its handler throws, besides those that every endpoint with its rights, path and body may return. */
  errors?: readonly (ErrorCode | ServiceErrorCode)[]
  access?: Access
  /** If there are several, any of them is enough. `read-only` here: no other scope grants access. */
  scope?: Scope | readonly Scope[]
  query?: z.ZodObject
  /** Changes nothing although it isn't a GET, so `read-only` keys may call it. */
  reads?: boolean
  /** Has effects that outlive an API key. A key from a restored backup therefore needs an owner's confirmation first. */
  needsConfirmedKey?: boolean
  /** Requirements of the auth service for a credential, in addition to being valid. */
  demand?: Demand
}

/** Accepts and returns JSON. */
export interface JsonEndpoint extends EndpointBase {
  kind: "json"
  body?: z.ZodType
  /** Maximum size of a body in bytes; 10 MB by default. */
  maxBodyBytes?: number
  /** Status of a successful response; 200 by default. */
  status?: number
  /** A second status for responses that aren't errors, which the handler sets on the response. */
  otherStatus?: number
  output: z.ZodType
  /** Responses may have several megabytes and are built from the database alone. Only a few are built at the same time. */
  large?: boolean
}

/** The content of an upload's `multipart/form-data`: one file, with text fields before or after it. Other fields are ignored. */
export interface Form {
  /** Accepted names of the file field, the usual one first. */
  file: readonly [string, ...string[]]
  /** Maximum size of the file in bytes; limited only by free disk space if omitted. */
  maxFileBytes?: number
  fields?: z.ZodObject
}

/** Accepts one file as `multipart/form-data` and returns JSON. */
export interface UploadEndpoint extends EndpointBase {
  kind: "upload"
  form: Form
  status: number
  output: z.ZodType
}

/** Returns raw bytes, a page or text. */
export interface BytesEndpoint extends EndpointBase {
  kind: "bytes"
  mediaType: string
}

/** Returns Server-Sent Events, where each `data:` line is a JSON value of `event`. */
export interface StreamEndpoint extends EndpointBase {
  kind: "stream"
  body?: z.ZodType
  /** Maximum size of a body in bytes; 10 MB by default. */
  maxBodyBytes?: number
  event: z.ZodType
}

export type Endpoint = JsonEndpoint | UploadEndpoint | BytesEndpoint | StreamEndpoint

/** One feature's endpoints by name. */
export type Contract = Record<string, Endpoint>

/** Declares a JSON endpoint. The contract is the only place that describes the API. */
export const json = <const E extends Omit<JsonEndpoint, "kind">>(endpoint: E) =>
  ({ kind: "json", ...endpoint }) as const
export const upload = <const E extends Omit<UploadEndpoint, "kind">>(endpoint: E) =>
  ({ kind: "upload", ...endpoint }) as const
export const bytes = <const E extends Omit<BytesEndpoint, "kind">>(endpoint: E) =>
  ({ kind: "bytes", ...endpoint }) as const
export const stream = <const E extends Omit<StreamEndpoint, "kind">>(endpoint: E) =>
  ({ kind: "stream", ...endpoint }) as const

/** Names of the `:parameters` in a path. */
export type PathParams<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | PathParams<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

type Get<E, Key extends string, Fallback> = E extends Record<Key, infer V> ? V : Fallback
export type QueryOutput<E> =
  Get<E, "query", undefined> extends infer Q extends z.ZodType ? z.output<Q> : Record<never, never>
export type QueryInput<E> =
  Get<E, "query", undefined> extends infer Q extends z.ZodType ? z.input<Q> : Record<never, never>
export type BodyOutput<E> =
  Get<E, "body", undefined> extends infer B extends z.ZodType ? z.output<B> : undefined
export type BodyInput<E> =
  Get<E, "body", undefined> extends infer B extends z.ZodType ? z.input<B> : undefined
export type FormOutput<E> = E extends { form: { fields: infer F extends z.ZodType } }
  ? z.output<F>
  : Record<never, never>
export type FormInput<E> = E extends { form: { fields: infer F extends z.ZodType } }
  ? z.input<F>
  : Record<never, never>
export type Output<E> = Get<E, "output", undefined> extends infer O extends z.ZodType ? z.output<O> : never
export type StreamEvent<E> =
  Get<E, "event", undefined> extends infer O extends z.ZodType ? z.output<O> : never

/** Returns the methods of an address, sorted; empty for an unknown address. Several paths may match it. */
export function allowedMethods(
  endpoints: readonly Pick<Endpoint, "method" | "path">[],
  address: string,
): string[] {
  const methods = endpoints
    .filter(({ path }) => new RegExp(`^${path.replaceAll(/:\w+/g, "[^/]+")}/?$`).test(address))
    .flatMap(({ method }) => (method === "get" ? ["GET", "HEAD"] : [method.toUpperCase()]))
  return [...new Set(methods)].toSorted()
}
