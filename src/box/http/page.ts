import { existsSync } from "node:fs"
import { join } from "node:path"
import express, { type RequestHandler } from "express"
import { widgetConnections, widgetPath, widgetPolicy } from "../../shared/widget-document.ts"

/** Allows only the page's own files and the box itself. Model output may show data: and blob: images. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'", // Worker that parses long Markdown.
  "frame-src 'self'", // Widgets; also prevents them from navigating elsewhere.
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ")

/** Sets the headers of every answer. */
export const securityHeaders: RequestHandler = (_request, response, next) => {
  response.setHeader("content-security-policy", contentSecurityPolicy)
  response.setHeader("x-content-type-options", "nosniff")
  // No policy covers DNS prefetching: without this header a browser resolves the host of a link when the pointer is over it.
  response.setHeader("x-dns-prefetch-control", "off")
  response.setHeader("referrer-policy", "no-referrer")
  response.setHeader("cross-origin-resource-policy", "same-origin")
  response.setHeader("cross-origin-opener-policy", "same-origin")
  next()
}

/** Serves the frame in which the page's widgets run. It is the same for everyone and contains no data, so it needs no credential. */
const serveWidgetFrame: RequestHandler = (request, response, next) => {
  if (request.path !== widgetPath || (request.method !== "GET" && request.method !== "HEAD")) {
    next()
    return
  }
  response.setHeader("content-security-policy", widgetPolicy)
  response.setHeader("connection-allowlist", widgetConnections)
  response.setHeader("cache-control", "no-cache")
  // Loaded on demand, because few answers have widgets.
  void import("./widget-frame.ts").then(
    ({ widgetDocument }) => response.type("html").send(widgetDocument),
    next,
  )
}

/**
 * Redirects `localhost` to 127.0.0.1. Browsers try `[::1]` first for `localhost`, where this box doesn't listen and another user's server
 * may, so no page or session may belong to that name.
 */
const leaveLocalhost: RequestHandler = ({ method, path, originalUrl, headers, socket }, response, next) => {
  const { localAddress, localPort } = socket
  const isMeant = localAddress === "127.0.0.1" && headers.host?.toLowerCase() === `localhost:${localPort}`
  if (isMeant && (method === "GET" || method === "HEAD") && !isApi(path))
    response.redirect(307, `http://127.0.0.1:${localPort}${originalUrl}`)
  else next()
}

const isApi = (path: string) => /^\/api(\/|$)/i.test(path)

/** Serves the built page. Every path that isn't a file returns `index.html`. */
export function servePage(directory: string): RequestHandler[] {
  const index = join(directory, "index.html")
  const assets = express.static(directory, { index: false, immutable: true, maxAge: "1y", redirect: false })
  const page: RequestHandler = (request, response, next) => {
    // Programs that sign in look for metadata under `.well-known`. There is none.
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
