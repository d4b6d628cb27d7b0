import type { z } from "zod"
import type {
  IntegrationSummary,
  ServerChange,
  ServerTarget,
} from "../../../../shared/contract/integrations.ts"

/** The form's values. Secrets that are already set are shown empty and stay unchanged if left empty. */
export interface ServerFormValues {
  name: string
  kind: ServerTarget["kind"]
  url: string
  command: string
  /** One per line. */
  args: string
  /** `NAME=value`, one per line. */
  env: string
  token: string
  clientId: string
  clientSecret: string
}

export const emptyForm: ServerFormValues = {
  name: "",
  kind: "http",
  url: "",
  command: "",
  args: "",
  env: "",
  token: "",
  clientId: "",
  clientSecret: "",
}

export function toForm({ name, target, clientId }: IntegrationSummary): ServerFormValues {
  return {
    ...emptyForm,
    name,
    clientId: clientId ?? "",
    ...(target?.kind === "http" ? { kind: "http", url: target.url } : {}),
    ...(target?.kind === "command"
      ? { kind: "command", command: target.command, args: target.args.join("\n") }
      : {}),
  }
}

export function toTarget({ kind, url, command, args }: ServerFormValues): ServerTarget {
  if (kind === "http") return { kind, url: url.trim() }
  return { kind, command: command.trim(), args: lines(args) }
}

/** Returns the credentials to change. Empty fields change nothing, except the client id, which is shown. */
export function toCredentials(
  values: ServerFormValues,
  before: IntegrationSummary | null,
): Omit<z.input<typeof ServerChange>, "target"> {
  const { kind, env, token, clientId, clientSecret } = values
  if (kind === "command") return env.trim() === "" ? {} : { env: variables(env) }
  const id = clientId.trim()
  return {
    ...(token.trim() === "" ? {} : { token: token.trim() }),
    ...(id === (before?.clientId ?? "") ? {} : { clientId: id === "" ? null : id }),
    ...(clientSecret.trim() === "" ? {} : { clientSecret: clientSecret.trim() }),
  }
}

const lines = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.replace(/\r$/, ""))
    .filter((line) => line !== "")

/** A line without `=` is a name without a value; the box then reports what is wrong with it. */
const variables = (text: string): Record<string, string> =>
  Object.fromEntries(
    lines(text).map((line) => {
      const at = line.indexOf("=")
      return at === -1 ? [line, ""] : [line.slice(0, at).trim(), line.slice(at + 1)]
    }),
  )

/**
 * Splits a command line into words as a shell would: quotes keep words together, and a backslash escapes a space or a quote. Any other
 * backslash is kept, as in Windows paths.
 */
export function splitCommandLine(line: string): string[] {
  const word = /(?:"(?:\\"|[^"])*"|'[^']*'|\\[\s"']|[^\s"'])+/g
  return (line.match(word) ?? []).map((text) =>
    text.replaceAll(
      /"((?:\\"|[^"])*)"|'([^']*)'|\\([\s"'])/g,
      (_, double?: string, single?: string, kept?: string) =>
        double?.replaceAll('\\"', '"') ?? single ?? kept ?? "",
    ),
  )
}
