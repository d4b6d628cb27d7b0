import { describe, expect, test } from "vitest"
import type { PermissionMode } from "../../../shared/contract/assistants.ts"
import { createFetch } from "../fetch.ts"
import { createGetWeather } from "../get-weather.ts"
import type { ContextLabel, ToolEffect } from "../tool.ts"
import { createWebSearch } from "../web-search.ts"
import { listAddresses, toComparableAddress, findNamedAddresses } from "./addresses.ts"
import { createVocabulary, foldWord } from "./compare-words.ts"
import { decide, type Knowledge, type PolicyQuestion } from "./policy.ts"
import { combineStanding, type CallPolicy } from "./standing.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"

const labels = {
  nothing: [],
  foreign: [{ trusted: false, private: false }],
  memory: [{ trusted: true, private: true }],
  folder: [{ trusted: false, private: true }],
  "folder and page": [
    { trusted: false, private: true },
    { trusted: false, private: false },
  ],
} satisfies Record<string, ContextLabel[]>
type LabelName = keyof typeof labels

// Nothing is called: the tools only describe what they would do.
const search = createWebSearch({ safe: null as never, settings: null as never, apiKey: null as never })
const weather = createGetWeather({ safe: null as never })
const page = createFetch({ safe: null as never, reader: null as never })
const mail = {
  type: "object",
  properties: {
    query: { type: "string" },
    order: { enum: ["newest", "oldest"] },
    unread: { type: "boolean" },
    limit: { type: "integer", default: 10 },
    folder: { $ref: "#/$defs/folder" },
    letters: { type: "array", items: { enum: Array.from("abcdefghijklmnopqrstuvwxyz") } },
    numbers: { type: "array", items: { anyOf: [{ type: "number" }, { minimum: 5, maximum: 5 }] } },
    defaults: {
      type: "array",
      items: { anyOf: Array.from("abcehinosw8-", (value) => ({ default: value })) },
    },
    texts: { type: "array", items: { type: "string" } },
    ...Object.fromEntries(
      Array.from({ length: 140 }, (_, n) => [`flag${n}`, { type: "boolean", default: false }]),
    ),
  },
  required: ["query"],
  $defs: { folder: { anyOf: [{ const: "inbox" }, { const: "archive" }] } },
}

/** Selects one of every so many optional flags of the tool, each with its default value. */
const flags = (every: number) =>
  Object.fromEntries(Array.from({ length: 140 / every }, (_, n) => [`flag${n * every}`, false]))

const said =
  "Che tempo fa a Milano e a Città di Castello nel 2026? Cerca i contratti di Rossi, “Müller & Söhne GmbH” " +
  "and compare 3.50 with 1,000 for gamma delta. See https://one.example/a?b=1, then two.example/b."

/** Contents of a chat in which the user said the text above. */
function knowledge(name: LabelName, changes: Partial<Knowledge> = {}): Knowledge {
  return {
    labels: labels[name],
    userWords: createVocabulary([said]),
    named: findNamedAddresses(said),
    found: new Set(["https://found.example/x"]),
    getOrigin: (word) =>
      foldWord(word) === "bianchi" ? sentence("approvals.file", { name: "contract.pdf" }) : null,
    ...changes,
  }
}

const asks = (mode: PermissionMode): CallPolicy => ({ mode, refuses: null })
const question: PolicyQuestion = {
  standing: asks("auto"),
  toolName: "webSearch",
  effects: ["egress"],
  args: { query: "Rossi" },
  parameters: search.parameters,
  addresses: null,
  knowledge: knowledge("nothing"),
  opened: new Set(),
  remembered: false,
}

