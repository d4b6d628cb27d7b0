// @ts-check
/** @import { LogLine, Ticket } from "../../src/shared/contract/tickets.ts" */
import { getBytes, rasterType } from "./data-url.js"
import { make, save, statuses, time } from "./elements.js"

/**
 * Shows one ticket. Answers what to call when it is no longer shown.
 * @param {HTMLElement} place @param {Ticket} ticket @param {(status: string) => void} onStatus
 * @returns {() => void}
 */
export function showTicket(place, ticket, onStatus) {
  const shot = ticket.screenshot === null ? null : screenshot(ticket.screenshot)
  const parts = [
    make("h2", {}, ticket.title),
    bar(ticket, onStatus),
    facts(ticket),
    make("p", { class: "text" }, ticket.description),
    shot?.element,
    ticket.attachment === null ? null : attachment(ticket.attachment, ticket.attachmentName ?? "allegato"),
    logs("Page log", ticket.uiLogs),
    logs("Server log", ticket.serverLogs),
    ticket.context === null ? null : fold("Context", JSON.stringify(ticket.context, null, 2)),
  ]
  place.replaceChildren(...parts.filter((part) => part !== null && part !== undefined))
  place.scrollTop = 0
  return () => shot?.release()
}

/** @param {Ticket} ticket @param {(status: string) => void} onStatus */
function bar(ticket, onStatus) {
  const options = statuses.map(([value, name]) => make("option", { value }, name))
  const select = make("select", { "aria-label": "Status of this ticket" }, ...options)
  select.value = ticket.status
  select.addEventListener("change", () => onStatus(select.value))
  return make("div", { class: "bar" }, select, make("span", { class: "faint" }, ticket.type.toLowerCase()))
}

/** @param {Ticket} ticket */
function facts({ user, sourceApp, brand, createdAt, updatedAt, id }) {
  const long = /** @type {const} */ ({ dateStyle: "long", timeStyle: "short" })
  /** @type {[string, string | Node][]} */
  const rows = [
    ["From", `${user.name} <${user.email}>${user.company === null ? "" : `, ${user.company}`}`],
    ["App", brand === null ? sourceApp : `${sourceApp} (${brand})`],
    ["Sent", time(createdAt, long)],
    ...(updatedAt === createdAt ? [] : [/** @type {[string, Node]} */ (["Changed", time(updatedAt, long)])]),
    ["Id", id],
  ]
  return make(
    "dl",
    { class: "facts" },
    ...rows.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]),
  )
}

/** Shown when it is a raster image; whatever else it is can be saved and is not shown. @param {string} dataUrl */
function screenshot(dataUrl) {
  const bytes = getBytes(dataUrl)
  const type = rasterType(bytes)
  const title = make("h3", {}, "Screenshot")
  if (type === null) {
    return { element: make("div", {}, title, saveButton("screenshot", bytes)), release: () => undefined }
  }
  const address = URL.createObjectURL(new Blob([bytes], { type }))
  const image = make("img", { class: "shot", alt: "Screenshot sent with the ticket", decoding: "async" })
  image.src = address
  return { element: make("div", {}, title, image), release: () => URL.revokeObjectURL(address) }
}

/** @param {string} dataUrl @param {string} name */
const attachment = (dataUrl, name) =>
  make("div", {}, make("h3", {}, "Attachment"), saveButton(name, getBytes(dataUrl)))

/** @param {string} name @param {Uint8Array<ArrayBuffer>} bytes */
function saveButton(name, bytes) {
  const button = make("button", {}, `Save ${name} (${getSize(bytes.length)})`)
  button.addEventListener("click", () => save(new Blob([bytes], { type: "application/octet-stream" }), name))
  return button
}

/** @param {number} bytes */
const getSize = (bytes) =>
  bytes < 1000
    ? `${bytes} bytes`
    : `${(bytes / 1000).toLocaleString(undefined, { maximumFractionDigits: 1 })} kB`

/** @param {string} title @param {LogLine[]} lines */
function logs(title, lines) {
  if (lines.length === 0) return null
  const text = lines.map(
    ({ ts, level, message, src }) => `${ts} ${level} ${src ? `[${src}] ` : ""}${message}`,
  )
  return fold(`${title} (${lines.length})`, text.join("\n"))
}

/** @param {string} title @param {string} text */
const fold = (title, text) => make("details", {}, make("summary", {}, title), make("pre", {}, text))
