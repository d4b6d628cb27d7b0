import { t } from "i18next"
import type { Computer, ModelDownload, OfferedModel } from "../../../shared/contract/models.ts"
import { formatCount, formatSize } from "../../lib/words/format.ts"
import { toPageLanguage } from "../../lib/words/sentence.ts"
import { pageLanguage } from "../../lib/words/language.ts"

/** "Many languages", or the languages' names. */
export function formatLanguages(tags: string[]): string {
  if (tags.includes("mul")) return t("models:manyLanguages")
  const names = new Intl.DisplayNames(pageLanguage(), { type: "language" })
  return tags.map((tag) => names.of(tag) ?? tag).join(", ")
}

/** Describes how a model fits this computer's memory. */
export const describeFit = ({ memoryFit, memoryBytes }: OfferedModel): string =>
  t(`models:fit.${memoryFit}`, { size: formatSize(memoryBytes) })

/** Returns why a model can't be downloaded; null if it can. */
export function whyNotDownload({ diskFits, sizeBytes }: OfferedModel, computer: Computer): string | null {
  if (diskFits) return null
  return t("models:noRoom", { size: formatSize(sizeBytes), free: formatSize(computer.freeDiskBytes) })
}

/** "About 3 min left"; hours and minutes for longer times. */
export function formatTimeLeft(seconds: number): string {
  if (seconds < 60) return t("models:time.seconds")
  const total = Math.ceil(seconds / 60)
  const [hours, minutes] = [Math.floor(total / 60), total % 60]
  if (hours === 0) return t("models:time.minutes", { minutes })
  return minutes === 0 ? t("models:time.hours", { hours }) : t("models:time.hoursMinutes", { hours, minutes })
}

/** A typical home connection, which the estimate names. */
const usualBytesPerSecond = 50_000_000 / 8

/** Estimates how long a download takes on a typical connection, before its speed has been measured. */
export function estimateTime(sizeBytes: number): string {
  const minutes = Math.max(1, Math.round(sizeBytes / usualBytesPerSecond / 60))
  if (minutes < 90) return t("models:time.estimateMinutes", { minutes })
  return t("models:time.estimateHours", { hours: formatCount(Math.round(minutes / 6) / 10) })
}

/** Describes a download's state in one line. */
export function describeDownload(download: ModelDownload): string {
  const { status, receivedBytes, sizeBytes, bytesPerSecond, secondsLeft, checkedBy } = download
  const received = formatSize(receivedBytes)
  const arrived =
    sizeBytes === null ? received : t("models:download.of", { received, total: formatSize(sizeBytes) })
  if (status === "paused") return t("models:download.paused", { arrived })
  if (status === "checking") return t("models:download.checking")
  if (status === "failed") return t("models:download.stopped", { arrived })
  if (status === "done") {
    return checkedBy === "sha256" ? t("models:download.verified") : t("models:download.done")
  }
  if (download.interruption !== null) {
    const reason = toPageLanguage(download.interruption, download.sentence)
    return t("models:download.interrupted", { arrived, reason })
  }
  if (bytesPerSecond === null) return t("models:download.waiting", { arrived })
  const speed = t("models:download.speed", { arrived, speed: formatSize(bytesPerSecond) })
  return secondsLeft === null ? speed : `${speed} · ${formatTimeLeft(secondsLeft)}`
}
