import { app, session } from "electron"
import { type OpenExternal, isBoxAddress } from "./allowed-addresses.ts"

/** Copying text is the only permission that the page gets. */
const allowedPermissions = new Set(["clipboard-sanitized-write"])

/** Keeps every window on the box's page. Links open in the browser, and permissions are denied. */
export function lockDown(boxUrl: string, openExternal: OpenExternal): void {
  session.defaultSession.setPermissionRequestHandler((_contents, permission, decide) =>
    decide(allowedPermissions.has(permission)),
  )
  session.defaultSession.setPermissionCheckHandler((_contents, permission) =>
    allowedPermissions.has(permission),
  )

  app.on("web-contents-created", (_event, contents) => {
    contents.setWindowOpenHandler(({ url }) => {
      void openExternal(url)
      return { action: "deny" }
    })
    const stay = (event: { url: string; preventDefault(): void }) => {
      if (!isBoxAddress(boxUrl, event.url)) event.preventDefault()
    }
    contents.on("will-navigate", stay)
    contents.on("will-redirect", stay)
    contents.on("will-frame-navigate", stay)
    contents.on("will-attach-webview", (event) => event.preventDefault())
  })
}
