import { z } from "zod"
import catalogue from "../../../../resources/integrations.json" with { type: "json" }
import { ServerTarget, type IntegrationSummary } from "../../../shared/contract/integrations.ts"
import { integrationTools } from "../../../shared/contract/tools.ts"
import { lazy } from "../../core/lazy.ts"

/** Built-in data about a provider, before any user settings. */
export interface CatalogueEntry {
  key: string
  name: string
  target: ServerTarget | null
  setup: IntegrationSummary["setup"]
  documentation: string | null
  /** OAuth scope to request if neither the server nor its metadata names one. */
  scope: string | null
  /** Query parameters added to the URL that the user opens to sign in. */
  authorizationParameters: Record<string, string>
}

const Entry = z.strictObject({
  target: ServerTarget.nullable().default(null),
  setup: z.enum(["none", "address", "client", "token", "environment"]),
  documentation: z.url().nullable().default(null),
  scope: z.string().nullable().default(null),
  authorizationParameters: z.record(z.string(), z.string()).default({}),
})

/** The built-in integrations by key, in the contract's order. */
export const integrationCatalogue = lazy((): ReadonlyMap<string, CatalogueEntry> => {
  const entries = z.record(z.enum(Object.keys(integrationTools)), Entry).parse(catalogue)
  return new Map(
    Object.entries(integrationTools).flatMap(([key, { name }]) => {
      const entry = entries[key]
      return entry ? [[key, { key, name, ...entry }]] : []
    }),
  )
})
