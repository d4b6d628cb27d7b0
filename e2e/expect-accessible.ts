import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { AxeBuilder } from "@axe-core/playwright"
import { expect, type Page } from "@playwright/test"

type Violations = Awaited<ReturnType<AxeBuilder["analyze"]>>["violations"]

const { resolve } = createRequire(createRequire(import.meta.url).resolve("@axe-core/playwright"))
const axe = readFileSync(resolve("axe-core/axe.min.js"), "utf8")

/**
 * Returns axe's findings for the page. For a single document it runs axe directly, because axe's builder opens a second page for every
 * analysis and also returns the passes, which takes four times as long. A newly opened screen is drawn first.
 */
export async function getViolations(page: Page): Promise<Violations> {
  await page.evaluate(`new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))`)
  if (page.frames().length > 1) return (await new AxeBuilder({ page }).analyze()).violations
  if (await page.evaluate<boolean>(`globalThis.axe === undefined`)) await page.evaluate(axe)
  return page.evaluate(`axe.run({ resultTypes: ["violations"] }).then(({ violations }) => violations)`)
}

/**
 * Expects that axe finds no serious fault in the page, once what is still being drawn or loaded is there; `state` labels a failure.
 */
export async function expectAccessible(page: Page, state?: string): Promise<void> {
  const findFaults = async () =>
    (await getViolations(page))
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`)
  await expect.poll(findFaults, state).toEqual([])
}
