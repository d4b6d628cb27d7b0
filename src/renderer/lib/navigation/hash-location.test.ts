import { afterEach, expect, test, vi } from "vitest"
import { navigateIfIdle, splitHash } from "./hash-location.ts"

test.each([
  ["", "/", ""],
  ["#", "/", ""],
  ["#/inter/chat/1?branch=2", "/inter/chat/1", "branch=2"],
  ["#/signin?token=a?b", "/signin", "token=a?b"],
  ["#settings", "/settings", ""],
])("splits %j into route %j and search %j", (hash, path, search) => {
  expect(splitHash(hash)).toEqual({ path, search })
})

// Catches a page or highlighted row that treats a differently encoded address as another chat.
test.each([
  ["#/inter/chat/a;b", "/inter/chat/a%3Bb"],
  ["#/inter/chat/a%3bb", "/inter/chat/a%3Bb"],
  ["#/inter/chat/100%", "/inter/chat/100%25"],
  ["#/inter/chat/%C3%BC", "/inter/chat/%C3%BC"],
  ["#/inter/chat/ü", "/inter/chat/%C3%BC"],
])("treats %s as the same route as %s", (hash, path) => {
  expect(splitHash(hash).path).toBe(path)
  expect(splitHash(`#${path}`).path).toBe(path)
})

afterEach(() => vi.unstubAllGlobals())

// Catches an undone deletion or a copied chat that takes the user away from the chat that they have opened meanwhile.
test.each(["pointerdown", "keydown"])("a %s in the meantime prevents the navigation", (type) => {
  const page = Object.assign(new EventTarget(), { location: { hash: "#/" } })
  vi.stubGlobal("window", page)
  vi.stubGlobal("addEventListener", page.addEventListener.bind(page))
  const goWhileIdle = navigateIfIdle()
  goWhileIdle("/first")
  expect(page.location.hash).toBe("/first")
  const goAfterInput = navigateIfIdle()
  page.dispatchEvent(new Event(type))
  goAfterInput("/second")
  expect(page.location.hash).toBe("/first")
})
