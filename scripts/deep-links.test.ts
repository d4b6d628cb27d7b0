import { expect, test } from "vitest"
import { routeOfLink } from "../src/main/deep-links.ts"
import { routes } from "../src/renderer/lib/places/routes.ts"

// Would catch a section of the settings that no link opens because the shell's list wasn't told of it.
test("a link opens each section of the settings", () => {
  const sections = Object.values(routes).filter(
    (route): route is string => typeof route === "string" && /^\/settings[^?]*$/.test(route),
  )
  expect(sections.length).toBeGreaterThan(5)
  for (const route of sections) expect(routeOfLink(`casella:/${route}`)).toBe(route)
})
