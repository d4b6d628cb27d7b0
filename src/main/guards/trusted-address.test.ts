import { expect, test } from "vitest"
import { isBoxAddress } from "./allowed-addresses.ts"

const box = "http://127.0.0.1:8484"

test("trusts the box's own page", () => {
  expect(isBoxAddress(box, "http://127.0.0.1:8484/#/inter/chat/1")).toBe(true)
})

// Catches a prefix comparison, which accepts look-alike hosts, ports and user names.
test.each([
  "http://127.0.0.1:84840/",
  "http://127.0.0.1:8484.evil.example/",
  "http://127.0.0.1:8484@evil.example/",
  "http://user@127.0.0.1:8484/",
  "https://127.0.0.1:8484/",
  "http://localhost:8484/",
  "file:///etc/passwd",
  "data:text/html,<script>alert(1)</script>",
  "about:blank",
  "blob:http://evil.example/1",
  "",
])("doesn't trust %s", (address) => {
  expect(isBoxAddress(box, address)).toBe(false)
})

// Catches a prefix comparison where the box's port or host is the beginning of another.
test.each([
  ["http://127.0.0.1:848", "http://127.0.0.1:8484/"],
  ["http://127.0.0.1", "http://127.0.0.1:8484/"],
  ["https://box.example", "https://box.example.evil.example/"],
])("the page of %s doesn't trust %s", (origin, address) => {
  expect(isBoxAddress(origin, `${origin}/`)).toBe(true)
  expect(isBoxAddress(origin, address)).toBe(false)
})