/** One call of each kind; each is tested in every state of a chat. */
const calls: Record<string, Partial<PolicyQuestion>> = {
  undeclared: { effects: [] },
  "local read": { effects: ["read"], args: { query: "Bianchi" } },
  "local code": { effects: ["exec"], args: { query: "Bianchi" } },
  "local write": { effects: ["read", "write"] },
  "write elsewhere": { effects: ["write", "egress"] },
  "search, the user's words": {},
  "search, a file's word": { args: { query: "Rossi Bianchi" } },
  "search, the model's word": { args: { query: "Rossi lawsuit" } },
  "account, the user's words": { effects: ["read", "egress"], parameters: mail },
  "account, a file's word": { effects: ["read", "egress"], parameters: mail, args: { query: "Bianchi" } },
  "page the user named first": fetching("https://one.example/a?b=1"),
  "page the user named second": fetching("https://two.example/b"),
  "page a search found": fetching("https://found.example/x"),
  "page nobody named": fetching("https://sink.example/?q=Rossi"),
}

function fetching(url: string): Partial<PolicyQuestion> {
  return { toolName: "fetch", args: { url }, addresses: [url], parameters: page.parameters }
}

const standings: Record<string, CallPolicy> = {
  auto: asks("auto"),
  ask: asks("ask"),
  "bypass, its owner": combineStanding({
    permissionMode: "bypass",
    mayWaive: true,
    from: null,
    approvals: "wait",
  }),
  "bypass, somebody else": combineStanding({
    permissionMode: "bypass",
    mayWaive: false,
    from: null,
    approvals: "wait",
  }),
  "auto, approvals denied": combineStanding({
    permissionMode: "auto",
    mayWaive: true,
    from: null,
    approvals: "deny",
  }),
  "ask, approvals denied": combineStanding({
    permissionMode: "ask",
    mayWaive: true,
    from: null,
    approvals: "deny",
  }),
  "bypass, its owner, approvals denied": combineStanding({
    permissionMode: "bypass",
    mayWaive: true,
    from: null,
    approvals: "deny",
  }),
}

/** One letter for each state in the order of `labels`: Run, Pause or Deny. Local and undeclared calls are the same in every state. */
const paused: Record<keyof typeof calls, string> = {
  undeclared: "DDDDD",
  "local read": "RRRRR",
  "local code": "RRRRR",
  "local write": "PPPPP",
  "write elsewhere": "PPPPP",
  "search, the user's words": "RRRRR",
  "search, a file's word": "RRPPP",
  "search, the model's word": "RRPPP",
  "account, the user's words": "RRRRR",
  "account, a file's word": "RRPPP",
  "page the user named first": "RRRRR",
  "page the user named second": "RRPPP",
  "page a search found": "RRPPP",
  "page nobody named": "RPPPP",
}

const decideWith = (changes: Partial<PolicyQuestion>) => decide({ ...question, ...changes }).verdict

describe.each(Object.entries(calls))("%s", (kind, call) => {
  const table = paused[kind] ?? ""
  const isPage = kind.startsWith("page")

  /** Returns the table's verdicts for a kind of call, given what a pause becomes. */
  const expected = (pause: string, instead: Partial<Record<string, string>> = {}) =>
    Array.from(
      table,
      (letter) => instead[letter] ?? (letter === "P" ? pause : letter === "D" ? "deny" : "run"),
    )
  const verdicts = (changes: Partial<PolicyQuestion>) =>
    Object.keys(labels).map((name) =>
      decideWith({ ...call, knowledge: knowledge(name as LabelName), ...changes }),
    )

  // Catches any change, however small, to which calls need approval from whom.
  test("is decided as in the table, in every mode, for its owner and for others, remembered and not", () => {
    const under = (name: string, remembered = false) =>
      verdicts({ standing: standings[name] ?? asks("ask"), remembered })
    expect(under("auto"), "auto").toEqual(expected("ask"))
    expect(under("auto", true), "remembered").toEqual(expected(isPage ? "ask" : "run"))
    expect(under("ask"), "ask").toEqual(expected("ask", { R: "ask" }))
    expect(under("ask", true), "ask, remembered").toEqual(expected(isPage ? "ask" : "run"))
    expect(under("bypass, its owner"), "bypass").toEqual(expected("run"))
    expect(under("bypass, somebody else"), "other's bypass").toEqual(expected("refuse"))
    expect(under("auto, approvals denied"), "denied").toEqual(expected("refuse"))
    expect(under("ask, approvals denied"), "ask, denied").toEqual(expected("refuse", { R: "refuse" }))
    expect(under("bypass, its owner, approvals denied"), "bypass, denied").toEqual(expected("run"))
  })
})

