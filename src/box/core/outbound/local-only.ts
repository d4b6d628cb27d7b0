import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { isLoopbackHost } from "./loopback.ts"

/** Whether the box connects only to this computer. */
export interface LocalOnly {
  on: boolean
  /** Source of the setting: a flag or an environment variable at the start can't be overridden while the box runs. */
  decidedBy: "settings" | "start"
  /** Whether third-party programs may be started although local-only is on: their connections can't be controlled. */
  programs: boolean
}

const details = { action: "/settings/privacy" }

/** Returns why this address, or any other computer, can't be connected to; null if it can. This computer is always allowed. */
export function explainRefusal(localOnly: LocalOnly, url?: URL): AppError | null {
  if (!localOnly.on || (url && isLoopbackHost(url.hostname))) return null
  return new AppError(
    "local_only",
    sentence("core.local_only", {
      host: url?.host ?? sentence("core.other_computers"),
      remedy: remedy(localOnly),
    }),
    { details },
  )
}

/** Returns why a program can't be started; null if it can. */
export function refusalOfProgram(localOnly: LocalOnly): AppError | null {
  if (!localOnly.on || localOnly.programs) return null
  return new AppError(
    "local_only",
    sentence("core.local_only_program", { remedy: remedy(localOnly, "core.owner_can_allow_programs") }),
    { details },
  )
}

type OwnersRemedy = "core.owner_can_switch_off" | "core.owner_can_allow_programs"

const remedy = ({ decidedBy }: LocalOnly, owners: OwnersRemedy = "core.owner_can_switch_off") =>
  sentence(decidedBy === "start" ? "core.started_local_only" : owners)

export const isLocalOnlyRefusal = (error: unknown): boolean =>
  error instanceof AppError && error.code === "local_only"
