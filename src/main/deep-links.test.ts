import { expect, test } from "vitest"
import { chatRoute } from "../shared/app-routes.ts"
import { chatIdForms } from "../shared/testing/chat-ids.ts"
import { routeOfArguments, parseDeepLink } from "./arguments.ts"

const folder = "0199a2d4-5b1e-7c3a-9f20-3a5d8e7b6c41"

test.each([
  ["casella://chat/first", "/inter/chat/first"],
  ["casella://chat/first/", "/inter/chat/first"],
  [`casella://folder/${folder}`, `/dc/vector/${folder}`],
  ["casella://settings", "/settings"],
  ["casella://settings/models", "/settings/models"],
  ["casella://new", "/"],
  ["casella://new/?text=Hello%20there", "/?text=Hello%20there"],
  ["casella://new?text=a+b%26c%3Dd%23", "/?text=a%20b%26c%3Dd%23"],
  ["casella://new?text=two%0D%0Alines", "/?text=two%0Alines"],
])("%s opens %s", (link, route) => {
  expect(parseDeepLink(link)).toBe(route)
})

// Catches a chat that its link can't open, or a link that opens another chat.
test.each(chatIdForms)("opens the chat %j from a link", (id) => {
  expect(parseDeepLink(`casella://chat/${encodeURIComponent(id)}`)).toBe(chatRoute(id))
})

// Catches a grammar that lets a web page do more than show something, such as send, sign in or open another origin.
test.each([
  "",
  "casella:",
  "casella://",
  "casella:chat/first",
  "casella://chat",
  "casella://chat/",
  "casella://chat/../settings/keys",
  "casella://chat/a/b",
  "casella://chat/%2e%2e",
  "casella://chat/.",
  "casella://chat/a b",
  "casella://chat/é",
  "casella://chat/100%",
  "casella://chat/%ED%A0%80",
  `casella://chat/${"a".repeat(201)}`,
  "casella://chat/a?approve=1",
  "casella://chat/a#/signin?token=x",
  "casella://chat/first\n",
  " casella://chat/first",
  "casella://folder/first",
  `casella://folder/${folder}/files`,
  "casella://settings/unknown",
  "casella://settings/people/add",
  "casella://signin?token=abc",
  "casella://user@new?text=a",
  "casella://new:1?text=a",
  "casella://new?text=a&send=1",
  "casella://new?send=1&text=a",
  "casella://new?TEXT=a&",
  "casella://new?text=%",
  "casella://new?text=%C3%28",
  "casella://new/x?text=a",
  "casella://mcp/install?config=x",
  "http://127.0.0.1:8484/#/settings",
  "file:///etc/passwd",
  "javascript:alert(1)",
  `casella://new?text=${"a".repeat(4_001)}`,
  `casella://new?text=${"%61".repeat(10_000)}`,
])("ignores %j", (link) => {
  expect(parseDeepLink(link)).toBeNull()
})

// Catches hidden instructions in prefilled text: the user must be able to read everything that is sent.
test("removes invisible characters from prefilled text", () => {
  const hidden = "a\u0000b\u001Bc\u200Bd\u202Ee\u2066f\uFE0Fg\u{E0041}h\u{E0101}i\u3164j\u2028k"
  expect(parseDeepLink(`casella://new?text=${encodeURIComponent(hidden)}`)).toBe("/?text=abcdefghijk")
  expect(parseDeepLink("casella://new?text=%E2%80%8B%0A")).toBe("/")
})

/** Random numbers from a fixed seed, so that failures are reproducible. */
function* randomNumbers(seed: number): Generator<number> {
  for (let state = seed; ;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    yield state / 2 ** 32
  }
}

test("opens one of the few routes or nothing, whatever a link contains", () => {
  const random = randomNumbers(7)
  const next = () => random.next().value as number
  const pieces = (
    "casella: // / ?text= ? & # = % %2F %00 %0a .. \\ @ : chat folder new settings signin models token text " +
    `${folder} é \u202E \u{1F600} \n \u0000 javascript: http://evil.example <script> a Z 0 - _`
  ).split(" ")
  pieces.push(" ")
  const routes =
    /^(\/|\/\?text=[\w\-.!~*'()%]+|\/inter\/chat\/(?!\.{1,2}$)[\w\-.!~*'()%]+|\/dc\/vector\/[\da-f-]{36}|\/settings(\/[a-z]+)?)$/
  let opened = 0
  for (let round = 0; round < 50_000; round++) {
    const length = Math.floor(next() * 6)
    const tail = Array.from({ length }, () => pieces[Math.floor(next() * pieces.length)]).join("")
    const link = next() < 0.8 ? `casella://${tail}` : tail
    const route = parseDeepLink(link)
    if (route === null) continue
    opened++
    expect(route, link).toMatch(routes)
  }
  expect(opened).toBeGreaterThan(100)
})

test("finds a link among a program's arguments", () => {
  expect(routeOfArguments(["/usr/bin/casella", "--port", "0", "casella://chat/a"])).toBe("/inter/chat/a")
  expect(routeOfArguments(["casella://evil", "casella://chat/a"])).toBeNull()
  expect(routeOfArguments(["/usr/bin/casella", "."])).toBeNull()
})
