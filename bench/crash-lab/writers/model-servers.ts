import { reader, type Writer } from "../writer.ts"

interface Server {
  name: string
  hasKey: boolean
}

/** Nothing listens at this address. The box keeps a server that can't be reached. */
const url = "http://127.0.0.1:9/v1"

const servers = reader<Server>("model servers", async ({ client }) =>
  (await client.modelServers.list()).servers.map(({ id, name, hasKey }) => ({
    name: name.split(" ")[0] ?? "",
    id,
    state: { name, hasKey },
  })),
)

export const modelServers: Writer<"modelServers"> = {
  writes: {
    async add(desk) {
      if (servers.of(desk).listExisting().length >= 40) return false
      const name = desk.name("server")
      const hasKey = desk.random() < 0.5
      const body = { name, url, ...(hasKey && { apiKey: "of-this-server" }) }
      const send = async () => ({ id: (await desk.client.modelServers.add({ body })).server.id })
      return servers.of(desk).write({ name, after: { name, hasKey }, send })
    },
    async update(desk) {
      const entry = desk.random.oneOf(servers.of(desk).listExisting())
      if (!entry?.state) return false
      const after = { name: `${entry.name} ${desk.random.word()}`, hasKey: entry.state.hasKey }
      const send = async () =>
        void (await desk.client.modelServers.update({
          params: { serverId: entry.id },
          body: { name: after.name },
        }))
      return servers.of(desk).write({ name: entry.name, after, send })
    },
    refresh: { none: "Asks a server; what it lists is asked for again at any time." },
    async remove(desk) {
      const entry = desk.random.oneOf(servers.of(desk).listExisting())
      if (!entry) return false
      const send = async () =>
        void (await desk.client.modelServers.remove({ params: { serverId: entry.id } }))
      return servers.of(desk).write({ name: entry.name, after: null, send })
    },
  },
  readers: [servers.reader],
}
