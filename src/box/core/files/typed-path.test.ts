import { expect, test } from "vitest"
import { typedPath } from "./path-jail.ts"

// Catches a path that is refused because of how it was copied, a name with quotes in it that is changed, and an address that leads to
// another computer.
test.each([
  ["/srv/papers", "/srv/papers"],
  [`  "/srv/my papers" `, "/srv/my papers"],
  ["'/srv/my papers'", "/srv/my papers"],
  [`/srv/"papers"`, `/srv/"papers"`],
  [`"/srv/papers`, `"/srv/papers`],
  ["~", "/home/anna"],
  ["~/papers", "/home/anna/papers"],
  [`"~/papers"`, "/home/anna/papers"],
  ["~ben/papers", "~ben/papers"],
  ["file:///srv/my%20papers", "/srv/my papers"],
  ["file://localhost/srv/papers", "/srv/papers"],
  ["file://elsewhere/srv/papers", "file://elsewhere/srv/papers"],
  ["file:///srv%2Fpapers", "file:///srv%2Fpapers"],
  ["", ""],
])("%j", { tags: "unix" }, (given, path) => {
  expect(typedPath(given, "/home/anna")).toBe(path)
})
