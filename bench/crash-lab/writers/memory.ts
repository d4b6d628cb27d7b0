import { everyPage, pageLength, reader, type Desk, type Writer } from "../writer.ts"

interface Fact {
  text: string
}

const facts = reader<Fact>("facts", async ({ client }) => {
  const all = await everyPage(
    async (offset) => (await client.memory.list({ query: { limit: pageLength, offset } })).memories,
  )
  return all
    .map(({ id, text }) => ({ name: text.split(" ")[0] ?? "", id, state: { text } }))
    .filter(({ name }) => name.startsWith("fact"))
})

/** Uses unique words, because the box would otherwise treat it as another version of an older fact. */
const say = ({ random }: Desk, name: string) => `${name} ${random.word()} ${random.word()} ${random.word()}`

export const memory: Writer<"memory"> = {
  writes: {
    async remember(desk) {
      const name = desk.name("fact")
      const text = say(desk, name)
      return facts.of(desk).write({
        name,
        after: { text },
        send: async () => ({ id: (await desk.client.memory.remember({ body: { text } })).memory.id }),
      })
    },
    async update(desk) {
      const entry = desk.random.oneOf(facts.of(desk).listExisting())
      if (!entry) return false
      const text = say(desk, entry.name)
      const send = async () =>
        void (await desk.client.memory.update({ params: { id: entry.id }, body: { text } }))
      return facts.of(desk).write({ name: entry.name, after: { text }, send })
    },
    async forget(desk) {
      const entry = desk.random.oneOf(facts.of(desk).listExisting())
      if (!entry) return false
      const send = async () => void (await desk.client.memory.forget({ params: { id: entry.id } }))
      return facts.of(desk).write({ name: entry.name, after: null, send })
    },
    forgetAll: (desk) =>
      facts.of(desk).writeAll(
        () => null,
        () => desk.client.memory.forgetAll(),
      ),
  },
  readers: [facts.reader],
}
