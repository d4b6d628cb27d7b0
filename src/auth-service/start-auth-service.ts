import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { type AuthConfig, loadSecret } from "./auth-config.ts"
import { compose } from "./compose.ts"
import { openDatabase } from "./core/open-database.ts"
import type { Logger } from "./core/logger.ts"
import { createGuard, createApp, createHttpServer, serveOpenApi, servePage } from "./http/http-server.ts"

export interface RunningAuthService extends AsyncDisposable {
  url: string
}

/** Connections still open this long after the service starts to stop are closed. */
const closingGraceMs = 1_500
const sweepIntervalMs = 3600 * 1000

/** Starts the auth service from its configuration. Throws the system's error if the port is in use. */
export async function startAuthService(
  config: AuthConfig,
  pageDir: string,
  logger: Logger,
): Promise<RunningAuthService> {
  const { dataDir, databaseUrl, host, publicUrl } = config
  await using stack = new AsyncDisposableStack()
  const secret = loadSecret(dataDir)
  const database = stack.use(await openDatabase(dataDir, databaseUrl))
  const parts = await compose({ database, secret, publicUrl, logger })

  const server = createHttpServer()
  server.listen(config.port, host)
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const app = createApp(createGuard(port, publicUrl), logger, [
    ...parts.routes(),
    serveOpenApi,
    servePage(pageDir),
  ])
  // A proxy on this computer forwards the client's address; sign-in attempts are counted by that address.
  if (publicUrl !== null) app.set("trust proxy", "loopback")
  server.on("request", app)
  // With "Expect: 100-continue", a client sends its body only after it is admitted; see read-json.ts.
  server.on("checkContinue", app)
  stack.defer(async () => {
    const closed = new Promise((resolve) => server.close(resolve))
    const cut = setTimeout(() => server.closeAllConnections(), closingGraceMs)
    server.closeIdleConnections()
    await closed
    clearTimeout(cut)
  })

  let sweeping = Promise.resolve()
  const sweep = () => {
    sweeping = parts
      .sweep()
      .catch((error: unknown) => logger.error({ err: error }, "Database cleanup failed"))
  }
  const timer = setInterval(sweep, sweepIntervalMs)
  stack.defer(async () => {
    clearInterval(timer)
    await sweeping
  })
  sweep()

  const url = `http://${host.includes(":") ? `[${host}]` : host}:${port}`
  logger.info({ url, database: database.type }, "Ready")
  const resources = stack.move()
  return { url, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}
