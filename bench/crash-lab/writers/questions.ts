import { everyPage, pageLength, reader, type Writer } from "../writer.ts"

interface Asked {
  description: string
}

const asked = reader<Asked>("questions", async ({ client }) => {
  const all = await everyPage(
    async (offset) => (await client.questions.list({ query: { limit: pageLength, offset } })).questions,
  )
  return all.map(({ title, id, description }) => ({ name: title, id, state: { description } }))
})

/** The box would refuse more. */
const maxAsked = 90

export const questions: Writer<"questions"> = {
  writes: {
    async ask(desk) {
      if (asked.of(desk).listExisting().length >= maxAsked) return false
      const name = desk.name("question")
      const description = desk.random.word()
      const body = { title: name, description, choices: ["yes", "no"], expiresInSeconds: 604_800 }
      return asked.of(desk).write({
        name,
        after: { description },
        send: async () => ({ id: (await desk.client.questions.ask({ body })).question.id }),
      })
    },
    answer: { none: "Only the app's session answers; a test of its own kills a box after an answer." },
  },
  readers: [asked.reader],
}
