import { expect, test } from "vitest"
import { enforcesConnectionAllowlist } from "./keeps-connections.ts"

const of = (...brands: [string, string][]) =>
  enforcesConnectionAllowlist({
    userAgentData: { brands: brands.map(([brand, version]) => ({ brand, version })) },
  })

// Catches widgets that run, although nothing may leave, in a browser that doesn't support the header or doesn't say so.
test("accepts only a Chromium version that supports the header", () => {
  expect(of(["Not.A/Brand", "8"], ["Chromium", "152"], ["Google Chrome", "152"])).toBe(true)
  expect(of(["Chromium", "160"])).toBe(true)
  expect(of(["Chromium", "151"])).toBe(false)
  expect(of(["Chromium", ""])).toBe(false)
  expect(of(["Elsewhere", "999"])).toBe(false)
  expect(enforcesConnectionAllowlist({})).toBe(false)
})
