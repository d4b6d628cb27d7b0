import type { Category } from "../../../src/shared/contract/notifications.ts"
import { reader, type Writer } from "../writer.ts"

interface Chosen {
  textEvent: "text-delta" | "text"
  mutedCategories: Category[]
  localOnly: boolean
  allowedHosts: string[]
  hasApiKey: boolean
}

/** One row and one secret: either both are written or neither. */
const chosen = reader<Chosen>("settings", async ({ client }) => {
  const { settings } = await client.settings.read()
  const { textEvent, mutedCategories, localOnly, allowedHosts, webSearch } = settings
  const state = { textEvent, mutedCategories, localOnly, allowedHosts, hasApiKey: webSearch.hasApiKey }
  return [{ name: "settings", id: "settings", state }]
})

export const settings: Writer<"settings"> = {
  writes: {
    async update(desk) {
      const { random } = desk
      const after: Chosen = {
        textEvent: random() < 0.5 ? "text-delta" : "text",
        mutedCategories: random() < 0.5 ? ["calendar"] : ["email", "scheduler"],
        localOnly: random() < 0.5,
        allowedHosts: [`${random.word()}.example`],
        hasApiKey: random() < 0.5,
      }
      const { hasApiKey, ...plain } = after
      const webSearch = { provider: "brave" as const, apiKey: hasApiKey ? random.word() : null }
      const send = async () => void (await desk.client.settings.update({ body: { ...plain, webSearch } }))
      return chosen.of(desk).write({ name: "settings", after, send })
    },
  },
  readers: [chosen.reader],
}
