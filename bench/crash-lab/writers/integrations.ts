import { reader, type Desk, type Writer } from "../writer.ts"

interface Server {
  url: string | null
  hasToken: boolean
}

const servers = reader<Server>("integrations", async ({ client }) =>
  (await client.integrations.list()).integrations
    .filter(({ name }) => name.startsWith("server"))
    .map(({ name, key, target, hasToken }) => ({
      name,
      id: key,
      state: { url: target?.kind === "http" ? target.url : null, hasToken },
    })),
)

const one = (desk: Desk) => desk.random.oneOf(servers.of(desk).listExisting())

/** Nothing listens at this address, and no server is called before it is connected. */
const address = ({ random }: Desk) => `http://127.0.0.1:9/${random.word()}`

const linked =
  "Takes a server that answers; features/integrations/ has them, and killed-box.test.ts kills the box."

export const integrations: Writer<"integrations"> = {
  writes: {
    async add(desk) {
      const name = desk.name("server")
      const url = address(desk)
      const token = desk.random() < 0.5 ? desk.random.word() : undefined
      const body = { name, target: { kind: "http" as const, url }, token }
      const send = async () => ({ id: (await desk.client.integrations.add({ body })).integration.key })
      return servers.of(desk).write({ name, after: { url, hasToken: token !== undefined }, send })
    },
    async update(desk) {
      const entry = one(desk)
      if (!entry) return false
      const url = address(desk)
      const token = desk.random() < 0.5 ? desk.random.word() : null
      const body = { target: { kind: "http" as const, url }, token }
      const send = async () =>
        void (await desk.client.integrations.update({ params: { key: entry.id }, body }))
      return servers.of(desk).write({
        name: entry.name,
        after: { url, hasToken: token !== null },
        send,
      })
    },
    async remove(desk) {
      const entry = one(desk)
      if (!entry) return false
      const send = async () => void (await desk.client.integrations.remove({ params: { key: entry.id } }))
      return servers.of(desk).write({ name: entry.name, after: null, send })
    },
    link: { none: linked },
    unlink: { none: linked },
    check: { none: linked },
    approve: { none: linked },
    mark: { none: linked },
    signIn: { none: "Only tells what a sign-in is for." },
    handOver: { none: "Kept in memory until its user has been asked." },
    finish: { none: "Takes a provider; features/integrations/oauth.test.ts has one." },
  },
  readers: [servers.reader],
}
