import { t } from "i18next"
import type { Scope } from "../../../shared/contract/endpoint.ts"

/** Describes what a key with this scope may do. */
export const scopeName = (scope: Scope): string => t(`settings:keys.scopes.${scope}`)
