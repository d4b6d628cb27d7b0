import { z } from "zod"

/** What a key with limited `scopes` must carry to call an endpoint; keys without scopes may call everything. */
export type Scope = z.infer<typeof Scope>
export const Scope = z.enum(["assistants", "folders", "read-only", "notify"]).meta({ id: "Scope" })

/**
 * Who may call an endpoint.
 * `public`: no credential. `user`: any credential with full rights, or one whose scopes include `scope`
 * (`read-only` grants every GET). `full`: only the app session or a key with full rights. `owner`: the same, of an owner of
 * the workspace.
 */
export type Access = "public" | "user" | "full" | "owner"

export type Method = "get" | "post" | "put" | "patch" | "delete"

/** What a credential of the auth service must have. */
export interface Demand {
  /** Action that a limited key must list under `tickets`. */
  action?: "create" | "read" | "update"
  staff?: boolean
  /** Keys are not accepted, whatever their permissions. */
  jwtOnly?: boolean
}

interface EndpointBase {
  method: Method
  /** Express path; parameters as `:name`. */
  path: string
  summary: string
  access?: Access
  /** One of them, where there are several. `read-only` here: no other scope grants it. */
  scope?: Scope | readonly Scope[]
  query?: z.ZodObject
  /** Changes nothing, though it isn't a GET: `read-only` keys may call it. */
  reads?: boolean
  /** Has effects that outlive an API key: one of a restored backup needs an owner's confirmation first. */
  needsConfirmedKey?: boolean
  /** What the auth service wants of a credential beside its being valid. */
  demand?: Demand
}

/** Takes and answers JSON. */
export interface JsonEndpoint extends EndpointBase {
  kind: "json"
  body?: z.ZodType
  /** Bytes of a body at most; 10 MB unless given. */
  longestBody?: number
  /** Status of success, 200 unless given. */
  status?: number
  /** A second status of an answer that is no error, which the handler sets on the response. */
  otherStatus?: number
  output: z.ZodType
  /** Answers may have megabytes, made of the database alone: only few are made at the same time. */
  large?: boolean
}

/** What an upload's `multipart/form-data` holds: one file, and texts before or after it. Other fields are ignored. */
export interface Form {
  /** Names that the file's field may have, the usual one first. */
  file: readonly [string, ...string[]]
  /** Bytes of the file at most; without it as many as the disk has room for. */
  longestFile?: number
  fields?: z.ZodObject
}

/** Takes one file as `multipart/form-data` and answers JSON. */
export interface UploadEndpoint extends EndpointBase {
  kind: "upload"
  form: Form
  status: number
  output: z.ZodType
}

/** Answers raw bytes, a page or text. */
export interface BytesEndpoint extends EndpointBase {
  kind: "bytes"
  mediaType: string
}

/** Answers Server-Sent Events, each `data:` line one JSON value of `event`. */
export interface StreamEndpoint extends EndpointBase {
  kind: "stream"
  body?: z.ZodType
  /** Bytes of a body at most; 10 MB unless given. */
  longestBody?: number
  event: z.ZodType
}

export type Endpoint = JsonEndpoint | UploadEndpoint | BytesEndpoint | StreamEndpoint

/** One feature's endpoints by name. */
export type Contract = Record<string, Endpoint>

/** Declares a JSON endpoint. The contract is the only place where the API is described. */
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