test("never runs an unknown effect, in any mode", () => {
  const effects = ["read", "delete"] as unknown as ToolEffect[]
  for (const standing of Object.values(standings))
    expect(decideWith({ effects, standing, remembered: true })).toBe("deny")
})

// Catches a dry run that sends or changes something, or that doesn't run what is harmless.
test("in a dry run, refuses whatever sends or changes anything, in any mode, and says whether it would have run", () => {
  for (const permissionMode of ["auto", "ask", "bypass"] as const) {
    const standing = combineStanding({ permissionMode, mayWaive: true, from: null, approvals: "dryRun" })
    for (const remembered of [false, true]) {
      const call = { standing, remembered }
      for (const effects of [["write"], ["egress"], ["read", "egress"], ["exec", "write"]] as ToolEffect[][])
        expect(decideWith({ ...call, effects }), `${permissionMode} ${effects.join()}`).toBe("refuse")
      if (permissionMode !== "ask" || remembered)
        for (const effects of [["read"], ["exec"]] as ToolEffect[][])
          expect(decideWith({ ...call, effects }), `${permissionMode} ${effects.join()}`).toBe("run")
    }
    const otherwise = permissionMode === "bypass" ? "would run." : "would wait for an approval."
    const effects: ToolEffect[] = ["write"]
    expect(decide({ ...question, effects, standing })).toMatchObject({
      reason: expect.stringContaining(`Otherwise it ${otherwise}`) as string,
    })
  }
})

