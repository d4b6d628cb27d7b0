// @ts-check
/** @import { TicketSummary } from "../../src/shared/contract/tickets.ts" */
import * as api from "./api.js"
import { find, make, save, statuses, statusLabel, time } from "./elements.js"
import { showTicket } from "./ticket-view.js"

const pageSize = 50
const typingPauseMs = 250

const signInForm = find("sign-in", HTMLFormElement)
const entry = find("entry")
const desk = find("desk")
const filter = find("filter", HTMLFormElement)
const list = find("list", HTMLOListElement)
const ticket = find("ticket")
const problem = find("problem")
const newer = find("newer", HTMLButtonElement)
const older = find("older", HTMLButtonElement)

let offset = 0
/** Counts what was asked for, so that a late answer doesn't replace a newer one. */
let listing = 0
let reading = 0
let releaseTicket = () => {}

/** Runs something and shows why it failed. @param {() => Promise<void>} action */
function attempt(action) {
  problem.hidden = true
  action().catch((error) => {
    if (error instanceof api.ApiError && error.status === 401) {
      showSignIn()
      return
    }
    problem.textContent = messageOf(error)
    problem.hidden = false
  })
}

/** @param {unknown} error */
const messageOf = (error) => (error instanceof Error ? error.message : String(error))

function showSignIn() {
  desk.hidden = true
  entry.hidden = false
  find("email").focus()
}

/** @param {api.User} user */
async function showDesk(user) {
  entry.hidden = true
  desk.hidden = false
  find("who").textContent = user.email
  await refresh()
  await openChosen()
}

/** What the list is filtered by. */
function query() {
  const chosen = new URLSearchParams()
  for (const [name, value] of new FormData(filter)) {
    if (typeof value === "string" && value !== "") chosen.set(name, value)
  }
  return chosen
}

async function refresh() {
  const turn = ++listing
  const { tickets, pagination } = await api.list(
    new URLSearchParams([...query(), ["limit", String(pageSize)], ["offset", String(offset)]]),
  )
  if (turn !== listing) return
  list.replaceChildren(
    ...(tickets.length === 0 ? [make("li", { class: "empty" }, "No tickets here.")] : tickets.map(row)),
  )
  markChosen()
  const { total } = pagination
  const last = offset + tickets.length
  find("count").textContent = total === 0 ? "" : `${offset + 1}–${last} of ${total}`
  newer.disabled = offset === 0
  older.disabled = !pagination.hasMore
}

/** @param {TicketSummary} summary */
function row({ id, title, status, sourceApp, user, createdAt }) {
  const line = make(
    "span",
    { class: "line" },
    statusLabel(status),
    make("span", {}, sourceApp),
    make("span", {}, user.email),
    time(createdAt, { month: "short", day: "numeric" }),
  )
  return make("li", {}, make("a", { href: `#${id}` }, make("span", { class: "title" }, title), line))
}

const chosenId = () => location.hash.slice(1)

function markChosen() {
  for (const link of list.querySelectorAll("a")) {
    link.setAttribute("aria-current", String(link.getAttribute("href") === `#${chosenId()}`))
  }
}

async function openChosen() {
  const turn = ++reading
  const id = chosenId()
  markChosen()
  const chosen = id === "" ? null : await api.read(id)
  if (turn !== reading) return
  releaseTicket()
  releaseTicket = () => {}
  if (chosen === null) {
    ticket.replaceChildren(make("p", { class: "empty" }, "Choose a ticket to read it."))
    return
  }
  releaseTicket = showTicket(ticket, chosen, (status) =>
    attempt(async () => {
      await api.change(id, status)
      await refresh()
    }),
  )
}

for (const [value, name] of statuses)
  find("filter")
    .querySelector("select")
    ?.append(make("option", { value }, name))

signInForm.addEventListener("submit", (event) => {
  event.preventDefault()
  const refusal = find("refusal")
  const button = find("sign-in-button", HTMLButtonElement)
  refusal.hidden = true
  button.disabled = true
  api
    .signIn(find("email", HTMLInputElement).value, find("password", HTMLInputElement).value)
    .then((user) => {
      signInForm.reset()
      attempt(() => showDesk(user))
    })
    .catch((error) => {
      refusal.textContent = messageOf(error)
      refusal.hidden = false
    })
    .finally(() => {
      button.disabled = false
    })
})

let typing = 0
filter.addEventListener("submit", (event) => event.preventDefault())
filter.addEventListener("input", () => {
  clearTimeout(typing)
  typing = setTimeout(() => {
    offset = 0
    attempt(refresh)
  }, typingPauseMs)
})
newer.addEventListener("click", () => {
  offset = Math.max(0, offset - pageSize)
  attempt(refresh)
})
older.addEventListener("click", () => {
  offset += pageSize
  attempt(refresh)
})
find("export").addEventListener("click", () =>
  attempt(async () => save(await api.exportCsv(query()), "tickets.csv")),
)
find("sign-out").addEventListener("click", () =>
  attempt(async () => {
    await api.signOut()
    location.reload()
  }),
)
addEventListener("hashchange", () => attempt(openChosen))
addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.target instanceof HTMLInputElement || desk.hidden) return
  event.preventDefault()
  filter.querySelector("input")?.focus()
})

api.renew().then((user) => attempt(() => showDesk(user)), showSignIn)
