// The API reference. Requests that are tried go to this server only, with the key that was typed; the key is kept in memory.

const dark = matchMedia("(prefers-color-scheme: dark)")
const showScheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches)
dark.addEventListener("change", showScheme)
showScheme()

/**
 * @typedef {{ spec: object, dom_id: string, deepLinking: boolean, docExpansion: string, filter: boolean, defaultModelsExpandDepth: number,
 *   defaultModelExpandDepth: number, displayRequestDuration: boolean, persistAuthorization: boolean, validatorUrl: null,
 *   requestInterceptor(request: object): object }} Options
 */
/** @type {(options: Options) => unknown} */
const render = Reflect.get(globalThis, "SwaggerUIBundle")

const response = await fetch("/api/openapi.json")
const spec = await response.json()
// The reference names the default address. Here it is the address of this page.
spec.servers = [{ url: location.origin, description: "This server." }]

render({
  spec,
  dom_id: "#reference",
  deepLinking: true,
  docExpansion: "none",
  filter: true,
  defaultModelsExpandDepth: 0,
  defaultModelExpandDepth: 3,
  displayRequestDuration: true,
  persistAuthorization: false,
  validatorUrl: null,
  // Without cookies, so that only the typed key counts and not the app's session.
  requestInterceptor: (request) => ({ ...request, credentials: "omit" }),
})
