import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { openDesktopSettings } from "./desktop-settings.ts"

const freshPath = () => join(mkdtempSync(join(tmpdir(), "casella-desktop-")), "desktop", "desktop.json")

test("what was chosen is there after a restart", () => {
  const path = freshPath()
  openDesktopSettings(path).update({ quickAskShortcut: null, language: "it" })
  expect(openDesktopSettings(path).current).toMatchObject({ quickAskShortcut: null, language: "it" })
})

// Would catch a file that keeps the app from starting, or one wrong field that takes the others with it.
test.each([
  "",
  "{",
  "null",
  "[]",
  '"text"',
  '{"placement":{"x":1e99},"language":"xx","updates":{"feed":"no"}}',
])("a file of %j means the defaults", (text) => {
  const path = freshPath()
  openDesktopSettings(path).update({})
  writeFileSync(path, text)
  const { current } = openDesktopSettings(path)
  expect(current).toMatchObject({ placement: null, language: null, updates: { feed: null } })
  expect(current.quickAskShortcut).toBe("Alt+Shift+Space")
})

test("a wrong field leaves the others as they are", () => {
  const path = freshPath()
  openDesktopSettings(path).update({ language: "it" })
  const stored = JSON.parse(readFileSync(path, "utf8")) as object
  writeFileSync(path, JSON.stringify({ ...stored, keepRunning: "perhaps" }))
  expect(openDesktopSettings(path).current.language).toBe("it")
})
