import i18next from "i18next"
import { beforeAll, expect, test } from "vitest"
import type { ModelDownload } from "../../../shared/contract/models.ts"
import { mergeDownload } from "../../data/models/models.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { en } from "../../locales/en/en.ts"
import { it as italian } from "../../locales/it/it.ts"
import { describeDownload, estimateTime, formatLanguages, formatTimeLeft } from "./wording.ts"

beforeAll(() =>
  i18next.init({ lng: "en", resources: { en, it: italian }, interpolation: { escapeValue: false } }),
)

const download: ModelDownload = {
  id: "d1",
  name: "Small",
  repo: "a/b",
  file: "small.gguf",
  revision: "main",
  status: "downloading",
  receivedBytes: 500_000_000,
  sizeBytes: 2_000_000_000,
  bytesPerSecond: 10_000_000,
  secondsLeft: 150,
  interruption: null,
  checkedBy: null,
  error: null,
  modelId: null,
}

// Catches "0 min left" for seconds, or "60 min" instead of an hour.
test("rounds time left up to everyday units", () => {
  expect(formatTimeLeft(59)).toBe("Less than a minute left")
  expect(formatTimeLeft(61)).toBe("About 2 min left")
  expect(formatTimeLeft(3_600)).toBe("About 1 h left")
  expect(formatTimeLeft(4_700)).toBe("About 1 h 19 min left")
})

// Catches an estimate of nothing for a small model, or one that gives hours in minutes.
test("states the connection speed behind an estimate", () => {
  expect(estimateTime(2_500_000_000)).toBe("About 7 min at 50 Mbit/s")
  expect(estimateTime(1_000)).toBe("About 1 min at 50 Mbit/s")
  expect(estimateTime(40_000_000_000)).toBe("About 1.8 h at 50 Mbit/s")
})

// Catches a checksum that is claimed although only the header was checked, or a speed while nothing arrives.
test("describes only what is known about a download", () => {
  expect(describeDownload(download)).toBe("500 MB of 2 GB · 10 MB/s · About 3 min left")
  const still = { ...download, bytesPerSecond: null, secondsLeft: null }
  expect(describeDownload(still)).toBe("500 MB of 2 GB · Waiting for the server")
  expect(describeDownload({ ...still, interruption: "The server can't be reached." })).toBe(
    "500 MB of 2 GB · The server can't be reached. Casella will try again.",
  )
  expect(describeDownload({ ...download, sizeBytes: null, status: "paused" })).toBe("Paused at 500 MB")
  expect(describeDownload({ ...download, status: "done", checkedBy: "header" })).toBe("Downloaded")
  expect(describeDownload({ ...download, status: "done", checkedBy: "sha256" })).toBe(
    "Downloaded and verified: it matches the published file",
  )
})

// Catches an English reason on an Italian page.
test("explains in the page's language why nothing arrives", async () => {
  const { text: interruption, field } = sentence("models.server_unreachable")
  await i18next.changeLanguage("it")
  expect(describeDownload({ ...download, interruption, ...field })).toContain(
    "Il server non è raggiungibile.",
  )
  await i18next.changeLanguage("en")
})

// Catches the raw language tag for many languages.
test("names languages", () => {
  expect(formatLanguages(["mul"])).toBe("Many languages")
  expect(formatLanguages(["en"])).toMatch(/^English$/)
})

// Catches a cancelled download that stays in the list, or one that appears twice.
test("replaces, adds or removes a download when it changes", () => {
  const other = { ...download, id: "d2" }
  expect(mergeDownload([download], other)).toEqual([download, other])
  const paused = { ...download, status: "paused" as const }
  expect(mergeDownload([download, other], paused)).toEqual([paused, other])
  expect(mergeDownload([download, other], { ...download, status: "cancelled" })).toEqual([other])
})
