import { createHook } from "node:async_hooks"
import { lookup } from "node:dns/promises"
import { once } from "node:events"
import { connect } from "node:net"
import { expect, it } from "vitest"
import { isLoopbackAddress } from "../../core/outbound/loopback.ts"
import { startTestBox } from "../../testing/test-box.ts"
import { waitFor } from "../../../shared/testing/wait-for.ts"

interface Connecting {
  address?: string
}

/** Watches this process below every library: its connections, name lookups and datagrams. */
function watchNetwork() {
  const connecting: Connecting[] = []
  let asked = 0
  const hook = createHook({
    init(_id, type, _trigger, resource) {
      if (type === "TCPCONNECTWRAP") connecting.push(resource)
      if (type === "GETADDRINFOREQWRAP" || type === "QUERYWRAP" || type === "UDPSENDWRAP") asked++
    },
  }).enable()
  return {
    get asked() {
      return asked
    },
    /** Addresses outside this computer. They are read at the end, because they are set after a connection starts. */
    others: () =>
      connecting.map(({ address = "" }) => address).filter((address) => !isLoopbackAddress(address)),
    all: () => connecting.length,
    [Symbol.dispose]: () => void hook.disable(),
  }
}

it("detects what it watches for", async () => {
  using network = watchNetwork()
  await lookup("localhost")
  await once(connect(9, "0.0.0.0"), "error")
  expect(network.asked).toBe(1)
  expect(network.others()).toEqual(["0.0.0.0"])
})

// Catches a library, or our own code, that connects or resolves a name without going through the outbound layer.
it("makes no outgoing connection or name lookup, whatever is set and tried", async () => {
  using network = watchNetwork()
  await using box = await startTestBox({
    localOnly: true,
    model: "http://model.example/v1",
    embeddingModel: "http://embedding.example/v1",
    authUrl: "http://auth.example",
  })
  const { client } = box
  const webSearch = { provider: "searxng", url: "http://search.example" } as const
  await client.settings.update({ body: { webSearch, modelMirror: "http://mirror.example" } })

  const { vector } = await client.folders.create({ body: { name: "Sums" } })
  const file = new Blob(["Two and two is four."])
  await client.files.upload({ params: { id: vector.id }, file, fileName: "sums.txt" })
  await waitFor(async () => {
    const { files } = await client.files.list({ params: { id: vector.id } })
    expect(files[0]?.status).toBe("completed")
  })
  const question = { role: "user" as const, content: "What is two and two?" }
  const ask = { id: "sums", messages: [question], boxAddress: "http://page.example", vector: [vector.id] }
  for await (const event of client.chat.send({ body: ask })) if (event.type === "finish") break
  await client.folders.search({ body: { query: "two", vector: [vector.id] } })

  const refused = { code: "local_only" }
  const raw = await fetch(`${box.url}/api/v1/chat/completions`, {
    method: "POST",
    headers: { "x-api-key": box.key, "content-type": "application/json" },
    body: JSON.stringify({ model: "x", messages: [question] }),
  })
  expect(raw.status).toBe(403)
  const source = { repo: "a/b", file: "c.gguf", revision: "main" }
  await expect(client.models.download({ body: source })).rejects.toMatchObject(refused)
  const signIn = { email: "kim@example.com", password: "a long enough password" }
  await expect(client.support.signIn({ body: signIn })).rejects.toMatchObject(refused)
  await client.support.create({ body: { title: "Search", description: "Forgets." } })
  const target = { kind: "http" as const, url: "https://mcp.example/mcp" }
  const { integration } = await client.integrations.add({ body: { name: "Away", target } })
  const link = client.integrations.link({ params: { key: integration.key }, body: {} })
  await expect(link).rejects.toMatchObject(refused)
  const sender = { kind: "user", name: "Kim", imageUrl: "https://avatars.example/kim.png" } as const
  const { notification } = await client.notifications.send({ body: { title: "Hello", sender } })
  await expect(client.notifications.avatar({ params: { id: notification.id } })).rejects.toThrow()
  await box.restart()
  await box.client.models.state()

  expect(network.all()).toBeGreaterThan(0)
  expect(network.others()).toEqual([])
  expect(network.asked).toBe(0)
})
