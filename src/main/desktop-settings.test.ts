import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { openDesktopSettings } from "./desktop-settings.ts"

const freshPath = () => join(mkdtempSync(join(tmpdir(), "casella-desktop-")), "desktop", "desktop.json")

test("keeps settings across a restart", () => {
  const path = freshPath()
  openDesktopSettings(path).update({ quickAskShortcut: null, language: "it" })
  expect(openDesktopSettings(path).current).toMatchObject({ quickAskShortcut: null, language: "it" })
})

// Catches a settings file that prevents the app from starting, and one wrong field that resets the others.
test.each([
  "",
  "{",
  "null",
  "[]",
  '"text"',
  '{"placement":{"x":1e99},"language":"xx","updates":{"feed":"no"}}',
])("uses the defaults for a file of %j", (text) => {
  const path = freshPath()
  openDesktopSettings(path).update({})
  writeFileSync(path, text)
  const { current } = openDesktopSettings(path)
  expect(current).toMatchObject({ placement: null, language: null, updates: { feed: null } })
  expect(current.quickAskShortcut).toBe("Alt+Shift+Space")
})

test("keeps the other fields if one is wrong", () => {
  const path = freshPath()
  openDesktopSettings(path).update({ language: "it" })
  const stored = JSON.parse(readFileSync(path, "utf8")) as object
  writeFileSync(path, JSON.stringify({ ...stored, keepRunning: "perhaps" }))
  expect(openDesktopSettings(path).current.language).toBe("it")
})
