import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { isLoopbackHost } from "./loopback.ts"

/** Whether the box keeps to this computer. */
export interface LocalOnly {
  on: boolean
  /** Who said so: a flag or the environment at the start can't be overruled while the box runs. */
  decidedBy: "settings" | "start"
  /** Programs of others may be started although it is on: nobody can tell what they connect to. */
  programs: boolean
}

const details = { action: "/settings/privacy" }

/** Why this address, or any other computer, can't be connected to; null when it can. This computer itself always can. */
export function refusalOf(localOnly: LocalOnly, url?: URL): AppError | null {
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

/** Why a program can't be started; null when it can. */
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
