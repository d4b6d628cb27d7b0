// This isn't an import, because Node would load the whole module to list its exports.
const { parseArgs } = process.getBuiltinModule("node:util")

/** Options that start the server. Commands have some of them, too. */
export const serverOptions = {
  port: { type: "string" },
  host: { type: "string" },
  data: { type: "string" },
  "database-url": { type: "string" },
  files: { type: "string" },
  vectors: { type: "string" },
  "files-cache-gb": { type: "string" },
  "vectors-cache-gb": { type: "string" },
  "peer-url": { type: "string" },
  model: { type: "string" },
  "embedding-model": { type: "string" },
  "auth-url": { type: "string" },
  "local-only": { type: "boolean" },
  "allow-host": { type: "string", multiple: true },
  "allow-origin": { type: "string", multiple: true },
  "public-url": { type: "string" },
  "oidc-issuer": { type: "string" },
  "oidc-client-id": { type: "string" },
  "oidc-groups": { type: "string" },
  "oidc-owner-groups": { type: "string" },
  "oidc-groups-claim": { type: "string" },
} as const

/** All options of the command line. */
export const options = {
  ...serverOptions,
  to: { type: "string" },
  name: { type: "string" },
  user: { type: "string" },
  scope: { type: "string", multiple: true },
  description: { type: "string" },
  type: { type: "string" },
  category: { type: "string" },
  link: { type: "string" },
  chat: { type: "string" },
  "dedupe-key": { type: "string" },
  key: { type: "string" },
  folder: { type: "string", multiple: true },
  assistant: { type: "string" },
  json: { type: "boolean" },
  limit: { type: "string" },
  choices: { type: "string" },
  default: { type: "string" },
  timeout: { type: "string" },
  server: { type: "string" },
  "key-from-stdin": { type: "boolean" },
  directory: { type: "string" },
  wait: { type: "boolean" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean", short: "v" },
} as const

/** Flags and words of a command line. Throws the error of `parseArgs` for unknown flags. */
export const readArguments = (args: string[]) => parseArgs({ args, options, allowPositionals: true })

/** Whether these arguments start the server, provided they are valid. */
export const startsBox = (args: string[]): boolean =>
  isStart(parseArgs({ args, options, allowPositionals: true, strict: false }))

/** Whether arguments that have been read start the server. */
export const isStart = ({ values, positionals }: ReadArguments): boolean =>
  positionals.length === 0 && values.help !== true && values.version !== true

interface ReadArguments {
  values: { help?: unknown; version?: unknown }
  positionals: readonly string[]
}