describe("after something private was read", () => {
  const inFolder = knowledge("folder")
  const searching = (query: string, changes: Partial<PolicyQuestion> = {}) =>
    decide({ ...question, knowledge: inFolder, args: { query }, ...changes })

  // Catches a guard that blocks what the user asked for, in other forms of the user's own words.
  test.each([
    "Rossi",
    "rossi contratto",
    "contratto di Rossi",
    "il tempo a milano",
    "Citta di Castello",
    "città di castello",
    "tempo Milano 2026",
    "Müller & Söhne GmbH",
    "muller gmbh",
    "comparing gamma and delta",
    "gamma-delta",
    "compare 3.50 with 1,000",
    "compare 1000",
    '"Rossi", contratti!',
    "https://one.example/a?b=1",
    "ROSSI MILANO",
    "Róssi",
    "CITTÀ di Castello",
    "MiLano",
    "Rossi Milano Rossi",
    "the tempo of Milano and the contratti of Rossi in the Città",
    "sugli contratti, senza Rossi",
    "perche Rossi",
    "was it that for",
    "Rossi - Milano | contratti",
    "Rossi/Milano -gamma +delta",
    "(Rossi) 2026%",
    "€1000",
    "1.000 gamma 3,50",
    "Rossi ",
    " Rossi\n",
  ])("runs a search for %s without asking", (query) => {
    expect(searching(query)).toMatchObject({ verdict: "run" })
  })

  // Catches words from documents, and every way of spelling the user's words that could encode something.
  test.each([
    ["a word of a file", "Rossi Bianchi"],
    ["a word that nobody said", "Rossi lawsuit"],
    ["words joined", "gammadelta"],
    ["a word split", "contr atti"],
    ["letters spelled out", "R o s s i"],
    ["another number", "compare 3.5"],
    ["part of a number", "compare 50"],
    ["digits of a number in another script", "compare ３.５０"],
    ["a word in base64", "Um9zc2k="],
    ["a word in hex", "526f737369"],
    ["percent escapes", "Rossi%20Milano"],
    ["a letter of another alphabet", "R\u043Essi"],
    ["a zero-width space", "Ro\u200Bssi"],
    ["a soft hyphen", "Ro\u00ADssi"],
    ["characters that turn text", "Rossi\u202E"],
    ["two spaces", "Rossi  Milano"],
    ["a tab", "Rossi\tMilano"],
    ["a line break", "Rossi\nMilano"],
    ["an unusual space", "Rossi\u2003Milano"],
    ["spaces at the end", "Rossi  "],
    ["capitals in the middle", "rOsSi"],
    ["accents that nobody writes", "Ro\u0301\u0302ssi"],
    ["an accent on most letters, again and again", "Ŕóśśí Ḿíĺáńó Ŕóśśí Ḿíĺáńó"],
    ["a full-width letter", "Ｒossi"],
    ["signs between words", "Rossi;;Milano"],
    ["an underscore", "Rossi_Milano"],
    ["a host name made of the user's words", "rossi.milano"],
    ["an address made of the user's words", "https://one.example/rossi"],
    ["a mail address made of the user's words", "rossi@milano"],
    ["a word said once, again and again", "Rossi ".repeat(7).trim()],
    ["two words as zeros and ones", "Rossi Milano Milano Rossi Rossi Milano Rossi Milano Rossi Rossi Rossi"],
    ["small words that spell", "Rossi the of to in is by the of to in is by the of to in is by the of"],
    ["signs that spell", "Rossi - + - - + + - + - - + - + - - - + Milano"],
    ["an emoji", "Rossi 🙂"],
    ["signs that the user wrote", "Rossi & & & & & & & & & & & & & & & & & Milano"],
  ])("asks about %s", (_, query) => {
    expect(searching(query)).toMatchObject({ verdict: "ask", code: "untrusted" })
  })

  // Catches limits that reject a repeated search although its words were said.
  test("allows the user's words as often as the model searches for them", () => {
    for (let round = 0; round < 3; round++) expect(searching("contratti Rossi").verdict).toBe("run")
  })

  test.each([
    ["search for e-mail law", "email law"],
    ["search for email law", "e-mail law"],
    ["covid19 rules", "covid-19 rules"],
    ["the US law", "U.S. law"],
    ["running shoes", "run shoe"],
    ["speed 100 km", "100km"],
    ["costs 50€", "50 €"],
    ["meteo a citta di castello", "Città di Castello"],
    ["iphone and macbook", "iPhone MacBook"],
    ["1500 rent", "1,500 rent"],
    ["fatture sopra 1.250,50 euro", "1,250.50 euro"],
    ["rent of 1 500 euro, or 12\u00A0000", "1500 12000 euro"],
    ["rates on 12 March 2026", "rates 2026-03-12"],
    ["rates on March 1st, 2026", "rates 2026-03-01"],
    ["i tassi del 3 aprile 2026", "tassi 2026-04-03"],
    ["das Wetter in Muenchen", "Wetter München"],
    ["Wetter in München und Großweil", "Wetter Muenchen Grossweil"],
  ])("treats %j as the same words as %j", (words, query) => {
    expect(
      searching(query, { knowledge: knowledge("folder", { userWords: createVocabulary([words]) }) }),
    ).toEqual({
      verdict: "run",
    })
  })

  // Catches a tool whose own vocabulary spells out a document, letter by letter.
  test.each([
    [{ query: "Rossi", order: "newest", unread: true }, "run"],
    [{ query: "Rossi", folder: "archive", limit: 10 }, "run"],
    [{ query: "Rossi", limit: 2026 }, "run"],
    [{ query: "Rossi", limit: 7 }, "ask"],
    [{ query: "Rossi", limit: 3.5 }, "run"],
    [{ query: "Rossi", limit: -2026 }, "ask"],
    [{ query: "Rossi", order: "sideways" }, "ask"],
    [{ query: "Rossi", letters: Array.from("bianchi") }, "run"],
    [{ query: "Rossi", letters: Array.from("bianchi owes 800".replaceAll(" ", "")) }, "ask"],
    [{ query: "Rossi", letters: Array.from({ length: 40 }, (_, n) => (n % 3 === 0 ? [[]] : [])) }, "ask"],
    [{ query: "Rossi", numbers: [2026, 1000, 3.5] }, "run"],
    [{ query: "Rossi", numbers: Array.from({ length: 104 }, (_, n) => (n % 3 === 0 ? 2026 : 1000)) }, "ask"],
    [{ query: "Rossi", defaults: Array.from("bianchi-owes-8".repeat(2)) }, "ask"],
    [{ query: "Rossi", numbers: Array.from({ length: 100 }, () => 5) }, "ask"],
    [{ query: "Rossi", texts: Array.from({ length: 99 }, () => "") }, "ask"],
    [{ query: "Rossi", ...flags(20) }, "run"],
    [{ query: "Rossi", ...flags(2) }, "ask"],
    [{ ...Object.fromEntries(Object.entries(flags(5)).toReversed()), query: "Rossi" }, "ask"],
    [{ query: "Rossi", bianchi: true }, "ask"],
    [{ query: "Rossi", nested: { query: "Bianchi" } }, "ask"],
    [{ query: ["Rossi", ["Bianchi"]] }, "ask"],
  ])("judges %j by the values its tool lists", (args, verdict) => {
    const changes = { effects: ["read", "egress"] as const, parameters: mail, args, toolName: "mcp_mail" }
    expect(searching("", changes).verdict).toBe(verdict)
  })

  test("accepts the forecast days from the tool's vocabulary, but the place only from the user", () => {
    const forecast = (args: object) =>
      searching("", { toolName: "getWeather", parameters: weather.parameters, args }).verdict
    expect(forecast({ place: "Milano" })).toBe("run")
    expect(forecast({ place: "Milan" })).toBe("run")
    expect(forecast({ place: "Milano", days: 7 })).toBe("run")
    expect(forecast({ place: "Bianchi" })).toBe("ask")
    expect(forecast({ place: "Milano, Italy" })).toBe("ask")
  })

  test("asks about endlessly nested arguments", () => {
    let args: unknown = "Rossi"
    for (let depth = 0; depth < 100_000; depth++) args = [args]
    expect(searching("", { args }).verdict).toBe("ask")
  })
})

