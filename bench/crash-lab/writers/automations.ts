import { everyPage, pageLength, reader, type Desk, type Writer } from "../writer.ts"

interface Automation {
  prompt: string
}

const automationReader = reader<Automation>("automations", async ({ client }) => {
  const all = await everyPage(
    async (offset) => (await client.automations.list({ query: { limit: pageLength, offset } })).automations,
  )
  return all.map(({ name, id, prompt }) => ({ name, id, state: { prompt } }))
})

const one = (desk: Desk) => desk.random.oneOf(automationReader.of(desk).listExisting())

export const automations: Writer<"automations"> = {
  writes: {
    async create(desk) {
      const name = desk.name("automation")
      const prompt = desk.random.word()
      const body = {
        name,
        prompt,
        trigger: { kind: "schedule", cron: "0 0 1 1 *", timeZone: "UTC" },
      } as const
      return automationReader.of(desk).write({
        name,
        after: { prompt },
        send: async () => ({ id: (await desk.client.automations.create({ body })).automation.id }),
      })
    },
    async update(desk) {
      const entry = one(desk)
      if (!entry) return false
      const body = { prompt: desk.random.word() }
      const send = async () => void (await desk.client.automations.update({ params: { id: entry.id }, body }))
      return automationReader.of(desk).write({ name: entry.name, after: body, send })
    },
    async remove(desk) {
      const entry = one(desk)
      if (!entry) return false
      const send = async () => void (await desk.client.automations.remove({ params: { id: entry.id } }))
      return automationReader.of(desk).write({ name: entry.name, after: null, send })
    },
    run: { none: "Runs over kills are counted by `bench/automation-kills.ts`." },
    hook: { none: "As `run`." },
    cancel: { none: "As `run`." },
  },
  readers: [automationReader.reader],
}
