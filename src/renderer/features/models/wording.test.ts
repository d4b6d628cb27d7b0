import { expect, test } from "vitest"
import type { ModelDownload } from "../../../shared/contract/model-files.ts"
import { withDownload } from "../../data/models.ts"
import { describeDownload, formatLanguages, formatTimeLeft } from "./wording.ts"

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

// Would claim a checksum where only the header was checked, or a speed while nothing arrives.
test("a download says no more than is known", () => {
  expect(describeDownload(download)).toBe("500 MB of 2 GB · 10 MB/s · About 3 min left")
  expect(describeDownload({ ...download, bytesPerSecond: null, secondsLeft: null })).toBe(
    "500 MB of 2 GB · Waiting for the server",
  )
  expect(describeDownload({ ...download, sizeBytes: null, status: "paused" })).toBe("Paused at 500 MB")
  expect(describeDownload({ ...download, status: "done", checkedBy: "header" })).toBe("Downloaded")
  expect(describeDownload({ ...download, status: "done", checkedBy: "sha256" })).toBe(
    "Downloaded, checksum verified",
  )
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
