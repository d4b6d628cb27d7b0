import type {
  Computer,
  ModelDownload,
  ModelPurpose,
  OfferedModel,
} from "../../../shared/contract/model-files.ts"
import { formatSize } from "../../lib/format.ts"

export const purposeNames: Record<ModelPurpose, string> = {
  chat: "Chat",
  embedding: "Embedding",
  reranking: "Reranking",
}

/** What a model of a purpose does for the person who has it. */
export const purposeUses: Record<ModelPurpose, string> = {
  chat: "Writes the answers",
  embedding: "Finds passages by meaning, beside keywords",
  reranking: "Sorts passages anew; nothing uses it yet",
}

const names = new Intl.DisplayNames(undefined, { type: "language" })

/** "Many languages", or the languages' names. */
export function formatLanguages(tags: string[]): string {
  if (tags.includes("mul")) return "Many languages"
  return tags.map((tag) => names.of(tag) ?? tag).join(", ")
}

/** How a model fits this computer's memory, as a sentence. */
export function describeFit({ memoryFit, memoryBytes }: OfferedModel): string {
  const needs = `Needs ${formatSize(memoryBytes)} of memory`
  if (memoryFit === "fits") return `${needs}, which this computer has`
  if (memoryFit === "tight") return `${needs}: close other programs first`
  return `${needs}: too large for this computer`
}

/** What stands in the way of a download, if anything. */
export function whyNotDownload({ diskFits, sizeBytes }: OfferedModel, computer: Computer): string | null {
  if (diskFits) return null
  return `Takes ${formatSize(sizeBytes)}, and ${formatSize(computer.freeDiskBytes)} are free on the disk. Make room first.`
}

/** "About 3 min left"; hours and minutes when it is long. */
export function formatTimeLeft(seconds: number): string {
  if (seconds < 60) return "Less than a minute left"
  const minutes = Math.ceil(seconds / 60)
  if (minutes < 60) return `About ${minutes} min left`
  const rest = minutes % 60
  return `About ${Math.floor(minutes / 60)} h${rest === 0 ? "" : ` ${rest} min`} left`
}

/** What a download is doing, in a line. */
export function describeDownload(download: ModelDownload): string {
  const { status, receivedBytes, sizeBytes, bytesPerSecond, secondsLeft, checkedBy } = download
  const arrived =
    sizeBytes === null
      ? formatSize(receivedBytes)
      : `${formatSize(receivedBytes)} of ${formatSize(sizeBytes)}`
  if (status === "paused") return `Paused at ${arrived}`
  if (status === "checking") return "Checking the file"
  if (status === "failed") return `Stopped at ${arrived}`
  if (status === "done") return checkedBy === "sha256" ? "Downloaded, checksum verified" : "Downloaded"
  if (bytesPerSecond === null) return `${arrived} · Waiting for the server`
  const speed = `${arrived} · ${formatSize(bytesPerSecond)}/s`
  return secondsLeft === null ? speed : `${speed} · ${formatTimeLeft(secondsLeft)}`
}
