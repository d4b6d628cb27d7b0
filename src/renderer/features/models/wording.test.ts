import i18next from "i18next"
import { beforeAll, expect, test } from "vitest"
import type { ModelDownload } from "../../../shared/contract/model-files.ts"
import { withDownload } from "../../data/models/models.ts"
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

// Would show "0 min left" for seconds, or "60 min" instead of an hour.
test("time left is rounded up to units that a person uses", () => {
  expect(formatTimeLeft(59)).toBe("Less than a minute left")
  expect(formatTimeLeft(61)).toBe("About 2 min left")
  expect(formatTimeLeft(3_600)).toBe("About 1 h left")
  expect(formatTimeLeft(4_700)).toBe("About 1 h 19 min left")
})

// Would promise nothing for a small model, or hours in minutes.
test("an estimate names the line that it holds for", () => {
  expect(estimateTime(2_500_000_000)).toBe("About 7 min at 50 Mbit/s")
  expect(estimateTime(1_000)).toBe("About 1 min at 50 Mbit/s")
  expect(estimateTime(40_000_000_000)).toBe("About 1.8 h at 50 Mbit/s")
})

// Would claim a checksum where only the header was checked, or a speed while nothing arrives.
test("a download says no more than is known", () => {
  expect(describeDownload(download)).toBe("500 MB of 2 GB · 10 MB/s · About 3 min left")
  const still = { ...download, bytesPerSecond: null, secondsLeft: null }
  expect(describeDownload(still)).toBe("500 MB of 2 GB · Waiting for the server")
  expect(describeDownload({ ...still, interruption: "The server can't be reached." })).toBe(
    "500 MB of 2 GB · The server can't be reached. It is tried again.",
  )
  expect(describeDownload({ ...download, sizeBytes: null, status: "paused" })).toBe("Paused at 500 MB")
  expect(describeDownload({ ...download, status: "done", checkedBy: "header" })).toBe("Downloaded")
  expect(describeDownload({ ...download, status: "done", checkedBy: "sha256" })).toBe(
    "Downloaded and checked: it is the file that was published",
  )
})

// Would show a reason in English on an Italian page.
test("why nothing arrives is said in the page's language", async () => {
  const { text: interruption, field } = sentence("models.server_unreachable")
  await i18next.changeLanguage("it")
  expect(describeDownload({ ...download, interruption, ...field })).toContain(
    "Il server non è raggiungibile.",
  )
  await i18next.changeLanguage("en")
})

// Would show the tag that stands for many languages.
test("languages are named", () => {
  expect(formatLanguages(["mul"])).toBe("Many languages")
  expect(formatLanguages(["en"])).toMatch(/^English$/)
})

// Would show a cancelled download for ever, or the same one twice.
test("news of a download takes its place, joins, or leaves", () => {
  const other = { ...download, id: "d2" }
  expect(withDownload([download], other)).toEqual([download, other])
  const paused = { ...download, status: "paused" as const }
  expect(withDownload([download, other], paused)).toEqual([paused, other])
  expect(withDownload([download, other], { ...download, status: "cancelled" })).toEqual([other])
})
