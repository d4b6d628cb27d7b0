import { expect, test } from "vitest"
import { unclearAddresses } from "./ApprovalCard.tsx"

// Catches an approval for an address that looks like another one.
test.each([
  ["Cyrillic а", "https://аpple.com/x", "xn--pple-43d.com"],
  ["a sign like a slash", "https://bank.example⁄login.evil.test/", "bank.xn--examplelogin-xk0g.evil.test"],
  ["a user's name like a host", "https://bank.example@evil.test/a", "evil.test"],
  ["a backslash", String.raw`https://evil.test\@bank.example/`, "evil.test"],
  ["backslashes", String.raw`https:\\evil.test/`, "evil.test"],
  ["a number", "http://0x7f.1:81/", "127.0.0.1:81"],
  ["a sign like a full stop", "https://a。b.test/", "a.b.test"],
  ["encoded letters", "https://%61pple.com", "apple.com"],
  ["a change of the writing direction", "https://ab\u202Ecd.test/x", null],
])("reports an address with %s", (_name, written, host) => {
  expect(unclearAddresses({ deep: [{ text: `Open ${written} now` }] })).toEqual([{ written, host }])
  expect(unclearAddresses({ [written]: 1 })).toEqual([{ written, host }])
})

test.each([
  "https://example.org",
  "HTTPS://EXAMPLE.org:443/Straße?q=а#é",
  "http://[::1]:8080/x",
  "no address, nor 5⁄6",
  7,
  null,
])("treats %j as clear", (value) => {
  expect(unclearAddresses({ url: value })).toEqual([])
})
