import { existsSync } from "node:fs"
import { join } from "node:path"
import express, { type Router } from "express"
import { lazy } from "../core/lazy.ts"

/** Serves `/api/openapi.json`, and the API reference at `/api/docs`, whose files are built into `pageDir`. */
export function describeApiAt(pageDir: string): Router {
  const router = express.Router()
  const description = lazy(async () => {
    const { default: document } = await import("../../../openapi.json", { with: { type: "json" } })
    return Buffer.from(JSON.stringify(document))
  })
  router.get("/api/openapi.json", async (_request, response) => {
    response.type("json").send(await description())
  })
  router.get("/api/docs", (_request, response) => {
    const page = join(pageDir, "api-docs.html")
    response.setHeader("cache-control", "no-cache")
    if (existsSync(page)) response.sendFile(page)
    else response.status(503).type("text/plain").send("The page isn't built yet. Run: npm run build\n")
  })
  return router
}
