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

// Would catch: a screen or a marked row that takes one written form of an address for another chat.
test.each([
  ["#/inter/chat/a;b", "/inter/chat/a%3Bb"],
  ["#/inter/chat/a%3bb", "/inter/chat/a%3Bb"],
  ["#/inter/chat/100%", "/inter/chat/100%25"],
  ["#/inter/chat/%C3%BC", "/inter/chat/%C3%BC"],
  ["#/inter/chat/ü", "/inter/chat/%C3%BC"],
])("%s is the same place as %s", (hash, path) => {
  expect(splitHash(hash).path).toBe(path)
  expect(splitHash(`#${path}`).path).toBe(path)
})
