/** The first Chromium version that enforces `Connection-Allowlist`. */
const firstVersion = 152

interface WithBrands {
  userAgentData?: { brands: { brand: string; version: string }[] }
}

/**
 * Whether this browser limits a frame's connections to those in `Connection-Allowlist`. Otherwise a frame's connection elsewhere is blocked
 * only after its name was looked up.
 */
export function enforcesConnectionAllowlist(browser: WithBrands = navigator as WithBrands): boolean {
  const brands = browser.userAgentData?.brands ?? []
  return brands.some(({ brand, version }) => brand === "Chromium" && Number(version) >= firstVersion)
}
