/** The first Chromium that keeps `Connection-Allowlist`. */
const firstVersion = 152

interface WithBrands {
  userAgentData?: { brands: { brand: string; version: string }[] }
}

/**
 * Whether this browser keeps a frame's connections to those that `Connection-Allowlist` names. Where it doesn't, a frame
 * that tries to go elsewhere is stopped only after the name was looked up.
 */
export function keepsConnections(browser: WithBrands = navigator as WithBrands): boolean {
  const brands = browser.userAgentData?.brands ?? []
  return brands.some(({ brand, version }) => brand === "Chromium" && Number(version) >= firstVersion)
}
