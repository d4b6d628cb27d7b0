import type { OwnLimits } from "../../../../shared/contract/quotas.ts"
import { kinds, type Kind } from "./quotas.ts"

/** The source of a limit: the limit for everyone, none, or the number in its field. */
export type Way = "everybody" | "none" | "own"

export interface Field {
  way: Way
  text: string
}
export type Draft = Record<Kind, Field>

const perUnit = (kind: Kind) => (kind === "bytes" ? 1_000_000_000 : 1)

/**
 * `null` means the limit for everyone if the limits are a user's, otherwise no limit. In the latter case, an empty field also means no
 * limit.
 */
export function toDraft(limits: OwnLimits, isPerson: boolean): Draft {
  const field = (kind: Kind): Field => {
    const most = limits[kind]
    if (typeof most === "number") return { way: "own", text: String(most / perUnit(kind)) }
    if (most === "unlimited") return { way: "none", text: "" }
    return { way: isPerson ? "everybody" : "own", text: "" }
  }
  return { files: field("files"), bytes: field("bytes"), answers: field("answers"), tokens: field("tokens") }
}

/** Returns the limits, and the fields that contain no valid number. */
export function parseLimits(draft: Draft, isPerson: boolean): { limits: OwnLimits; wrong: Kind[] } {
  const limits: OwnLimits = { files: null, bytes: null, answers: null, tokens: null }
  const wrong: Kind[] = []
  for (const kind of kinds) {
    const { way, text } = draft[kind]
    if (way === "none") limits[kind] = "unlimited"
    if (way !== "own") continue
    const given = text.trim().replace(",", ".")
    const most = Math.round(Number(given) * perUnit(kind))
    if (given === "") {
      if (isPerson) wrong.push(kind)
    } else if (!/^\d+(\.\d+)?$/.test(given) || most > 1e15 || (kind !== "bytes" && given.includes(".")))
      wrong.push(kind)
    else limits[kind] = most
  }
  return { limits, wrong }
}