describe("an address", () => {
  const opened = (...urls: string[]) => new Set(urls.map(toComparableAddress))
  const opening = (url: string, changes: Partial<PolicyQuestion> = {}) =>
    decide({ ...question, ...fetching(url), knowledge: knowledge("folder"), ...changes })
  const one = "https://one.example/a?b=1"
  const two = "http://two.example/b"

  // Catches a secret encoded in which known addresses are opened, in which order and how often.
  test("that the user named is opened once per answer, in the user's order", () => {
    expect(opening(one).verdict).toBe("run")
    expect(opening(two).verdict).toBe("ask")
    expect(opening(two, { opened: opened(one) }).verdict).toBe("run")
    expect(opening("https://two.example/b", { opened: opened(one, two) }).verdict).toBe("ask")
    expect(opening(one, { opened: opened(one) }).verdict).toBe("ask")
    expect(opening("HTTPS://ONE.example:443/a?b=1#Bianchi").verdict).toBe("run")
    for (const other of ["https://one.example/a?b=2", "https://one.example/a", "https://one.example/a?b=%31"])
      expect(opening(other), other).toMatchObject({ verdict: "ask", code: "address" })
    expect(opening(one, { args: { url: one, from: 50_000 } }).verdict).toBe("run")
    expect(opening(one, { args: { url: one, Bianchi: 1 } }).verdict).toBe("ask")
  })

  // Catches an approval card that shows a look-alike or the first of several addresses instead of the one asked about.
  test("that needs approval is shown with its real destination, in ASCII", () => {
    for (const state of ["folder", "foreign"] as const) {
      const asked = opening("https://аpple.com/⁄x", {
        addresses: [one, "https://аpple.com/⁄x"],
        knowledge: knowledge(state),
      })
      expect(asked).toMatchObject({
        verdict: "ask",
        reason: expect.stringMatching(/: https:\/\/xn--pple-43d\.com\/%E2%81%84x$/) as string,
      })
    }
  })

  test("that isn't known needs approval even if its tool is remembered", () => {
    expect(opening("http://sink/?q=1", { remembered: true }).verdict).toBe("ask")
    expect(opening(two, { remembered: true }).verdict).toBe("ask")
    expect(opening(one, { remembered: true, standing: asks("ask") }).verdict).toBe("run")
  })

  // Catches an address that is cut off at a character that is allowed in addresses, in a result or in the user's words.
  test.each([
    "https://it.wikipedia.org/wiki/L'Aquila",
    "https://x.example/a|b",
    "https://x.example/q?a={1}&b=`2`",
    "https://x.example/a^b",
    "https://en.wikipedia.org/wiki/Foo_(bar)",
  ])("that a result or the user writes as %s is recognised in full", (url) => {
    const foreign = {
      knowledge: knowledge("foreign", { found: new Set(listAddresses(`See ${url}, or not.`)) }),
    }
    expect(opening(url, foreign).verdict).toBe("run")
    const named = (text: string) => ({ knowledge: knowledge("folder", { named: findNamedAddresses(text) }) })
    for (const text of [`Read ${url}`, `Read '${url}'.`, `Read (${url}), please`])
      expect(opening(url, named(text)).verdict, text).toBe("run")
  })

  test("in a result's url field is used in full, including spaces", () => {
    const url = "https://x.example/a b'c"
    const found = new Set(listAddresses([{ title: "A", url, snippet: "" }]))
    expect(opening(url, { knowledge: knowledge("foreign", { found }) }).verdict).toBe("run")
  })

  test("is recognised next to others separated by signs", () => {
    const found = listAddresses(
      "|https://one.example/a|https://two.example/b| ['https://three.example/c','d']",
    )
    expect(found).toEqual(
      expect.arrayContaining(["https://one.example/a", "https://two.example/b", "https://three.example/c"]),
    )
  })

  // Catches the name of a file, program or mailbox that keeps an address named by the user from being opened.
  test.each([
    "budget.xlsx",
    "anna.rossi@firm.com",
    "Node.js",
    "main.py",
    "ASP.NET",
    "a.it.rossi@studio.it",
    "e.g.",
  ])("comes before the name %s", (name) => {
    const named = findNamedAddresses(`Compare ${name} with ${one}`)
    expect(opening(one, { knowledge: knowledge("folder", { named }) }).verdict).toBe("run")
  })

  test("is recognised in a bare site name, but not in a file name or an email address", () => {
    const names = (text: string) => findNamedAddresses(text).flatMap((forms) => [...forms])
    expect(names("See casella.it/prezzi and two.example.")).toEqual([
      "https://casella.it/prezzi",
      "http://casella.it/prezzi",
      "https://two.example/",
      "http://two.example/",
    ])
    expect(names("budget.xlsx, anna.rossi@firm.com, main.py, Node.js, fine.so")).toEqual([])
  })

  test("that isn't valid is compared unchanged", () => {
    expect(toComparableAddress("not an address")).toBe("not an address")
    expect(opening("nonsense").verdict).toBe("ask")
  })
})

