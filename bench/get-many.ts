import { Agent, request } from "node:http"

/** Number of kept-alive connections. Each waits for its answer before it sends the next request. */
const connections = 16

/** Sends `count` GET requests to one address. */
export async function getMany(url: string, headers: Record<string, string>, count: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const get = () =>
    new Promise<void>((resolve, reject) => {
      request(url, { agent, headers }, (answer) => {
        if (answer.statusCode !== 200) reject(new Error(`${url} answered ${String(answer.statusCode)}`))
        answer.resume().on("end", () => resolve())
      })
        .on("error", reject)
        .end()
    })
  const worker = async () => {
    for (let index = 0; index < count / connections; index++) await get()
  }
  await Promise.all(Array.from({ length: connections }, worker))
  agent.destroy()
}
