import { createServer } from "node:http"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import express from "express"
import { expect, test } from "vitest"
import { AppError } from "../../shared/contract/errors.ts"
import { sentence } from "../../shared/sentences/sentences.ts"
import { sendError } from "./error-response.ts"

// Catches a client or proxy that gives up because an active server reports less about an outage than a standby server.
test("sends Retry-After for errors that may soon be resolved", async () => {
  const errors: Record<string, AppError> = {
    "/unavailable": new AppError("unavailable", sentence("core.database_away")),
    "/not-found": new AppError("not_found", sentence("core.database_away")),
  }
  const server = createServer(
    express().use((request, response) => {
      const error = errors[request.path]
      if (error) sendError(response, request.path, error)
    }),
  ).listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const answered = async (path: string) => {
    const { status, headers } = await fetch(`http://127.0.0.1:${port}${path}`)
    return [status, headers.get("retry-after")]
  }
  try {
    expect(await answered("/unavailable")).toEqual([503, "1"])
    expect(await answered("/not-found")).toEqual([404, null])
  } finally {
    server.closeAllConnections()
    server.close()
  }
})