describe("the reason", () => {
  const getReason = (changes: Partial<PolicyQuestion>) => {
    const decision = decide({ ...question, knowledge: knowledge("folder"), ...changes })
    return "reason" in decision ? decision.reason : ""
  }

  // Catches an approval card that doesn't say what it asks about.
  test("names the word and its source in plain words", () => {
    expect(getReason({ args: { query: "Rossi Bianchi" } })).toBe(
      '"Bianchi" comes from the file "contract.pdf". This would send it to another computer.',
    )
    expect(getReason({ args: { query: "lawsuit" } })).toContain(`You didn't write "lawsuit"`)
    expect(getReason(fetching(`http://sink/${"x".repeat(5000)}`)).length).toBeLessThan(300)
    expect(getReason({ args: { query: "x".repeat(5000) } }).length).toBeLessThan(300)
  })

  test("tells the model why a call was refused, and to continue", () => {
    const refused = getReason({ effects: ["write"], standing: { mode: "auto", refuses: "bypass" } })
    expect(refused).toMatch(
      /^It was not run\. It makes a lasting change.*only its owner.*Continue without it/,
    )
  })
})

describe("a delegated task", () => {
  const modes: PermissionMode[] = ["bypass", "auto", "ask"]
  const standing = (permissionMode: PermissionMode, mayWaive: boolean, from: CallPolicy | null = null) =>
    combineStanding({ permissionMode, mayWaive, from, approvals: "wait" })

  // Catches a task that bypasses its giver's mode, and one that prompts the user in someone else's bypass mode.
  test("is judged by the stricter mode, and refused if either assistant would be", () => {
    for (const [from, giver] of modes.entries())
      for (const [to, taker] of modes.entries()) {
        const own = standing(taker, true, standing(giver, true))
        expect(own).toEqual({ mode: modes[Math.max(from, to)], refuses: null })
      }
    expect(standing("bypass", false, standing("bypass", true))).toEqual({ mode: "auto", refuses: "bypass" })
    expect(standing("ask", true, standing("bypass", false))).toEqual({ mode: "ask", refuses: "bypass" })
    expect(standing("bypass", false, standing("ask", true))).toEqual({ mode: "ask", refuses: "bypass" })
  })
})

