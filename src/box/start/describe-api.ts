import express, { type Router } from "express"
import { lazy } from "../core/lazy.ts"
import { api } from "../../shared/contract/api.ts"

/**
 * Serves `/api/openapi.json` and `/api/docs`. Both are built on first request and kept, because building is slow and anyone may request
 * them.
 */
export function describeApiAt(version: string): Router {
  const router = express.Router()
  const made = lazy(async () => {
    const { describeApi } = await import("../http/openapi/openapi.ts")
    const { renderApiDocs } = await import("../http/openapi/openapi.ts")
    const document = describeApi(api, version)
    return { json: Buffer.from(JSON.stringify(document)), page: Buffer.from(renderApiDocs(document)) }
  })
  router.get("/api/openapi.json", async (_request, response) => {
    response.type("json").send((await made()).json)
  })
  router.get("/api/docs", async (_request, response) => {
    response.type("html").send((await made()).page)
  })
  return router
}
