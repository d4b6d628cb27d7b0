import { AxeBuilder } from "@axe-core/playwright"
import { expect, type Page } from "@playwright/test"

/** That axe finds no serious fault in what the page shows; `state` names it where it does. */
export async function expectAccessible(page: Page, state?: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze()
  const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical")
  const faults = serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`)
  expect(faults, state).toEqual([])
}
