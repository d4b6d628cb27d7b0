import { expect, test } from "vitest"
import { splitHash } from "./hash-location.ts"

test.each([
  ["", "/", ""],
  ["#", "/", ""],
  ["#/inter/chat/1?branch=2", "/inter/chat/1", "branch=2"],
  ["#/signin?token=a?b", "/signin", "token=a?b"],
  ["#settings", "/settings", ""],
])("%j is route %j with search %j", (hash, path, search) => {
  expect(splitHash(hash)).toEqual({ path, search })
})
