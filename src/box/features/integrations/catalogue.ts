import { z } from "zod"
import catalogue from "../../../../resources/integrations.json" with { type: "json" }
import { ServerTarget, type IntegrationSummary } from "../../../shared/contract/integrations.ts"
import { integrationTools } from "../../../shared/contract/tools.ts"
import { lazy } from "../../core/lazy.ts"

/** What the box knows of a provider before anybody has set anything. */
export interface CatalogueEntry {
  key: string
  name: string
  target: ServerTarget | null
  setup: IntegrationSummary["setup"]
  documentation: string | null
  /** OAuth scope asked for where neither the server nor its metadata names one. */
  scope: string | null
  /** Added to the address that the user opens to sign in. */
  authorizationParameters: Record<string, string>
}

const Entry = z.strictObject({
  target: ServerTarget.nullable().default(null),
  setup: z.enum(["none", "address", "client", "token", "environment"]),
  documentation: z.url().nullable().default(null),
  scope: z.string().nullable().default(null),
  authorizationParameters: z.record(z.string(), z.string()).default({}),
})

/** The integrations that every box knows, by key (decisions.md 12), in the contract's order. */
export const integrationCatalogue = lazy((): ReadonlyMap<string, CatalogueEntry> => {
  const entries = z.record(z.enum(Object.keys(integrationTools)), Entry).parse(catalogue)
  return new Map(
    Object.entries(integrationTools).flatMap(([key, { name }]) => {
      const entry = entries[key]
      return entry ? [[key, { key, name, ...entry }]] : []
    }),
  )
})
