import { existsSync } from "node:fs"
import { join } from "node:path"
import express, { type RequestHandler } from "express"
import { widgetConnections, widgetPath, widgetPolicy } from "../../shared/widget-document.ts"

/** Nothing but the page's own files and the box itself; model output may show data: and blob: images. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'", // what reads long Markdown
  "frame-src 'self'", // widgets; also what keeps them from navigating elsewhere
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ")

/** Headers of every answer. */
export const securityHeaders: RequestHandler = (_request, response, next) => {
  response.setHeader("content-security-policy", contentSecurityPolicy)
  response.setHeader("x-content-type-options", "nosniff")
  // No policy covers it: without this a browser looks up the host of a link that is only hovered.
  response.setHeader("x-dns-prefetch-control", "off")
  response.setHeader("referrer-policy", "no-referrer")
  response.setHeader("cross-origin-resource-policy", "same-origin")
  response.setHeader("cross-origin-opener-policy", "same-origin")
  next()
}

/** Where the page's widgets run. It is the same for everyone and holds nothing, so it needs no credential. */
const serveWidgetFrame: RequestHandler = (request, response, next) => {
  if (request.path !== widgetPath || (request.method !== "GET" && request.method !== "HEAD")) {
    next()
    return
  }
  response.setHeader("content-security-policy", widgetPolicy)
  response.setHeader("connection-allowlist", widgetConnections)
  response.setHeader("cache-control", "no-cache")
  // Few answers have widgets, and a start loads no more than it needs.
  void import("./widget-frame.ts").then(
    ({ widgetDocument }) => response.type("html").send(widgetDocument),
    next,
  )
}

/**
 * Browsers try `[::1]` first for `localhost`, where a box that listens on 127.0.0.1 doesn't hear and another user's server
 * may: no page, and so no session, ever belongs to that name.
 */
const leaveLocalhost: RequestHandler = ({ method, path, originalUrl, headers, socket }, response, next) => {
  const { localAddress, localPort } = socket
  const isMeant = localAddress === "127.0.0.1" && headers.host?.toLowerCase() === `localhost:${localPort}`
  if (isMeant && (method === "GET" || method === "HEAD") && !isApi(path))
    response.redirect(307, `http://127.0.0.1:${localPort}${originalUrl}`)
  else next()
}

const isApi = (path: string) => /^\/api(\/|$)/i.test(path)

/** Serves the built page; every route of it that isn't a file is `index.html`. */
export function servePage(directory: string): RequestHandler[] {
  const index = join(directory, "index.html")
  const assets = express.static(directory, { index: false, immutable: true, maxAge: "1y", redirect: false })
  const page: RequestHandler = (request, response, next) => {
    // Programs that sign in look for descriptions of that in `.well-known`: there are none.
    const isPage = !/^\/(api|assets|\.well-known)(\/|$)/.test(request.path)
    if ((request.method !== "GET" && request.method !== "HEAD") || !isPage) {
      next()
      return
    }
    response.setHeader("cache-control", "no-cache")
    if (existsSync(index)) response.sendFile(index)
    else response.status(503).type("text/plain").send("The page isn't built yet. Run: npm run build\n")
  }
  return [leaveLocalhost, serveWidgetFrame, assets, page]
}