/** Random numbers from a seed (mulberry32), so that failures are reproducible. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

// Catches reading that makes a call less risky, so that a document could permit a call by being read.
test("nothing that was read, sent or requested turns a required approval into a run", () => {
  const next = random(20261122)
  const pick = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)] as T
  const kinds: ContextLabel[] = [true, false].flatMap((trusted) =>
    [true, false].map((isPrivate) => ({ trusted, private: isPrivate })),
  )
  const words = ["Rossi", "Milano", "contratti", "Bianchi", "2026", "the", "gammadelta"]
  const rank = { run: 0, ask: 1, refuse: 1, deny: 2 }
  for (let round = 0; round < 2_000; round++) {
    const { ...call } = pick(Object.values(calls))
    if (next() < 0.5 && call.addresses === undefined)
      call.args = { query: Array.from({ length: 1 + Math.floor(next() * 4) }, () => pick(words)).join(" ") }
    const before = kinds.filter(() => next() < 0.4)
    const added = [...before, pick(kinds)]
    const under = { ...question, ...call, standing: pick(Object.values(standings)), remembered: next() < 0.3 }
    const judge = (read: ContextLabel[], opened = new Set<string>(), standing = under.standing) =>
      rank[
        decide({ ...under, opened, standing, knowledge: { ...knowledge("nothing"), labels: read } }).verdict
      ]
    const first = judge(before)
    expect(judge(added), JSON.stringify({ call, before, added })).toBeGreaterThanOrEqual(first)
    const asked = new Set((call.addresses ?? []).map(toComparableAddress))
    expect(judge([...before, ...kinds], asked)).toBeGreaterThanOrEqual(judge([...before, ...kinds]))
    expect(judge(before, new Set(), { ...under.standing, refuses: "approvals" })).toBeGreaterThanOrEqual(
      first,
    )
  }
})
