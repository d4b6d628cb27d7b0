import { expect, test } from "vitest"
import { parseDeepLink } from "../src/main/arguments.ts"
import { routes } from "../src/renderer/lib/navigation/routes.ts"

// Catches a settings section that no link opens because it is missing from the shell's list.
test("a link opens each settings section", () => {
  const sections = Object.values(routes).filter(
    (route): route is string => typeof route === "string" && /^\/settings[^?]*$/.test(route),
  )
  expect(sections.length).toBeGreaterThan(5)
  for (const route of sections) expect(parseDeepLink(`casella:/${route}`)).toBe(route)
})
