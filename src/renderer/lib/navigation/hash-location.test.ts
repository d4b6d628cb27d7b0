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

class Page extends EventTarget {
  readonly location = { hash: "#/" }
  press(key: string, repeat = false): void {
    this.dispatchEvent(Object.assign(new Event("keydown"), { key, repeat }))
  }
}

// Catches an undone deletion or a copied chat that takes the user away from what they have done in the meantime.
test.each<[string, (page: Page) => void, boolean]>([
  ["a click", (page) => page.dispatchEvent(new Event("pointerdown")), false],
  ["a key", (page) => page.press("a"), false],
  ["another address", (page) => (page.location.hash = "#/inbox"), false],
  ["a held key", (page) => page.press("z", true), true],
  ["a modifier key", (page) => page.press("Shift"), true],
  ["nothing", () => undefined, true],
])("after %s, a navigation that waited takes place: %s", (_, act, navigates) => {
  const page = new Page()
  vi.stubGlobal("window", page)
  const goWhileIdle = navigateIfIdle()
  act(page)
  const before = page.location.hash
  goWhileIdle("/copy")
  expect(page.location.hash).toBe(navigates ? "/copy" : before)
})
