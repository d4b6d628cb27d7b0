// @ts-check
/**
 * Makes an element. Children that are text stay text: nothing here is ever read as HTML.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag @param {Record<string, string>} attributes @param {(Node | string)[]} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  element.append(...children)
  return element
}

/**
 * An element of the page by its id.
 * @template {HTMLElement} [Kind=HTMLElement]
 * @param {string} id @param {new () => Kind} [kind]
 * @returns {Kind}
 */
export function find(id, kind = /** @type {any} */ (HTMLElement)) {
  const element = document.getElementById(id)
  if (element instanceof kind) return element
  throw new Error(`The page has no #${id}`)
}

/** @param {Blob} blob @param {string} name */
export function save(blob, name) {
  const address = URL.createObjectURL(blob)
  make("a", { href: address, download: name }).click()
  URL.revokeObjectURL(address)
}

const statusNames = { OPEN: "Open", IN_PROGRESS: "In progress", RESOLVED: "Resolved", CLOSED: "Closed" }

/** Every status with its name. */
export const statuses = Object.entries(statusNames)

/** @param {keyof typeof statusNames} status */
export const statusLabel = (status) =>
  make("span", { class: "status", "data-status": status }, statusNames[status])

/** @param {string} timestamp @param {Intl.DateTimeFormatOptions} format */
export const time = (timestamp, format) =>
  make(
    "time",
    { datetime: timestamp, title: new Date(timestamp).toLocaleString() },
    new Intl.DateTimeFormat(undefined, format).format(new Date(timestamp)),
  )
