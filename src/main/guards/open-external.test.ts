import { expect, test } from "vitest"
import { createOpenExternal } from "./allowed-addresses.ts"

function setUp() {
  const opened: string[] = []
  const openExternal = createOpenExternal((address) => {
    opened.push(address)
    return Promise.resolve()
  })
  return { opened, openExternal }
}

test.each(["https://example.com/a?b=c", "http://example.com/", "mailto:anna@example.com"])(
  "opens %s in the user's own program",
  async (address) => {
    const { opened, openExternal } = setUp()
    expect(await openExternal(address)).toBe(true)
    expect(opened).toEqual([address])
  },
)

// Catches a deny list, or a check of the text instead of the parsed address. Each of these addresses has started a program or read a file
// through some application's openExternal.
test.each([
  "file:///C:/Windows/System32/calc.exe",
  "javascript:alert(1)",
  " javascript:alert(1)",
  "java\nscript:alert(1)",
  "JAVASCRIPT:alert(1)",
  "data:text/html,<script>alert(1)</script>",
  "vbscript:msgbox(1)",
  "smb://server/share/x.exe",
  "\\\\server\\share\\x.exe",
  "ms-msdt:/id PCWDiagnostic",
  "search-ms:query=x",
  "ms-officecmd:{}",
  "casella://chat",
  "x-apple.systempreferences:",
  "ssh://-oProxyCommand=calc",
  "ftp://example.com/",
  "about:blank",
  "blob:https://example.com/1",
  "C:\\Windows\\System32\\calc.exe",
  "/usr/bin/xterm",
  "//example.com",
  "https://",
  "",
])("refuses %j", async (address) => {
  const { opened, openExternal } = setUp()
  expect(await openExternal(address)).toBe(false)
  expect(opened).toEqual([])
})
